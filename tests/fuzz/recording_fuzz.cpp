// The input is a recording of a world. The recording is played from beginning to end, and then from
// ticks that the input's bytes choose. Shown values must be within their limits.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/replication/recording.h"

namespace {

using namespace muster;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const RecordingReader& reader) {
  for (const SeenEntity& seen : reader.mirror().reader().entities()) {
    const TypeView& view = reader.views().view(seen.kind.type);
    const EntitySchema& schema = reader.views().schemas().at(codec_index(seen.kind.type));
    for (std::size_t i = 0; i < view.parts.size(); ++i) {
      require(seen.values[i] <= schema.lanes[i].maximum);
    }
    std::vector<std::int64_t> values(reader.schema().value_count(view.type));
    require(reader.mirror().values(reader.views().entity_of(seen.id), values));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string error;
  const auto reader = RecordingReader::open(std::as_bytes(std::span(data, size)), error);
  if (reader == nullptr) {
    require(!error.empty());
    return 0;
  }
  for (std::size_t i = 0; reader->step() == RecordingStatus::tick; ++i) {
    require(i <= size);
    check(*reader);
    reader->clear();
  }
  for (std::size_t i = 0; i < 8 && i < size; ++i) {
    static_cast<void>(reader->seek(Tick(data[size - 1 - i])));
    check(*reader);
  }
  return 0;
}
