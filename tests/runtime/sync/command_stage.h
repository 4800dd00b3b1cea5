// The client's side and the server's side of a player's commands, without a network, for tests.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "runtime/session/game.h"
#include "runtime/sync/command_queue.h"
#include "runtime/sync/command_sampler.h"
#include "runtime/sync/command_sender.h"
#include "runtime/sync/struct_codec.h"

namespace muster::command_stage {

/// A command with a field of each kind.
struct Act {
  std::int32_t number = 0;  ///< The latest value; repeated when missing.
  Button fire{};
  Vec2 stick{};             ///< The largest deflection.
  float turn = 0;           ///< The sum of the values.
  std::uint8_t weapon = 0;  ///< Latched; 0 for none.
  float yaw = 0;            ///< An absolute view.
  std::uint8_t stance = 0;  ///< Neutral when missing.
};
consteval auto describe(Type<Act>) {
  return Describe<Act>("Act")
      .field<&Act::number>("number")
      .field<&Act::fire>("fire")
      .field<&Act::stick>(
          "stick",
          {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127, .sampled = Sampling::largest})
      .field<&Act::turn>("turn", {.unit = "deg",
                                  .minimum = -180,
                                  .maximum = 180,
                                  .resolution = 0.5,
                                  .sampled = Sampling::sum})
      .field<&Act::weapon>("weapon", {.minimum = 0, .maximum = 9, .when_missing = Missing::latch})
      .field<&Act::yaw>("yaw", {.unit = "deg",
                                .minimum = -180,
                                .maximum = 180,
                                .resolution = 0.01,
                                .interpolation = Interpolation::angle})
      .field<&Act::stance>("stance", {.when_missing = Missing::neutral});
}

inline Bytes bytes_of(const Act& act) { return std::as_bytes(std::span<const Act, 1>(&act, 1)); }
inline const Act& act_of(const CommandSet& set) {
  return *reinterpret_cast<const Act*>(set.front().data());
}

/// A client's sampler and sender, and a server's queue.
class Stage {
 public:
  explicit Stage(CommandPacing pacing = CommandPacing::by_client) : queue(types, pacing) {
    queue.accept(decoder);
  }

  const Act& current() const { return act_of(queue.current()); }
  void set(const Act& act) { sampler.set(StructType{0}, bytes_of(act)); }
  /// Ends a tick of the client, and returns its packet.
  std::vector<std::byte> packet() {
    sampler.end_tick();
    sender.push(CommandNumber(++command), sampler.values());
    const std::span<const std::byte> bytes = sender.packet(4);
    return {bytes.begin(), bytes.end()};
  }
  void receive(std::span<const std::byte> bytes, float fraction = 0.5F) {
    queue.receive(decoder, bytes, fraction);
  }
  void report() {
    const CommandReport report = CommandReport::decode(queue.report().encode()).value();
    const std::uint32_t lost = sender.receive(report);
    for (std::uint32_t i = 0; i < lost; ++i) sampler.add_lost(sender.lost(i));
  }
  void begin_tick() { queue.begin_tick(decoder); }
  void begin_tick(std::uint32_t tick) { queue.begin_tick(decoder, CommandNumber(tick)); }

  std::vector<ComponentDescription> types = {description_of<Act>()};
  StructEncoder encoder{types, {}};
  StructDecoder decoder = StructDecoder::make(types, encoder.schema()).value();
  std::uint32_t command = 0;  ///< The number of the last sent command.
  CommandSampler sampler{types};
  CommandSender sender{encoder.command_lanes()};
  CommandQueue queue;
};

}  // namespace muster::command_stage
