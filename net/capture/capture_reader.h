// Reads captures (net/capture/CAPTURE_FORMAT.md) that anybody may have made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "net/endpoint/packet_recorder.h"

namespace muster {

/// Records that the writer had no room for.
struct DroppedRecords {
  Time at{};
  std::uint64_t count = 0;
};

/// One record. Times count from the capture's start. Views go into the capture.
using CaptureRecord =
    std::variant<RecordedConnection, RecordedPacket, RecordedHandshake, DroppedRecords>;

/// How reading went on.
enum class [[nodiscard]] CaptureStatus : std::uint8_t{
    record,         ///< There is another record.
    end,            ///< That was all.
    truncated,      ///< The file ends within a record; all before it were whole.
    malformed,      ///< The record at `offset` breaks the format.
    not_a_capture,  ///< The magic is missing.
    wrong_version,  ///< Made by a newer program.
};

/// A word for a person.
std::string_view text_of(CaptureStatus status);

/// Goes through a capture, whose bytes must outlive it. After anything but `record` the same status
/// comes for ever. Never allocates, never reads outside.
///
///     CaptureReader reader(bytes);
///     CaptureRecord record;
///     CaptureStatus status;
///     while ((status = reader.next(record)) == CaptureStatus::record) ...
class CaptureReader {
 public:
  explicit CaptureReader(std::span<const std::byte> bytes);

  CaptureStatus next(CaptureRecord& record);

  /// The date at the capture's start, in nanoseconds since 1970; 0 when it is not known.
  std::uint64_t unix_nanoseconds() const { return unix_nanoseconds_; }
  /// Where the next record begins, or the one that is wrong.
  std::size_t offset() const { return offset_; }

 private:
  CaptureStatus read_header();
  CaptureStatus read_record(CaptureRecord& record);

  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0;
  std::uint64_t unix_nanoseconds_ = 0;
  std::uint64_t last_time_ = 0;
  CaptureStatus status_ = CaptureStatus::record;
};

}  // namespace muster
