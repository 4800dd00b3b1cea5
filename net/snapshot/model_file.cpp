// Reader and writer share the class `ModelCode`, so both use the same order of fields. The class
// iterates over a model and codes each number with adaptive probabilities. The result has a tenth
// of the size that fields with fixed widths would have, so no compressor is needed.
#include "net/snapshot/model_file.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>

#include <sodium.h>

#include "net/snapshot/mix.h"
#include "net/snapshot/plain/huffman.h"
#include "net/snapshot/probability_scale.h"
#include "net/snapshot/slots.h"

namespace muster {
namespace {

constexpr std::array<std::byte, 4> kModelMagic = {std::byte{'M'}, std::byte{'S'}, std::byte{'M'},
                                                  std::byte{'2'}};
/// The size of the Huffman tables of all possible contexts.
constexpr std::size_t kMaxHuffmanBytes = 19 + 65'536 * 19;

/// The subject of a number in the file: numbers of one subject share their probabilities.
enum class Subject : std::uint8_t {
  count,
  letter,
  lane,
  range,
  order,
  partner,
  initial_value,
  weight,                     // One subject for each feature.
  size_weight = weight + 24,  // One subject for each input of the size estimate.
  pool = size_weight + 19,
  slot,
  huffman,
  correction,  // One subject for each context.
  correction_end = correction + 11,
  end,
};
static_assert(kMaxFeatures == 24 && kSizeFeatures == 19 && kMixContexts == 12);

/// An adaptive probability.
class Adaptive {
 public:
  BitProbability probability() const { return value_; }
  void learn(bool bit) {
    constexpr int kRate = 5;
    if (bit) {
      value_ = static_cast<BitProbability>(value_ + ((65535 - value_) >> kRate));
    } else {
      value_ = static_cast<BitProbability>(value_ - (value_ >> kRate));
    }
    value_ = std::clamp<BitProbability>(value_, 64, 65472);
  }

 private:
  BitProbability value_ = 1U << 15;
};

struct SubjectState {
  Adaptive is_zero;
  Adaptive is_negative;
  std::array<Adaptive, 33> lengths;
  std::array<std::array<Adaptive, 8>, 33> low;
};

class FileEncoder {
 public:
  static constexpr bool kDecodes = false;
  explicit FileEncoder(std::span<std::byte> out) : range_(out) {}
  bool bit(Adaptive& adaptive, bool value) {
    range_.encode(value, adaptive.probability());
    adaptive.learn(value);
    return value;
  }
  RangeEncoder& range() { return range_; }
  bool failed() const { return range_.overflowed(); }

 private:
  RangeEncoder range_;
};

class FileDecoder {
 public:
  static constexpr bool kDecodes = true;
  explicit FileDecoder(std::span<const std::byte> bytes) : range_(bytes) {}
  bool bit(Adaptive& adaptive, bool /*value*/) {
    const bool value = range_.decode(adaptive.probability());
    adaptive.learn(value);
    return value;
  }
  RangeDecoder& range() { return range_; }
  bool failed() const { return range_.failed(); }

 private:
  RangeDecoder range_;
};

/// Iterates over a model.
template <typename Coder>
class ModelCode {
 public:
  ModelCode(Coder& coder, SnapshotModel& model) : coder_(coder), model_(model) {}

  /// Returns false when a decoder reads an impossible value.
  bool code() {
    std::size_t types = model_.types.size();
    if (!code_count(types, kMaxModelTypes)) return false;
    model_.types.resize(types);
    std::uint64_t slots = slots::kPerSnapshot;
    for (TypeModel& type : model_.types) {
      if (!code_schema(type.schema)) return false;
      slots += slots::kPerEntity;
      for (const LaneSchema& lane : type.schema.lanes) slots += slot_count(lane);
      if (slots > kMaxModelSlots) return false;
      if (!code_lanes(type)) return false;
    }
    if (Coder::kDecodes) {
      if (find_fault(model_) != nullptr) return false;
      lay_out(model_);
    }
    return code_probabilities() && code_tables() && code_mix();
  }

 private:
  static constexpr bool kDecodes = Coder::kDecodes;

  std::int64_t number(Subject subject, std::size_t offset, std::int64_t value) {
    SubjectState& state = states_[static_cast<std::size_t>(subject) + offset];
    if (coder_.bit(state.is_zero, value == 0)) return 0;
    const bool is_negative = coder_.bit(state.is_negative, value < 0);
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    unsigned length = 1;
    const auto whole = static_cast<unsigned>(std::bit_width(magnitude));
    while (length < 33 && coder_.bit(state.lengths[length - 1], whole > length)) ++length;
    std::uint64_t result = 1;
    for (unsigned i = length - 1; i-- > 0;) {
      Adaptive even;
      Adaptive& bit = length - 1 - i <= 3 ? state.low[length - 1][result & 7] : even;
      result = result * 2 + (coder_.bit(bit, ((magnitude >> i) & 1) != 0) ? 1 : 0);
    }
    const auto number = static_cast<std::int64_t>(result);
    return is_negative ? -number : number;
  }

