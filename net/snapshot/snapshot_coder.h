// Five coders that convert decisions to bytes and back. The code that iterates over a snapshot is
// compiled for each class of this file. See SNAPSHOT_FORMAT.md, "Decisions".
#pragma once

#include <cstdint>
#include <span>

#include "net/snapshot/bit_meter.h"
#include "net/snapshot/entity_code.h"
#include "net/snapshot/plain/plain_code.h"
#include "net/snapshot/slots.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/wire/bit_stream.h"
#include "net/wire/range_coder.h"

namespace muster {

/// Writes decisions, each with one known probability.
class RangeWriter {
 public:
  static constexpr bool kDecodes = false;
  RangeWriter(const SnapshotModel& model, const SnapshotOptions& /*options*/,
              std::span<std::byte> out, std::size_t limit)
      : range_(out), probabilities_(model.probabilities.data()), limit_(limit) {}

  bool bit(std::uint32_t slot, bool value) {
    range_.encode(value, probabilities_[slot]);
    return value;
  }
  bool even_bit(bool value) {
    range_.encode(value, BitProbability{1U << 15});
    return value;
  }
  bool bit_of(std::uint32_t /*slot*/, BitProbability probability, bool value) {
    range_.encode(value, probability);
    return value;
  }
  bool is_full() const { return range_.overflowed() || range_.byte_count() > limit_; }
  /// The information of the decisions so far, in bits.
  double bit_count() const { return range_.bit_count(); }
  bool overflowed() const { return range_.overflowed(); }
  std::span<const std::byte> finish() { return range_.finish(); }

 protected:
  RangeEncoder range_;
  const BitProbability* probabilities_;

 private:
  std::size_t limit_;
};

class RangeReader {
 public:
  static constexpr bool kDecodes = true;
  RangeReader(const SnapshotModel& model, const SnapshotOptions& /*options*/,
              std::span<const std::byte> bytes)
      : range_(bytes), probabilities_(model.probabilities.data()) {}

  bool bit(std::uint32_t slot, bool /*value*/) { return range_.decode(probabilities_[slot]); }
  bool even_bit(bool /*value*/) { return range_.decode(BitProbability{1U << 15}); }
  bool bit_of(std::uint32_t /*slot*/, BitProbability probability, bool /*value*/) {
    return range_.decode(probability);
  }
  bool failed() const { return range_.failed(); }
  bool is_finished() const { return range_.is_finished(); }

 protected:
  RangeDecoder range_;
  const BitProbability* probabilities_;
};

inline const std::int8_t* mix_tables(const SnapshotModel& model) {
  return model.mix.empty() ? no_corrections() : model.mix.data();
}

/// A `RangeWriter` that corrects each probability by the tables of several contexts.
class MixWriter : public RangeWriter {
 public:
  MixWriter(const SnapshotModel& model, const SnapshotOptions& options, std::span<std::byte> out,
            std::size_t limit)
      : RangeWriter(model, options, out, limit), tables_(mix_tables(model)) {}
  void see_in(const MixContexts& contexts) { contexts_ = contexts; }
  bool bit_in(std::uint32_t slot, std::uint32_t node, bool value) {
    range_.encode(value, mixed(tables_, probabilities_[slot], contexts_, node));
    return value;
  }

 private:
  const std::int8_t* tables_;
  MixContexts contexts_{};
};

class MixReader : public RangeReader {
 public:
  MixReader(const SnapshotModel& model, const SnapshotOptions& options,
            std::span<const std::byte> bytes)
      : RangeReader(model, options, bytes), tables_(mix_tables(model)) {}
  void see_in(const MixContexts& contexts) { contexts_ = contexts; }
  bool bit_in(std::uint32_t slot, std::uint32_t node, bool /*value*/) {
    return range_.decode(mixed(tables_, probabilities_[slot], contexts_, node));
  }

 protected:
  const std::int8_t* tables_;
  MixContexts contexts_{};
};

/// The readers of the coders `range` and `mix` that also count bits, for inspection tools.
class MeteredRangeReader : public RangeReader {
 public:
  MeteredRangeReader(const SnapshotModel& model, const SnapshotOptions& options,
                     std::span<const std::byte> bytes)
      : RangeReader(model, options, bytes), meter_(*options.meter) {}
  bool bit(std::uint32_t slot, bool value) {
    const bool read = RangeReader::bit(slot, value);
    meter_.add(slot, probabilities_[slot], read);
    return read;
  }
  bool even_bit(bool value) {
    meter_.add_even();
    return RangeReader::even_bit(value);
  }
  bool bit_of(std::uint32_t slot, BitProbability probability, bool value) {
    const bool read = RangeReader::bit_of(slot, probability, value);
    meter_.add(slot, probability, read);
    return read;
  }

 private:
  BitMeter& meter_;
};

class MeteredMixReader : public MixReader {
 public:
  MeteredMixReader(const SnapshotModel& model, const SnapshotOptions& options,
                   std::span<const std::byte> bytes)
      : MixReader(model, options, bytes), meter_(*options.meter) {}
  bool bit(std::uint32_t slot, bool value) {
    const bool read = MixReader::bit(slot, value);
    meter_.add(slot, probabilities_[slot], read);
    return read;
  }
  bool bit_in(std::uint32_t slot, std::uint32_t node, bool /*value*/) {
    const BitProbability probability = mixed(tables_, probabilities_[slot], contexts_, node);
    const bool read = range_.decode(probability);
    meter_.add(slot, probability, read);
    return read;
  }
  bool even_bit(bool value) {
    meter_.add_even();
    return MixReader::even_bit(value);
  }
  bool bit_of(std::uint32_t slot, BitProbability probability, bool value) {
    const bool read = MixReader::bit_of(slot, probability, value);
    meter_.add(slot, probability, read);
    return read;
  }

