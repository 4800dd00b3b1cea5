// Commands as few bits: each against the one before it, with probabilities that follow from how its
// fields are described. SESSION_FORMAT.md, "Commands".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/schema.h"
#include "net/wire/range_coder.h"
#include "registry/components/component.h"

namespace muster {

/// How a value of a command is coded.
enum class CommandLaneKind : std::uint8_t {
  flag,    ///< Two values; stays as it was, mostly.
  level,   ///< Any values; stays as it was, mostly.
  press,   ///< A small sum that directly follows a flag: 1 when the flag rises, mostly.
  amount,  ///< A sum: near the one of the tick before.
};

struct CommandLane {
  CommandLaneKind kind = CommandLaneKind::level;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t zero = 0;  ///< The integer that stands for the number 0, or the nearest one.
  friend bool operator==(const CommandLane&, const CommandLane&) = default;
};

/// A sender's commands, all types one after another, as integers with their kinds.
/// Requires: as many samplings as the schemas have fields.
std::vector<CommandLane> command_lanes(std::span<const ComponentSchema> commands,
                                       std::span<const Sampling> sampled);
/// The samplings of all fields of the types.
std::vector<Sampling> samplings_of(std::span<const ComponentDescription> commands);

/// Where a command stands in its packet: which contexts its values have.
enum class CommandGap : std::uint8_t {
  none = 0,      ///< Behind the command of the tick before.
  anchored = 1,  ///< The packet's first, behind a command that the receiver is known to have.
  unknown = 2,   ///< The packet's first, behind default values.
};

/// A command's context: the two commands before it.
struct CommandContext {
  CommandGap gap = CommandGap::none;
  std::span<const std::int64_t> before;
  std::span<const std::int64_t> earlier;  ///< The same as `before` when it is not known.
};

/// Contexts of the decisions in a packet. The first of each group; the order is part of the format.
namespace command_contexts {
inline constexpr unsigned kIsFull = 0;
inline constexpr unsigned kCount = 1;                        // 8: each further command
inline constexpr unsigned kHasAnchor = kCount + 8;           // 1
inline constexpr unsigned kAnchor = kHasAnchor + 1;          // 16: each step further back
inline constexpr unsigned kIsChained = kAnchor + 16;         // 1
inline constexpr unsigned kAnyLevel = kIsChained + 1;        // gap 3, changed before 2
inline constexpr unsigned kFlag = kAnyLevel + 6;             // was set 2, changed so far 3, gap 2
inline constexpr unsigned kLevel = kFlag + 12;               // was zero 2, changed so far 3, gap 2
inline constexpr unsigned kLevelForm = kLevel + 12;          // zero, end, which end; was zero 2
inline constexpr unsigned kLevelLength = kLevelForm + 6;     // 64
inline constexpr unsigned kPresses = kLevelLength + 64;      // any flag rose 2, gap 2
inline constexpr unsigned kPress = kPresses + 4;             // flag rose 2, gap 2
inline constexpr unsigned kAnyAmount = kPress + 4;           // gap 3, before 2, earlier 2
inline constexpr unsigned kAmount = kAnyAmount + 12;         // first 2, gap 2, before 8, other 8
inline constexpr unsigned kAmountSign = kAmount + 256;       // first 2, before 3, earlier 3
inline constexpr unsigned kAmountLength = kAmountSign + 18;  // gap 2, before 8, length 16
inline constexpr unsigned kAmountDigits = kAmountLength + 256;  // length 16, node 7
inline constexpr unsigned kContextCount = kAmountDigits + 112;
}  // namespace command_contexts

/// The probability of a 1 in each context, trained on recordings of people playing
/// (`command_bench --train`). Both ends have the same; nothing adapts, since packets are lost.
using CommandPriors = std::array<BitProbability, command_contexts::kContextCount>;
const CommandPriors& command_priors();

/// Writes decisions. Raw bits have even probability.
class CommandBitsOut {
 public:
  explicit CommandBitsOut(std::span<std::byte> out) : encoder_(out) {}
  bool bit(unsigned context, bool value) {
    encoder_.encode(value, command_priors()[context]);
    return value;
  }
  std::uint64_t raw(std::uint64_t value, unsigned bits);
  /// Empty when the buffer was too small.
  std::span<const std::byte> finish();
  double bit_count() const { return encoder_.bit_count(); }

 private:
  RangeEncoder encoder_;
};

/// Reads decisions from bytes that an attacker may have made.
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

/// Counts decisions, for training.
class CommandBitCounts {
 public:
  bool bit(unsigned context, bool value) {
    ++counts_[context][value ? 1 : 0];
    return value;
  }
  std::uint64_t raw(std::uint64_t value, unsigned /*bits*/) { return value; }
  /// The probabilities that fit best; those of contexts that never occurred are even.
  CommandPriors priors() const;

 private:
  std::array<std::array<std::uint64_t, 2>, command_contexts::kContextCount> counts_{};
};

/// Encodes a command, or decodes it into `now`: both take the same decisions. False for values that
/// no encoder writes. Work is proportional to the lanes. Requires: spans as long as `lanes`; to
/// encode, values within their ranges.
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