  /// Codes a number that is stored in a variable of any type. Returns false if the number is out of
  /// range.
  template <typename T>
  bool code_number(Subject subject, T& field, std::int64_t minimum, std::int64_t maximum,
                   std::size_t offset = 0) {
    const std::int64_t value = number(subject, offset, static_cast<std::int64_t>(field));
    if (value < minimum || value > maximum || coder_.failed()) return false;
    if (kDecodes) field = static_cast<T>(value);
    return true;
  }
  bool code_count(std::size_t& count, std::size_t maximum) {
    return code_number(Subject::count, count, 0, static_cast<std::int64_t>(maximum));
  }

  bool code_name(std::string& name) {
    std::size_t size = name.size();
    if (!code_count(size, kMaxModelNameBytes)) return false;
    name.resize(size);
    return std::all_of(name.begin(), name.end(), [&](char& letter) {
      auto byte = static_cast<unsigned char>(letter);
      const bool is_fine = code_number(Subject::letter, byte, 0, 255);
      letter = static_cast<char>(byte);
      return is_fine;
    });
  }

  bool code_schema(EntitySchema& schema) {
    std::size_t lanes = schema.lanes.size();
    if (!code_name(schema.name) || !code_count(lanes, kMaxLanes)) return false;
    schema.lanes.resize(lanes);
    return std::all_of(schema.lanes.begin(), schema.lanes.end(), [&](LaneSchema& lane) {
      return code_name(lane.name) && code_number(Subject::lane, lane.kind, 0, 6) &&
             code_number(Subject::range, lane.maximum, 0, UINT32_MAX) &&
             code_number(Subject::range, lane.period, 0, UINT32_MAX) &&
             code_number(Subject::lane, lane.is_of_vector, 0, 1) &&
             code_number(Subject::lane, lane.receivers, 0, 2);
    });
  }

  bool code_lanes(TypeModel& type) {
    const std::size_t count = type.schema.lanes.size();
    type.order.resize(count);
    type.lanes.resize(count);
    const auto maximum = static_cast<std::int64_t>(count) - 1;
    // In most models each lane follows the lane before it.
    std::int64_t before = -1;
    for (std::uint16_t& lane : type.order) {
      std::int64_t step = lane - before;
      if (!code_number(Subject::order, step, -maximum - 1, maximum + 1)) return false;
      if (before + step < 0 || before + step > maximum) return false;
      before += step;
      lane = static_cast<std::uint16_t>(before);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!code_lane(type.lanes[i], type.schema.lanes[i], maximum)) return false;
    }
    return true;
  }

  bool code_lane(LaneModel& lane, const LaneSchema& schema, std::int64_t last_lane) {
    if (!code_number(Subject::initial_value, lane.initial_value, 0, schema.maximum)) return false;
    if (!code_number(Subject::count, lane.change_partner_count, 0, kMaxChangePartners))
      return false;
    for (std::size_t i = 0; i < lane.change_partner_count; ++i) {
      if (!code_number(Subject::partner, lane.change_partners[i], 0, last_lane)) return false;
    }
    if (slot_count(schema) != slots::kPerNumber) return true;
    if (!code_number(Subject::count, lane.partner_count, 0, kMaxPartners)) return false;
    for (std::size_t i = 0; i < lane.partner_count; ++i) {
      Partner& partner = lane.partners[i];
      if (!code_number(Subject::partner, partner.kind, 0, 2) ||
          !code_number(Subject::partner, partner.lane, 0, last_lane) ||
          !code_number(Subject::partner, partner.angle, 0, last_lane)) {
        return false;
      }
    }
    const std::size_t features = kOwnFeatures + lane.partner_count * kFeaturesPerPartner;
    for (FeatureWeights& weights : lane.weights) {
      for (std::size_t f = 0; f < features; ++f) {
        if (!code_number(Subject::weight, weights[f], -kWeightMax, kWeightMax, f)) return false;
      }
    }
    for (std::size_t f = 0; f < kSizeFeatures; ++f) {
      if (!code_number(Subject::size_weight, lane.size_weights[f], -kSizeWeightMax, kSizeWeightMax,
                       f)) {
        return false;
      }
    }
    return true;
  }

