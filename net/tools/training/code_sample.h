// Codes a sample as the snapshot coder does.
#pragma once

#include <algorithm>
#include <vector>

#include "net/snapshot/entity_code.h"
#include "net/tools/training/samples.h"

namespace muster {

inline bool is_changed(const TypeModel& type, const StateSample& sample) {
  return !std::equal(sample.entity->values, sample.entity->values + type.lanes.size(),
                     sample.known.values[0]);
}

/// Passes every decision of a sample to a coder. `scratch` and `values` are scratch memory.
template <typename Coder>
void code_sample(Coder& coder, const SnapshotModel& model, const StateSample& sample,
                 EntityScratch& scratch, std::vector<LaneValue>& values) {
  const TypeModel& type = model.types[codec_index(sample.entity->type)];
  values.assign(sample.entity->values, sample.entity->values + type.lanes.size());
  EntityCode<Coder> code(coder, type, scratch);
  if (sample.known.count == 0) {
    code.code_new(values);
    return;
  }
  if (!sample.is_separate) return;
  const bool changed = is_changed(type, sample);
  code_changed(coder, type, sample.known, sample.follows_changed, changed);
  if (changed) code.code_update(sample.known, values);
}

}  // namespace muster
