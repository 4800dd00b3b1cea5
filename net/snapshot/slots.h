// The decisions of the snapshot coder and the slots of their probabilities. See SNAPSHOT_FORMAT.md,
// "Slots".
#pragma once

#include <algorithm>
#include <cstdint>

namespace muster::slots {

// The snapshot itself. These slots are not trained; `lay_out` sets their probabilities.
inline constexpr std::uint32_t kHasReference = 0;
inline constexpr std::uint32_t kOlderReference = 1;
inline constexpr std::uint32_t kOddTick = 2;  ///< Does the tick differ from the expected tick?
inline constexpr std::uint32_t kDefers = 3;   ///< May changed entities be omitted?
inline constexpr std::uint32_t kDeferred = 4;
inline constexpr std::uint32_t kIsPart = 5;
inline constexpr std::uint32_t kEnds = 6;  ///< Does the datagram end here?
inline constexpr std::uint32_t kGone = 7;
inline constexpr std::uint32_t kAnotherNew = 8;
inline constexpr std::uint32_t kNewGeneration = 9;
/// Does a block of known entities contain new entities?
inline constexpr std::uint32_t kAnyNew = 10;
/// Did any entity of a block of constant entities change? There is one slot for each state of the
/// previous block.
inline constexpr std::uint32_t kBlockChanges = 11;
/// Did any entity of a group of constant entities change? There are six slots: for 0, 1 to 16, or
/// more than 16 other entities between the entities of the group, each with and without a change in
/// the previous group.
inline constexpr std::uint32_t kGroupChanges = 14;
inline constexpr std::uint32_t kIdGap = 20;
/// Is a snapshot a reference if the next newer snapshot is not? There is one slot for a gap of one
/// snapshot, and one for a longer gap.
inline constexpr std::uint32_t kReferenceAfterGap = kIdGap + 18;
inline constexpr std::uint32_t kPerSnapshot = kReferenceAfterGap + 2;

// An entity: does it differ from its newest known state? The slot depends on three things: the
// activity, which is the number of lanes that differ between the two newest known states (5 means
// five or more); two flags for older changes; and whether the previous entity changed.
inline constexpr std::uint32_t kActivities = 6;
inline constexpr std::uint32_t kChanged = 0;
inline constexpr std::uint32_t kKnown = kChanged + kActivities * 8;
inline constexpr std::uint32_t kPerEntity = kKnown + 8;

// A number as an exp-Golomb code, with its length in unary.
inline constexpr std::uint32_t kLengths = 18;  ///< All greater lengths share the last slot.
/// The nodes for the three bits after the leading 1.
inline constexpr std::uint32_t kLowNodes = 7;
inline constexpr std::uint32_t kLow = kLengths * kLowNodes;

// A predicted lane: whether the prediction is right, and the sign and size of its error.
inline constexpr std::uint32_t kLevels = 24;  ///< The levels of the residual's expected size.
/// The fraction of the prediction in eighths of a step; 8 if the prediction hardly moves.
inline constexpr std::uint32_t kFractions = 9;
inline constexpr std::uint32_t kConstantCases = 32;  ///< The cases of a constant lane.
inline constexpr std::uint32_t kCertainLevels = 4;
inline constexpr std::uint32_t kSides = 3 * kFractions * 3;
inline constexpr std::uint32_t kWrong = 0;
inline constexpr std::uint32_t kSide = kWrong + kLevels * kFractions * 2 + kConstantCases;
inline constexpr std::uint32_t kLength = kSide + kSides;
inline constexpr std::uint32_t kLowBits = kLength + (kLevels + kCertainLevels) * kLengths;
inline constexpr std::uint32_t kOtherSpelling = kLowBits + kLow;
// For new entities: whether the value is the initial value, then the difference from it.
inline constexpr std::uint32_t kNew = kOtherSpelling + 1;
inline constexpr std::uint32_t kPerNew = 2 + kLengths + kLow;
inline constexpr std::uint32_t kPerNumber = kNew + kPerNew;

// A lane without order. The slot of the decision whether it changed depends on the age of the last
// change, on the changed partners, and on the number of lanes that changed so far.
inline constexpr std::uint32_t kSymbolChanged = 0;
inline constexpr std::uint32_t kSymbolTree = 5 * 8 * 4;
inline constexpr std::uint32_t kTreeMax = 16;  ///< Each symbol below this limit has its own tree.
inline constexpr std::uint32_t kSymbolNew = kSymbolTree + kTreeMax * kTreeMax;
inline constexpr std::uint32_t kPerSymbol = kSymbolNew + kPerNew;

// The tick of an event.
inline constexpr std::uint32_t kTickChanged = 0;
inline constexpr std::uint32_t kTickSameAge = 5 * 8 * 4;
inline constexpr std::uint32_t kTickAge = kTickSameAge + 4;
inline constexpr std::uint32_t kTickNew = kTickAge + kLengths + kLow;
inline constexpr std::uint32_t kPerTick = kTickNew + kPerNew;

}  // namespace muster::slots