  /// First codes the most common probability steps of each kind of lane. Then codes, for each lane,
  /// only the differences from these steps.
  bool code_probabilities() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> slot_blocks;  // By slot count.
    for (const TypeModel& type : model_.types) {
      slot_blocks[slots::kPerEntity].push_back(type.first_slot);
      for (std::size_t i = 0; i < type.lanes.size(); ++i) {
        slot_blocks[slot_count(type.schema.lanes[i])].push_back(type.lanes[i].first_slot);
      }
    }
    return std::all_of(slot_blocks.begin(), slot_blocks.end(), [&](const auto& block) {
      for (std::uint32_t slot = 0; slot < block.first; ++slot) {
        if (!code_slot(block.second, slot)) return false;
      }
      return true;
    });
  }

  bool code_slot(const std::vector<std::uint32_t>& firsts, std::uint32_t slot) {
    std::int64_t common = kDecodes ? 0 : commonest_step(firsts, slot);
    common -= kEvenOdds;
    if (!code_number(Subject::pool, common, -128, 127)) return false;
    common += kEvenOdds;
    for (const std::uint32_t first : firsts) {
      BitProbability& probability = model_.probabilities[first + slot];
      std::int64_t off = kDecodes ? 0 : std::int64_t{step_of(probability)} - common;
      if (!code_number(Subject::slot, off, -common, 255 - common)) return false;
      probability = kProbabilityOfStep[static_cast<std::size_t>(common + off)];
    }
    return true;
  }

  /// The Huffman tables, as the bytes of `encode_huffman`.
  bool code_tables() {
    std::vector<std::byte> bytes;
    if (!kDecodes) bytes = encode_huffman(model_.huffman);
    std::size_t size = bytes.size();
    if (!code_count(size, kMaxHuffmanBytes)) return false;
    bytes.resize(size);
    for (std::byte& byte : bytes) {
      auto value = std::to_integer<std::uint8_t>(byte);
      if (!code_number(Subject::huffman, value, 0, 255)) return false;
      byte = static_cast<std::byte>(value);
    }
    return !kDecodes || decode_huffman(bytes, model_.huffman);
  }

  /// The corrections of the mixing coder, if there are any.
  bool code_mix() {
    std::size_t tables = model_.mix.empty() ? 0 : 1;
    if (!code_count(tables, 1)) return false;
    if (tables == 0) return true;
    model_.mix.resize(kMixContexts * kMixTableSize);
    for (std::size_t i = 0; i < model_.mix.size(); ++i) {
      if (!code_number(Subject::correction, model_.mix[i], -127, 127, i / kMixTableSize)) {
        return false;
      }
    }
    return true;
  }

  std::uint8_t commonest_step(const std::vector<std::uint32_t>& firsts, std::uint32_t slot) const {
    std::array<std::uint32_t, 256> seen{};
    for (const std::uint32_t first : firsts) ++seen[step_of(model_.probabilities[first + slot])];
    return static_cast<std::uint8_t>(std::max_element(seen.begin(), seen.end()) - seen.begin());
  }

  Coder& coder_;
  SnapshotModel& model_;
  std::array<SubjectState, static_cast<std::size_t>(Subject::end)> states_;
};

}  // namespace

std::vector<std::byte> encode_model(const SnapshotModel& model) {
  SnapshotModel copy = model;
  std::vector<std::byte> bytes(4096);
  while (true) {
    std::copy(kModelMagic.begin(), kModelMagic.end(), bytes.begin());
    FileEncoder encoder(std::span<std::byte>(bytes).subspan(kModelMagic.size()));
    ModelCode<FileEncoder> code(encoder, copy);
    const bool is_coded = code.code();
    assert(is_coded || encoder.failed());  // A model that exceeds the limits cannot be coded.
    if (is_coded && !encoder.failed()) {
      const std::size_t size = kModelMagic.size() + encoder.range().finish().size();
      if (!encoder.failed()) {
        bytes.resize(size);
        return bytes;
      }
    }
    bytes.resize(bytes.size() * 2);
  }
}

bool decode_model(std::span<const std::byte> bytes, SnapshotModel& model, std::string& error) {
  if (bytes.size() < kModelMagic.size() ||
      !std::equal(kModelMagic.begin(), kModelMagic.end(), bytes.begin())) {
    error = "not a snapshot model, or one of another version: train it again with this version";
    return false;
  }
  SnapshotModel decoded;
  FileDecoder decoder(bytes.subspan(kModelMagic.size()));
  ModelCode<FileDecoder> code(decoder, decoded);
  if (!code.code() || !decoder.range().is_finished()) {
    error = "a damaged snapshot model: train it again, or restore the file";
    return false;
  }
  model = std::move(decoded);
  return true;
}

ModelHash hash_model(std::span<const std::byte> bytes) {
  ModelHash hash{};
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return hash;
}

}  // namespace muster
