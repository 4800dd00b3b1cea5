// Reads captures (net/capture/CAPTURE_FORMAT.md) from untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "net/endpoint/packet_recorder.h"

namespace muster {

/// The records that the writer dropped at this point.
struct DroppedRecords {
  Time at{};
  std::uint64_t count = 0;
};

/// One record. A time is the time since the capture's start. Spans are views into the capture.
using CaptureRecord =
    std::variant<RecordedConnection, RecordedPacket, RecordedHandshake, DroppedRecords>;

/// The result of reading.
enum class [[nodiscard]] CaptureStatus : std::uint8_t{
    record,         ///< Another record was read.
    end,            ///< The capture is complete.
    truncated,      ///< The file ends within a record. All earlier records were complete.
    malformed,      ///< The record at `offset` violates the format.
    not_a_capture,  ///< The magic number is missing.
    wrong_version,  ///< The capture was made by a newer program.
};

/// Returns a text for the user.
std::string_view text_of(CaptureStatus status);

/// Iterates over a capture, whose bytes must outlive the reader. After a result other than
/// `record`, every call returns that result again. The reader never allocates.
///
///     CaptureReader reader(bytes);
///     CaptureRecord record;
///     CaptureStatus status;
///     while ((status = reader.next(record)) == CaptureStatus::record) ...
class CaptureReader {
 public:
  explicit CaptureReader(std::span<const std::byte> bytes);

  CaptureStatus next(CaptureRecord& record);

  /// The date at the capture's start, in nanoseconds since 1970; 0 if unknown.
  std::uint64_t unix_nanoseconds() const { return unix_nanoseconds_; }
  /// The offset of the next record, or of the record that could not be read.
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