 private:
  BitMeter& meter_;
};

/// Writes plain bits for `raw`, and numbers in Huffman codes for `huffman` and `reference`.
class PlainWriter {
 public:
  static constexpr bool kDecodes = false;
  PlainWriter(const SnapshotModel& model, const SnapshotOptions& options, std::span<std::byte> out,
              std::size_t limit)
      : bits_(out),
        huffman_(options.coder == SnapshotCoder::raw ? nullptr : &model.huffman),
        predicts_(options.coder == SnapshotCoder::reference),
        limit_(limit) {}

  bool bit(std::uint32_t /*slot*/, bool value) { return even_bit(value); }
  bool even_bit(bool value) {
    bits_.write_flag(value);
    return value;
  }
  bool bit_of(std::uint32_t /*slot*/, BitProbability /*probability*/, bool value) {
    return even_bit(value);
  }
  std::uint32_t bits(std::uint32_t value, unsigned count) {
    if (count > 0) bits_.write(value, count);
    return value;
  }
  std::uint32_t symbol(std::uint32_t context, std::uint32_t symbol) {
    const HuffmanCode code = huffman_->code(context, symbol);
    bits_.write(code.bits, code.length);
    return symbol;
  }
  bool has_codes() const { return huffman_ != nullptr; }
  bool predicts() const { return predicts_; }

  bool is_full() const { return overflowed() || bits_.bit_count() > 8 * limit_; }
  double bit_count() const { return static_cast<double>(bits_.bit_count()); }
  bool overflowed() const { return bits_.overflowed(); }
  std::span<const std::byte> finish() {
    if (overflowed()) return {};
    return bits_.finish();
  }

 private:
  BitWriter bits_;
  const HuffmanTables* huffman_;
  bool predicts_;
  std::size_t limit_;
};

class PlainReader {
 public:
  static constexpr bool kDecodes = true;
  PlainReader(const SnapshotModel& model, const SnapshotOptions& options,
              std::span<const std::byte> bytes)
      : bits_(bytes),
        huffman_(options.coder == SnapshotCoder::raw ? nullptr : &model.huffman),
        predicts_(options.coder == SnapshotCoder::reference) {}

  bool bit(std::uint32_t /*slot*/, bool value) { return even_bit(value); }
  bool even_bit(bool /*value*/) { return bits_.read_flag(); }
  bool bit_of(std::uint32_t /*slot*/, BitProbability /*probability*/, bool /*value*/) {
    return bits_.read_flag();
  }
  std::uint32_t bits(std::uint32_t /*value*/, unsigned count) {
    return count > 0 ? bits_.read(count) : 0;
  }
  std::uint32_t symbol(std::uint32_t context, std::uint32_t /*symbol*/) {
    // Reads one bit at a time, because the last code of a datagram may be shorter than the longest
    // code.
    std::uint32_t read = 0;
    for (unsigned length = 1; length <= kHuffmanLengthMax; ++length) {
      read |= bits_.read(1) << (length - 1);
      const std::uint8_t found = huffman_->symbol(context, read, length);
      if (found < kHuffmanSymbols) return found;
    }
    bits_.fail();
    return 0;
  }
  bool has_codes() const { return huffman_ != nullptr; }
  bool predicts() const { return predicts_; }
  bool failed() const { return bits_.failed(); }
  bool is_finished() const { return bits_.is_finished(); }

 private:
  BitReader bits_;
  const HuffmanTables* huffman_;
  bool predicts_;
};

class MeteredPlainReader : public PlainReader {
 public:
  MeteredPlainReader(const SnapshotModel& model, const SnapshotOptions& options,
                     std::span<const std::byte> bytes)
      : PlainReader(model, options, bytes), tables_(model.huffman), meter_(*options.meter) {}
  bool bit(std::uint32_t slot, bool value) {
    meter_.go_to(slot);
    return even_bit(value);
  }
  bool even_bit(bool value) {
    meter_.add_even();
    return PlainReader::even_bit(value);
  }
  bool bit_of(std::uint32_t slot, BitProbability /*probability*/, bool value) {
    return bit(slot, value);
  }
  std::uint32_t bits(std::uint32_t value, unsigned count) {
    meter_.add_bits(count);
    return PlainReader::bits(value, count);
  }
  std::uint32_t symbol(std::uint32_t context, std::uint32_t value) {
    const std::uint32_t read = PlainReader::symbol(context, value);
    meter_.add_bits(tables_.code(context, read).length);
    return read;
  }
  void go_to(std::uint32_t slot) { meter_.go_to(slot); }

 private:
  const HuffmanTables& tables_;
  BitMeter& meter_;
};

/// Codes a new entity's state. `code_entity_update` codes a state against known states. Both return
/// false if a reader reads a value that no writer writes.
template <DecisionCoder Coder>
bool code_new_entity(Coder& coder, const TypeModel& type, EntityScratch& scratch,
                     std::span<LaneValue> values) {
  if constexpr (PlainCoder<Coder>) {
    return code_plainly(coder, type, {}, values);
  } else {
    return EntityCode<Coder>(coder, type, scratch).code_new(values);
  }
}
template <DecisionCoder Coder>
bool code_entity_update(Coder& coder, const TypeModel& type, EntityScratch& scratch,
                        const KnownStates& known, std::span<LaneValue> values) {
  if constexpr (PlainCoder<Coder>) {
    return code_plainly(coder, type, known, values);
  } else {
    return EntityCode<Coder>(coder, type, scratch).code_update(known, values);
  }
}

}  // namespace muster
