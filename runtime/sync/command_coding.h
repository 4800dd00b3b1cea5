// Encodes commands in few bits. Each command is coded relative to the previous command. The
// probabilities depend on the descriptions of the command's fields. The bytes are described in
// SESSION_FORMAT.md, "Commands".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/schema.h"
#include "net/wire/range_coder.h"
#include "registry/components/component.h"

namespace muster {

/// The kind of a lane. The kind determines how the lane's numbers are coded.
enum class CommandLaneKind : std::uint8_t {
  flag,    ///< One of two values; usually equal to the previous tick's value.
  level,   ///< Any value; usually equal to the previous tick's value.
  press,   ///< A small sum directly after a flag; usually 1 when the flag becomes set.
  amount,  ///< Any other sum; usually near the previous tick's sum.
};

/// A lane: one number of a command, with its range.
struct CommandLane {
  CommandLaneKind kind = CommandLaneKind::level;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t zero = 0;  ///< The code of the field's value 0, clamped to the range.
  friend bool operator==(const CommandLane&, const CommandLane&) = default;
};

/// Returns the lanes of all command types of a sender, in the order of the types. Requires: one
/// sampling per field of the schemas.
std::vector<CommandLane> command_lanes(std::span<const ComponentSchema> commands,
                                       std::span<const Sampling> sampled);
/// Returns the samplings of all fields, in the order of the types.
std::vector<Sampling> samplings_of(std::span<const ComponentDescription> commands);

/// The earlier command that a command is coded relative to. The gap selects the contexts.
enum class CommandGap : std::uint8_t {
  none = 0,      ///< Coded relative to the previous tick's command.
  anchored = 1,  ///< A packet's first command, relative to a command that the receiver has.
  unknown = 2,   ///< A packet's first command, relative to default values.
};

/// The context of a command: the two previous commands.
struct CommandContext {
  CommandGap gap = CommandGap::none;
  /// The previous command, from which the differences are coded.
  std::span<const std::int64_t> before;
  /// The command before `before`; equal to `before` if unknown.
  std::span<const std::int64_t> earlier;
};

/// The contexts of the decisions in a packet. Each constant is the first context of a group. The
/// comment after a constant lists the dimensions of the group, each with its number of values. For
/// example, "gap (3), changed before (2)" means 6 contexts. The order is part of the format.
namespace command_contexts {
inline constexpr unsigned kIsFull = 0;
inline constexpr unsigned kCount = 1;  // further command (8)
inline constexpr unsigned kHasAnchor = kCount + 8;
inline constexpr unsigned kAnchor = kHasAnchor + 1;  // step back (16)
inline constexpr unsigned kIsChained = kAnchor + 16;
inline constexpr unsigned kAnyLevel = kIsChained + 1;  // gap (3), changed before (2)
inline constexpr unsigned kFlag = kAnyLevel + 6;       // was set (2), changed so far (3), gap (2)
inline constexpr unsigned kLevel = kFlag + 12;         // was zero (2), changed so far (3), gap (2)
inline constexpr unsigned kLevelForm = kLevel + 12;    // decision (3), was zero (2)
inline constexpr unsigned kLevelLength = kLevelForm + 6;  // length (64)
inline constexpr unsigned kPresses = kLevelLength + 64;   // any flag rose (2), gap (2)
inline constexpr unsigned kPress = kPresses + 4;          // flag rose (2), gap (2)
inline constexpr unsigned kAnyAmount = kPress + 4;        // gap (3), before (2), earlier (2)
inline constexpr unsigned kAmount = kAnyAmount + 12;    // first (2), gap (2), before (8), other (8)
inline constexpr unsigned kAmountSign = kAmount + 256;  // first (2), before (3), earlier (3)
inline constexpr unsigned kAmountLength = kAmountSign + 18;     // gap (2), before (8), length (16)
inline constexpr unsigned kAmountDigits = kAmountLength + 256;  // length (16), node (7)
inline constexpr unsigned kContextCount = kAmountDigits + 112;
}  // namespace command_contexts

/// The probability of a 1 in each context. `command_bench --train` computed the table from
/// recordings of real players. Client and server use the same table. The table does not adapt to a
/// connection, because packets can be lost.
using CommandPriors = std::array<BitProbability, command_contexts::kContextCount>;
const CommandPriors& command_priors();

/// Writes decisions. A raw bit is 0 or 1 with equal probability.
class CommandBitsOut {
 public:
  explicit CommandBitsOut(std::span<std::byte> out) : encoder_(out) {}
  bool bit(unsigned context, bool value) {
    encoder_.encode(value, command_priors()[context]);
    return value;
  }
  std::uint64_t raw(std::uint64_t value, unsigned bits);
  /// Returns the encoded bytes, or no bytes if the buffer was too small.
  std::span<const std::byte> finish();
  double bit_count() const { return encoder_.bit_count(); }

 private:
  RangeEncoder encoder_;
};

/// Reads decisions. The bytes are not trusted.
class CommandBitsIn {
 public:
  explicit CommandBitsIn(std::span<const std::byte> bytes) : decoder_(bytes) {}
  bool bit(unsigned context, bool /*value*/) { return decoder_.decode(command_priors()[context]); }
  std::uint64_t raw(std::uint64_t value, unsigned bits);
  bool failed() const { return decoder_.failed(); }
  bool is_finished() const { return decoder_.is_finished(); }

 private:
  RangeDecoder decoder_;
};

/// Counts the decisions of commands, to train `CommandPriors`.
class CommandBitCounts {
 public:
  bool bit(unsigned context, bool value) {
    ++counts_[context][value ? 1 : 0];
    return value;
  }
  std::uint64_t raw(std::uint64_t value, unsigned /*bits*/) { return value; }
  /// Returns the probabilities that fit the counts best. A context without counts has the
  /// probability 1/2.
  CommandPriors priors() const;

 private:
  std::array<std::array<std::uint64_t, 2>, command_contexts::kContextCount> counts_{};
};

/// Encodes the command `now`, or decodes a command into `now`. Encoder and decoder make the same
/// sequence of decisions. Returns false if the decoded values are values that no encoder writes.
/// The work is proportional to the number of lanes. Requires: spans with the length of `lanes`. For
/// encoding, also requires values within their ranges.
template <typename Bits>
bool code_command(Bits& bits, std::span<const CommandLane> lanes, const CommandContext& context,
                  std::span<std::int64_t> now);
extern template bool code_command(CommandBitsOut&, std::span<const CommandLane>,
                                  const CommandContext&, std::span<std::int64_t>);
extern template bool code_command(CommandBitsIn&, std::span<const CommandLane>,
                                  const CommandContext&, std::span<std::int64_t>);
extern template bool code_command(CommandBitCounts&, std::span<const CommandLane>,
                                  const CommandContext&, std::span<std::int64_t>);

}  // namespace muster
