#include "net/tools/training/huffman_training.h"

#include <map>

#include "net/snapshot/plain/plain_code.h"
#include "net/tools/training/code_sample.h"

namespace muster {
namespace {

/// A context with fewer symbols gets no code lengths.
constexpr std::uint64_t kSymbolsMin = 32;

class SymbolCounter {
 public:
  static constexpr bool kDecodes = false;
  explicit SymbolCounter(bool predicts) : predicts_(predicts) {}
  bool bit(std::uint32_t /*slot*/, bool value) { return value; }
  bool even_bit(bool value) { return value; }
  std::uint32_t bits(std::uint32_t value, unsigned /*count*/) { return value; }
  std::uint32_t symbol(std::uint32_t context, std::uint32_t symbol) {
    ++counts_[context][symbol];
    return symbol;
  }
  bool has_codes() const { return true; }
  bool predicts() const { return predicts_; }
  const std::map<std::uint32_t, HuffmanCounts>& counts() const { return counts_; }

 private:
  bool predicts_;
  std::map<std::uint32_t, HuffmanCounts> counts_;
};

}  // namespace

void train_huffman(SnapshotModel& model, std::span<const TrainingTrace> traces) {
  // The two coders predict values differently, so they have different symbols. The code lengths are
  // trained for the coder that predicts better.
  SymbolCounter counter(true);
  std::vector<LaneValue> values;
  for (const TrainingTrace& trace : traces) {
    for (const StateSample& sample : trace.samples) {
      const TypeModel& type = model.types[codec_index(sample.entity->type)];
      if (sample.known.count > 0 && !is_changed(type, sample)) continue;
      values.assign(sample.entity->values, sample.entity->values + type.lanes.size());
      code_plainly(counter, type, sample.known, values);
    }
  }
  for (const auto& [context, counts] : counter.counts()) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) all += count;
    if (all < kSymbolsMin || context > UINT16_MAX) continue;
    if (!model.huffman.set(static_cast<std::uint16_t>(context), best_lengths(counts))) return;
  }
}

}  // namespace muster
