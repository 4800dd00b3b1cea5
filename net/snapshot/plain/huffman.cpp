// Codes are canonical: sorted by length and then by symbol, each code is the previous code plus
// one. The first bit of a code is written as the lowest bit, so a reader can use its next six bits
// as an index in a table.
#include "net/snapshot/plain/huffman.h"

#include <algorithm>

#include "registry/base/bytes.h"

namespace muster {
namespace {

/// One symbol or several combined symbols, used while lengths are computed.
struct Package {
  std::uint64_t weight = 0;
  HuffmanLengths depth{};  ///< The number of times that the package contains each symbol.
};

}  // namespace

bool HuffmanTables::make(const HuffmanLengths& lengths, Table& table) {
  std::uint32_t room = 0;  // The number of codes of the maximum length.
  for (const std::uint8_t length : lengths) {
    if (length < 1 || length > kHuffmanLengthMax) return false;
    room += 1U << (kHuffmanLengthMax - length);
  }
  if (room != 1U << kHuffmanLengthMax) return false;
  table.lengths = lengths;
  std::uint32_t next = 0;
  for (unsigned length = 1; length <= kHuffmanLengthMax; ++length) {
    next <<= 1;
    for (std::size_t symbol = 0; symbol < kHuffmanSymbols; ++symbol) {
      if (lengths[symbol] != length) continue;
      std::uint32_t turned = 0;
      for (unsigned i = 0; i < length; ++i) turned |= ((next >> i) & 1) << (length - 1 - i);
      ++next;
      table.codes[symbol] = {.bits = static_cast<std::uint8_t>(turned),
                             .length = static_cast<std::uint8_t>(length)};
      for (std::uint32_t index = turned; index < table.symbols.size(); index += 1U << length) {
        table.symbols[index] = static_cast<std::uint8_t>(symbol);
      }
    }
  }
  return true;
}

bool HuffmanTables::set_default(const HuffmanLengths& lengths) { return make(lengths, tables_[0]); }

bool HuffmanTables::set(std::uint16_t context, const HuffmanLengths& lengths) {
  Table table;
  if (!make(lengths, table)) return false;
  if (context >= index_.size()) index_.resize(std::size_t{context} + 1);
  if (index_[context] == 0) {
    index_[context] = static_cast<std::uint16_t>(tables_.size());
    tables_.emplace_back();
  }
  tables_[index_[context]] = table;
  return true;
}

std::vector<std::uint16_t> HuffmanTables::contexts() const {
  std::vector<std::uint16_t> found;
  for (std::size_t context = 0; context < index_.size(); ++context) {
    if (index_[context] != 0) found.push_back(static_cast<std::uint16_t>(context));
  }
  return found;
}

/// The package-merge algorithm by Larmore and Hirschberg. At every level, the symbols and the pairs
/// of the level below are combined in pairs, and the pair with the lowest count comes first. The
/// length of a symbol's code is the number of times that the symbol was used.
HuffmanLengths best_lengths(const HuffmanCounts& counts) {
  std::vector<Package> symbols(kHuffmanSymbols);
  for (std::size_t i = 0; i < kHuffmanSymbols; ++i) {
    symbols[i].weight = std::max<std::uint64_t>(counts[i], 1);
    symbols[i].depth[i] = 1;
  }
  const auto is_lighter = [](const Package& a, const Package& b) { return a.weight < b.weight; };
  std::stable_sort(symbols.begin(), symbols.end(), is_lighter);
  std::vector<Package> row = symbols;
  for (unsigned level = 1; level < kHuffmanLengthMax; ++level) {
    std::vector<Package> next = symbols;
    for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
      Package both = row[i];
      both.weight += row[i + 1].weight;
      for (std::size_t k = 0; k < kHuffmanSymbols; ++k) {
        both.depth[k] = static_cast<std::uint8_t>(both.depth[k] + row[i + 1].depth[k]);
      }
      next.push_back(both);
    }
    std::stable_sort(next.begin(), next.end(), is_lighter);
    row = std::move(next);
  }
  HuffmanLengths lengths{};
  for (std::size_t i = 0; i < 2 * (kHuffmanSymbols - 1); ++i) {
    for (std::size_t k = 0; k < kHuffmanSymbols; ++k) {
      lengths[k] = static_cast<std::uint8_t>(lengths[k] + row[i].depth[k]);
    }
  }
  return lengths;
}

std::vector<std::byte> encode_huffman(const HuffmanTables& tables) {
  std::vector<std::byte> bytes;
  const auto put = [&](std::uint32_t byte) { bytes.push_back(static_cast<std::byte>(byte)); };
  const auto put_lengths = [&](const HuffmanLengths& lengths) {
    put(kHuffmanSymbols);
    for (const std::uint8_t length : lengths) put(length);
  };
  const auto put_u16 = [&](std::size_t value) {
    put(static_cast<std::uint32_t>(value & 0xFF));
    put(static_cast<std::uint32_t>(value >> 8));
  };
  put_lengths(tables.lengths(UINT32_MAX));
  const std::vector<std::uint16_t> contexts = tables.contexts();
  put_u16(contexts.size());
  for (const std::uint16_t context : contexts) {
    put_u16(context);
    put_lengths(tables.lengths(context));
  }
  return bytes;
}

bool decode_huffman(std::span<const std::byte> bytes, HuffmanTables& tables) {
  ByteReader reader(bytes);
  const auto read_lengths = [&](HuffmanLengths& lengths) {
    if (reader.u8() != kHuffmanSymbols) return false;
    for (std::uint8_t& length : lengths) length = static_cast<std::uint8_t>(reader.u8());
    return !reader.failed();
  };
  HuffmanTables read;
  HuffmanLengths lengths{};
  if (!read_lengths(lengths) || !read.set_default(lengths)) return false;
  const std::uint32_t count = reader.u16();
  std::int32_t last = -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto context = static_cast<std::uint16_t>(reader.u16());
    if (reader.failed() || context <= last || !read_lengths(lengths)) return false;
    if (!read.set(context, lengths)) return false;
    last = context;
  }
  if (reader.failed() || reader.remaining() != 0) return false;
  tables = std::move(read);
  return true;
}

}  // namespace muster
