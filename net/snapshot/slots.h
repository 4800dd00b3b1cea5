// The decisions of the snapshot coder and the slots of their probabilities. SNAPSHOT_FORMAT.md,
// "Slots".
#pragma once

#include <algorithm>
#include <cstdint>

namespace muster::slots {

// The snapshot itself; not trained, see `lay_out`.
inline constexpr std::uint32_t kHasReference = 0;
inline constexpr std::uint32_t kOlderReference = 1;
inline constexpr std::uint32_t kOddTick = 2;  ///< Not the tick that the references suggest.
inline constexpr std::uint32_t kDefers = 3;   ///< Changed entities may be omitted.
inline constexpr std::uint32_t kDeferred = 4;
inline constexpr std::uint32_t kIsPart = 5;
inline constexpr std::uint32_t kEnds = 6;  ///< The datagram ends here.
inline constexpr std::uint32_t kGone = 7;
inline constexpr std::uint32_t kAnotherNew = 8;
inline constexpr std::uint32_t kNewGeneration = 9;
inline constexpr std::uint32_t kAnyNew = 10;  ///< In a block of many known entities.
inline constexpr std::uint32_t kBlockChanges =
    11;  ///< A block of constant entities: did any change?
inline constexpr std::uint32_t kGroupChanges = 14;  ///< The same for a group; after the number of
                                                    ///< other entities among them.
inline constexpr std::uint32_t kIdGap = 20;
inline constexpr std::uint32_t kReferenceAfterGap = kIdGap + 18;  ///< After a gap of one snapshot;
                                                                  ///< of more
inline constexpr std::uint32_t kPerSnapshot = kReferenceAfterGap + 2;

// An entity: does it differ from the newest known state?
inline constexpr std::uint32_t kActivities = 6;  ///< Lanes that changed last time; 5: that many or
                                                 ///< more.
inline constexpr std::uint32_t kChanged = 0;     // activity, older change, oldest change, neighbour
inline constexpr std::uint32_t kKnown = kChanged + kActivities * 8;
inline constexpr std::uint32_t kPerEntity = kKnown + 8;

// A number: exp-Golomb, its length in unary.
inline constexpr std::uint32_t kLengths = 18;  ///< Longer ones share the last.
inline constexpr std::uint32_t kLowNodes = 7;  ///< The three bits after the leading one.
inline constexpr std::uint32_t kLow = kLengths * kLowNodes;

// A predicted lane: is the prediction right, the sign and the size of the error.
inline constexpr std::uint32_t kLevels = 24;    ///< Expected size of the residual.
inline constexpr std::uint32_t kFractions = 9;  ///< The fraction between two integers; 8: none.
inline constexpr std::uint32_t kConstantCases = 32;  ///< Cases of a constant lane.
inline constexpr std::uint32_t kRestLevels = 4;
inline constexpr std::uint32_t kSides = 3 * kFractions * 3;
inline constexpr std::uint32_t kWrong = 0;
inline constexpr std::uint32_t kSide = kWrong + kLevels * kFractions * 2 + kConstantCases;
inline constexpr std::uint32_t kLength = kSide + kSides;
inline constexpr std::uint32_t kLowBits = kLength + (kLevels + kRestLevels) * kLengths;
inline constexpr std::uint32_t kOtherSpelling = kLowBits + kLow;
inline constexpr std::uint32_t kNew =
    kOtherSpelling + 1;  // for new entities: is it the initial value? then the difference
inline constexpr std::uint32_t kPerNew = 2 + kLengths + kLow;
inline constexpr std::uint32_t kPerNumber = kNew + kPerNew;

// A lane without order.
inline constexpr std::uint32_t kSymbolChanged = 0;  // age of the change, partners, lanes so far
inline constexpr std::uint32_t kSymbolTree = 5 * 8 * 4;
inline constexpr std::uint32_t kTreeMax = 16;  ///< Each smaller symbol has its own tree.
inline constexpr std::uint32_t kSymbolNew = kSymbolTree + kTreeMax * kTreeMax;
inline constexpr std::uint32_t kPerSymbol = kSymbolNew + kPerNew;

// The tick of an event.
inline constexpr std::uint32_t kTickChanged = 0;
inline constexpr std::uint32_t kTickSameAge = 5 * 8 * 4;
inline constexpr std::uint32_t kTickAge = kTickSameAge + 4;
inline constexpr std::uint32_t kTickNew = kTickAge + kLengths + kLow;
inline constexpr std::uint32_t kPerTick = kTickNew + kPerNew;

}  // namespace muster::slots
