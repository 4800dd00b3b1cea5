// Converts captures to pcap files, for Wireshark and similar tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/capture/capture_reader.h"

namespace muster {

/// A pcap file, and the result of its conversion.
struct PcapFile {
  std::vector<std::byte> bytes;
  std::uint64_t datagrams = 0;
  /// The packets whose connection was not recorded. Their addresses are zero.
  std::uint64_t unknown_connection = 0;
  CaptureStatus status = CaptureStatus::end;
  std::size_t offset = 0;  ///< The offset at which reading ended.
};

/// Converts a capture as net/capture/CAPTURE_FORMAT.md describes, up to its end or its first error.
/// The result is slightly larger than the capture.
PcapFile pcap_of(std::span<const std::byte> capture);

}  // namespace muster
