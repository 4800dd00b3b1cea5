// Records reports of divergences.
#pragma once

#include <string>
#include <vector>

#include "net/replication/divergence_log.h"

namespace muster {

class DivergenceList final : public DivergenceLog {
 public:
  void diverged(const Divergence& divergence) override { all.push_back(divergence); }
  void left_out(const UnfitEntity& entity) override { left_out_entities.push_back(entity); }
  void clamped(const ClampedValue& value) override {
    clamped_fields.emplace_back(value.field);
    clamped_values.push_back(value);
    clamped_values.back().field = {};  // The name is valid only during the call.
  }
  std::vector<Divergence> all;
  std::vector<std::string> clamped_fields;
  std::vector<ClampedValue> clamped_values;
  std::vector<UnfitEntity> left_out_entities;
};

}  // namespace muster
