#include <string>

#include <catch2/catch.hpp>

#include "tests/support/golden_file.h"
#include "tests/support/recording_sample.h"

namespace muster {

TEST_CASE("The sample recording equals the golden recording, and plays",
          "[net][replication][recording]") {
  const std::vector<std::byte> bytes = samples::sample_recording();
  std::string text;
  for (const std::byte byte : bytes) text += static_cast<char>(byte);
  const bool is_golden = text == read_golden("net/sample.mrec");
  if (!is_golden) leave_for_comparison("sample.mrec", text);
  // If this fails, the format has changed (REPLICATION_FORMAT.md, SNAPSHOT_FORMAT.md).
  CHECK(is_golden);
  std::string error;
  const auto reader = RecordingReader::open(bytes, error);
  REQUIRE(reader != nullptr);
  std::uint32_t ticks = 0;
  std::size_t events = 0;
  for (; reader->step() == RecordingStatus::tick; reader->clear()) {
    ++ticks;
    events += reader->events().size();
  }
  CHECK(ticks == 40);
  CHECK(events == 1);
  CHECK(reader->mirror().reader().entities().size() == 5);
}

}  // namespace muster
