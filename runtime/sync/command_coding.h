// Encodes commands in few bits. Each command is coded relative to the command before it. The
// probabilities depend on how its fields are described. SESSION_FORMAT.md, "Commands".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/schema.h"
#include "net/wire/range_coder.h"
#include "registry/components/component.h"

namespace muster {

/// The kind of a lane, which decides how it is coded.
enum class CommandLaneKind : std::uint8_t {
  flag,    ///< One of two values; usually equal to the value of the tick before.
  level,   ///< Any value; usually equal to the value of the tick before.
  press,   ///< A small sum directly behind a flag; usually 1 when the flag rises.
  amount,  ///< Any other sum; usually near the sum of the tick before.
};

/// One number of a command, with its range.
struct CommandLane {
  CommandLaneKind kind = CommandLaneKind::level;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t zero = 0;  ///< The code of the field's value 0, clamped to the range.
  friend bool operator==(const CommandLane&, const CommandLane&) = default;
};

/// The lanes of a sender's commands, all types one after another. Requires: one sampling per field
/// of the schemas.
std::vector<CommandLane> command_lanes(std::span<const ComponentSchema> commands,
                                       std::span<const Sampling> sampled);
/// The samplings of all fields of the types.
std::vector<Sampling> samplings_of(std::span<const ComponentDescription> commands);

/// A command's relation to the command that it is coded against. It selects the contexts.
enum class CommandGap : std::uint8_t {
  none = 0,      ///< Coded against the command of the tick before.
  anchored = 1,  ///< The packet's first, against a command that the receiver has.
  unknown = 2,   ///< The packet's first, against default values.
};

/// A command's context: the two commands before it.
struct CommandContext {
  CommandGap gap = CommandGap::none;
  std::span<const std::int64_t> before;
  std::span<const std::int64_t> earlier;  ///< Equal to `before` if it is not known.
};

/// Contexts of the decisions in a packet. Each constant is the first context of a group; the
/// comment gives the group's dimensions. The order is part of the format.
namespace command_contexts {
inline constexpr unsigned kIsFull = 0;
inline constexpr unsigned kCount = 1;                        // 8, one per further command
inline constexpr unsigned kHasAnchor = kCount + 8;           // 1
inline constexpr unsigned kAnchor = kHasAnchor + 1;          // 16, one per step back
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

/// The probability of a 1 in each context, trained on recordings of real players (`command_bench
/// --train`). Both ends have the same table. It does not adapt to a connection, because packets can
/// be lost.
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
  /// The encoded bytes; empty if the buffer was too small.
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

/// Counts the decisions of commands, to train `CommandPriors`.
class CommandBitCounts {
 public:
  bool bit(unsigned context, bool value) {
    ++counts_[context][value ? 1 : 0];
    return value;
  }
  std::uint64_t raw(std::uint64_t value, unsigned /*bits*/) { return value; }
  /// The probabilities that fit the counts best. A context that never occurred has even
  /// probability.
  CommandPriors priors() const;

 private:
  std::array<std::array<std::uint64_t, 2>, command_contexts::kContextCount> counts_{};
};

/// Encodes the command `now`, or decodes a command into `now`. Encoder and decoder pass through the
/// same sequence of decisions. Returns false if no encoder writes the decoded values. The work is
/// proportional to the number of lanes. Requires: spans as long as `lanes`; when encoding, values
/// within their ranges.
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
