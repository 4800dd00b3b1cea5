// The input has packets of a client's commands, the client's list of commands, ticks between
// packets, or a server's reports.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "runtime/session/game.h"
#include "runtime/sync/command_queue.h"
#include "runtime/sync/command_sender.h"
#include "runtime/sync/struct_codec.h"

namespace muster {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Fuzzed {
  Button fire{};
  Vec2 stick{};
  float turn = 0;
  std::uint64_t wide = 0;
  std::int64_t sum = 0;
  std::uint8_t weapon = 0;
};
consteval auto describe(Type<Fuzzed>) {
  return Describe<Fuzzed>("Fuzzed")
      .field<&Fuzzed::fire>("fire")
      .field<&Fuzzed::stick>(
          "stick",
          {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127, .sampled = Sampling::largest})
      .field<&Fuzzed::turn>("turn", {.sampled = Sampling::sum})
      .field<&Fuzzed::wide>("wide")
      .field<&Fuzzed::sum>("sum", {.sampled = Sampling::sum})
      .field<&Fuzzed::weapon>("weapon",
                              {.minimum = 0, .maximum = 9, .when_missing = Missing::latch});
}

/// The maximum number of slots that one packet or tick may visit, in addition to the values of its
/// commands.
constexpr std::uint64_t kWorkSlack = 256;

void check_work(const CommandQueue& queue, std::uint64_t before, std::size_t lanes) {
  require(queue.counters().work - before <= kCommandsPerPacketMax * (lanes + 1) + kWorkSlack);
}

/// The first byte chooses whether the command numbers are the server's ticks, and the length of the
/// client's list in units of four. A length of 127 means our own list. Blocks follow: each has a
/// length and a packet of this length. A length of 0 means a tick.
void run_queue(std::span<const std::byte> input) {
  static const std::vector<ComponentDescription> types = {description_of<Fuzzed>()};
  static const StructEncoder encoder(types, {});
  if (input.empty()) return;
  const auto first = std::to_integer<std::size_t>(input.front());
  input = input.subspan(1);
  std::span<const std::byte> schema = encoder.schema();
  if (first % 128 != 127) {
    schema = input.first(std::min(input.size(), 4 * (first % 128)));
    input = input.subspan(schema.size());
  }
  Result<StructDecoder> made = StructDecoder::make(types, schema);
  if (!made) return;
  StructDecoder& decoder = made.value();
  require(decoder.command_lanes().size() <= kCommandValuesMax);
  const bool is_exact = first >= 128;
  CommandQueue queue(types, is_exact ? CommandPacing::by_server : CommandPacing::by_client);
  queue.accept(decoder);
  std::uint32_t tick = 0;
  while (!input.empty()) {
    const std::size_t length = std::to_integer<std::size_t>(input.front()) % 64;
    input = input.subspan(1);
    const std::uint64_t work = queue.counters().work;
    if (length == 0 && is_exact) {
      queue.begin_tick(decoder, CommandNumber(++tick));
    } else if (length == 0) {
      queue.begin_tick(decoder);
    } else {
      const std::span<const std::byte> packet = input.first(std::min(input.size(), length));
      queue.receive(decoder, packet, 0.25F);
      input = input.subspan(packet.size());
    }
    check_work(queue, work, decoder.command_lanes().size());
    require(queue.waiting() <= CommandQueue::kAheadMax);
    require(queue.current().size() == 1 && queue.current().front().size() == sizeof(Fuzzed));
    const auto& current = *reinterpret_cast<const Fuzzed*>(queue.current().front().data());
    require(current.fire.press_count <= 7 && current.weapon <= 9);
    static_cast<void>(queue.report());
  }
}

/// A client ignores reports about commands that it did not send.
void run_sender(std::span<const std::byte> input) {
  static const std::vector<ComponentDescription> types = {description_of<Fuzzed>()};
  static const StructEncoder encoder(types, {});
  CommandSender sender(encoder.command_lanes());
  std::vector<std::int64_t> values;
  for (const CommandLane& lane : encoder.command_lanes()) values.push_back(lane.zero);
  for (std::uint32_t number = 1; input.size() >= CommandReport::kBytes; ++number) {
    sender.push(CommandNumber(number), values);
    require(!sender.packet(4).empty());
    const bool has_gaps = std::ranges::any_of(input.subspan(CommandReport::kBytes - 4, 4),
                                              [](std::byte one) { return one != std::byte{0}; });
    const std::size_t bytes =
        std::min(input.size(), has_gaps ? CommandReport::kBytesWithBlock : CommandReport::kBytes);
    if (const auto report = CommandReport::decode(input.first(bytes))) {
      sender.receive(*report);
    }
    require(sender.unacknowledged() <= number);
    input = input.subspan(bytes);
  }
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  muster::run_queue(input);
  muster::run_sender(input);
  return 0;
}
