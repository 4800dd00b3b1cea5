// Opens and prepares a whole Unity project in memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include <catch2/catch.hpp>

#include "registry/model/prepare.h"
#include "registry/model/type_ids.h"
#include "tests/support/unity_project.h"

namespace muster::testing {

/// Opens a project on one thread. Fails the test on an error.
inline std::unique_ptr<Project> open(const UnityProject& project) {
  auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  return std::move(opened).value();
}

/// Prepares a project. Fails the test on an error, or if work remains.
inline void prepare(UnityProject& project) {
  const auto before = open(project);
  const auto plan = plan_prepare(*before);
  REQUIRE(plan.has_value());
  REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  const auto after = open(project);
  const auto again = plan_prepare(*after);
  REQUIRE(again.has_value());
  CHECK(again.value().writes.empty());
}

/// The type ids of all registered assets, in any registry.
inline std::map<Guid, std::uint32_t> type_ids_of(const UnityProject& project) {
  const auto opened = open(project);
  std::map<Guid, std::uint32_t> ids;
  for (const Registry& registry : opened->model().registries) {
    for (const RegistryEntry& entry : registry.entries) {
      if (!entry.is_free) ids.emplace(identity_of(entry), entry.type_id.value());
    }
  }
  return ids;
}

}  // namespace muster::testing
