// Huffman codes for numbers: sixteen symbols, one table per context. See SNAPSHOT_FORMAT.md,
// "Huffman".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace muster {

inline constexpr std::size_t kHuffmanSymbols = 16;
/// The maximum length of a code in bits; a reader decodes with one table of 2^kHuffmanLengthMax
/// entries.
inline constexpr unsigned kHuffmanLengthMax = 6;

/// The lengths of the codes of 16 symbols.
using HuffmanLengths = std::array<std::uint8_t, kHuffmanSymbols>;
inline constexpr HuffmanLengths kDefaultLengths = {2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 6};

/// A number is coded as its bucket and some extra bits.
inline constexpr std::array<std::uint8_t, kHuffmanSymbols> kBucketBits = {
    0, 0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21, 24, 27, 32};
inline constexpr std::array<std::uint32_t, kHuffmanSymbols> kBucketFirst = {
    0,   1,    2,    4,      8,       16,        32,         96,
    352, 1376, 5472, 38'240, 300'384, 2'397'536, 19'174'752, 153'392'480};
inline std::uint32_t bucket_of(std::uint32_t number) {
  std::uint32_t bucket = kHuffmanSymbols - 1;
  while (kBucketFirst[bucket] > number) --bucket;
  return bucket;
}

/// The difference between `before` and `now` as an unsigned number. The number is small if the two
/// values are near each other, whichever is larger.
inline std::uint32_t folded(std::uint32_t before, std::uint32_t now) {
  const std::uint32_t difference = before - now;
  return (difference << 1) ^ (0 - (difference >> 31));
}
inline std::uint32_t unfolded(std::uint32_t before, std::uint32_t fold) {
  return before - ((fold >> 1) ^ (0 - (fold & 1)));
}

/// A code; its first bit is the lowest bit.
struct HuffmanCode {
  std::uint8_t bits = 0;
  std::uint8_t length = 0;
};

/// The codes of all contexts. Contexts without their own lengths use the default lengths.
class HuffmanTables {
 public:
  HuffmanTables() { set_default(kDefaultLengths); }

  /// Both functions return false when the lengths are not a complete prefix code with lengths from
  /// 1 to 6.
  bool set_default(const HuffmanLengths& lengths);
  bool set(std::uint16_t context, const HuffmanLengths& lengths);

  HuffmanCode code(std::uint32_t context, std::uint32_t symbol) const {
    return tables_[table_of(context)].codes[symbol];
  }
  /// Returns the symbol whose code has these bits and this length, or 0xFF if no symbol has this
  /// code.
  std::uint8_t symbol(std::uint32_t context, std::uint32_t bits, unsigned length) const {
    const std::uint8_t found = tables_[table_of(context)].symbols[bits];
    const bool is_whole = tables_[table_of(context)].codes[found].length == length;
    return is_whole ? found : std::uint8_t{0xFF};
  }
  const HuffmanLengths& lengths(std::uint32_t context) const {
    return tables_[table_of(context)].lengths;
  }
  /// The contexts with their own lengths, in ascending order.
  std::vector<std::uint16_t> contexts() const;
  std::size_t memory_bytes() const { return tables_.size() * sizeof(Table) + 2 * index_.size(); }

 private:
  struct Table {
    HuffmanLengths lengths{};
    std::array<HuffmanCode, kHuffmanSymbols> codes{};
    /// The symbol for each value of the next six bits.
    std::array<std::uint8_t, 1U << kHuffmanLengthMax> symbols{};
  };
  static bool make(const HuffmanLengths& lengths, Table& table);
  std::size_t table_of(std::uint32_t context) const {
    return context < index_.size() ? index_[context] : 0;
  }
  std::vector<Table> tables_ = std::vector<Table>(1);  ///< Table 0 is the default.
  std::vector<std::uint16_t> index_;                   ///< The index in `tables_` for each context.
};

/// How often each symbol occurs.
using HuffmanCounts = std::array<std::uint64_t, kHuffmanSymbols>;
/// Returns the code lengths with which these symbols need the fewest bits.
HuffmanLengths best_lengths(const HuffmanCounts& counts);

/// Convert the tables to bytes and back. The bytes are a part of a model file. Decoding returns
/// false if the bytes are damaged.
std::vector<std::byte> encode_huffman(const HuffmanTables& tables);
bool decode_huffman(std::span<const std::byte> bytes, HuffmanTables& tables);

}  // namespace muster
