// The input is bytes of a peer that a session parses: a list of structs, structs, commands, or the
// welcome.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "registry/components/describe.h"
#include "runtime/session/cue_codec.h"
#include "runtime/session/game.h"
#include "runtime/session/message_pipe.h"
#include "runtime/session/spawn_report.h"
#include "runtime/sync/command_queue.h"
#include "runtime/sync/struct_codec.h"

namespace muster {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Fuzzed {
  Vec3 direction{};
  Quaternion rotation{};
  Button fire{};
  FixedText<20> text{};
  std::uint64_t wide = 0;
  std::int8_t narrow = 0;
};
consteval auto describe(Type<Fuzzed>) {
  return Describe<Fuzzed>("Fuzzed")
      .field<&Fuzzed::direction>("direction", {.minimum = -1, .maximum = 1, .bits = 9})
      .field<&Fuzzed::rotation>("rotation", {.minimum = -1, .maximum = 1, .resolution = 0.001})
      .field<&Fuzzed::fire>("fire")
      .field<&Fuzzed::text>("text")
      .field<&Fuzzed::wide>("wide")
      .field<&Fuzzed::narrow>("narrow", {.minimum = -5, .maximum = 5});
}

/// An accepted cue encodes to the same bytes.
void decode_one_cue(std::span<const std::byte> input) {
  const std::optional<SentCue> cue = decode_cue(input);
  if (!cue) return;
  std::vector<std::byte> bytes;
  require(encode_cue(*cue, bytes));
  const std::optional<SentCue> again = decode_cue(bytes);
  require(again && again->key == cue->key && again->cause == cue->cause);
  require(again->message.size() == cue->message.size());
}

void decode_report(std::span<const std::byte> input) {
  SpawnReport report;
  if (!report.decode(input, CommandNumber(100'000))) return;
  std::vector<std::byte> bytes;
  report.encode(bytes);
  require(std::ranges::equal(bytes, input));
}

/// The first byte is the length of the schema; commands and structs follow.
void decode_all(std::span<const std::byte> input) {
  static const std::vector<ComponentDescription> types = {description_of<Fuzzed>()};
  static const StructEncoder encoder(types, {});
  if (input.empty()) return;
  // A length of 255 means our own schema, so that more of the input can be parsed.
  const auto length = std::to_integer<std::size_t>(input.front());
  std::span<const std::byte> schema = encoder.schema();
  input = input.subspan(1);
  if (length != 255) {
    schema = input.first(std::min(input.size(), 4 * length));
    input = input.subspan(schema.size());
  }
  Result<StructDecoder> decoder = StructDecoder::make(types, schema);
  if (!decoder) return;
  ByteVector value;
  for (std::uint16_t i = 0; i < 4; ++i) {
    const PeerStructType sent{i};
    if (!decoder.value().local_type(sent)) continue;
    const std::size_t used_bytes = decoder.value().decode(sent, input, value);
    require(used_bytes <= input.size());
    require(value.size() == sizeof(Fuzzed));
  }
  CommandQueue queue(types, CommandPacing::by_client);
  queue.accept(decoder.value());
  while (!input.empty()) {
    const std::size_t size = std::min<std::size_t>(input.size(), 64);
    queue.receive(decoder.value(), input.first(size), 0);
    queue.begin_tick(decoder.value());
    require(queue.current().size() == 1 && queue.current().front().size() == sizeof(Fuzzed));
    input = input.subspan(size);
  }
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  muster::decode_all(input);
  muster::decode_one_cue(input);
  muster::decode_report(input);
  if (const auto welcome = muster::decode_welcome(input)) {
    muster::require(muster::encode(*welcome).size() == input.size());
    muster::require(std::ranges::equal(muster::encode(*welcome), input));
  }
  return 0;
}
