// Hears of divergences.
#pragma once

#include <vector>

#include "net/replication/replication_messages.h"

namespace muster {

class DivergenceList final : public DivergenceLog {
 public:
  void diverged(const Divergence& divergence) override { all.push_back(divergence); }
  void left_out(const UnfitEntity& entity) override { left_out_entities.push_back(entity); }
  std::vector<Divergence> all;
  std::vector<UnfitEntity> left_out_entities;
};

}  // namespace muster
