// The constants of net/capture/CAPTURE_FORMAT.md, for the writer and the reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/transport/datagram_socket.h"

namespace muster {

inline constexpr std::string_view kCaptureMagic{"MUSTCAP\0", 8};
inline constexpr std::uint32_t kCaptureVersion = 1;
inline constexpr std::size_t kCaptureHeaderBytes = 32;

enum class CaptureKind : std::uint8_t { connection = 1, packet = 2, handshake = 3, dropped = 4 };

/// The bits of a record's flags.
inline constexpr std::uint8_t kCaptureOut = 1;
inline constexpr std::uint8_t kCapturePhase = 2;
inline constexpr std::uint8_t kCaptureServer = 4;

inline constexpr std::size_t kRecordHeadBytes = 16;
inline constexpr std::size_t kRecordContentMax = 1536;
/// Times and timeouts in nanoseconds are below this limit (13 days), so that no sum overflows.
inline constexpr std::uint64_t kCaptureTimeEnd = std::uint64_t{1} << 50U;

inline constexpr std::size_t kAddressBytes = 18;
inline constexpr std::size_t kConnectionContentBytes = 68;  ///< The size without channels.
inline constexpr std::size_t kPacketContentBytes = 8;       ///< The size without the body.
inline constexpr std::size_t kDroppedContentBytes = 8;

static_assert(kPacketContentBytes + kDatagramBytesMax <= kRecordContentMax);
static_assert(2 * kAddressBytes + kDatagramBytesMax <= kRecordContentMax);

}  // namespace muster
