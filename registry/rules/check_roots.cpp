// Checks the lists of the client's and the server's roots.
#include <algorithm>
#include <map>

#include "registry/rules/validate.h"

namespace muster {
namespace {

bool has_root(const Project& project, Target target) {
  return std::ranges::find(project.model().roots, target, &RegistryRoot::target) !=
         project.model().roots.end();
}

// Whether an unreadable file may be the missing root.
bool may_hide_root(const Project& project) {
  return std::ranges::any_of(project.model().problems, [](const ModelProblem& problem) {
    using enum ModelProblem::Kind;
    return problem.kind == unreadable || problem.kind == textless || problem.kind == malformed_flag;
  });
}

}  // namespace

void check_roots(const Project& project, TargetSet targets, Findings& findings) {
  for (const RegistryRoot& root : project.model().roots) {
    if (!targets.has(root.target)) continue;
    std::map<Guid, const RegistryRoot::Item*> listed;
    for (const RegistryRoot::Item& item : root.items) {
      if (item.is_null) {
        findings.add("null-registry", item.location, "this slot of the root is empty")
            .blocks_build = true;
        continue;
      }
      const auto [first, fresh] = listed.emplace(item.guid, &item);
      if (!fresh && !item.is_misplaced) {
        findings.add("repeated-registry", item.location, "this root lists this registry already")
            .related.push_back({first->second->location, "listed here first"});
      }
      if (item.asset == kNoAsset && !project.is_known_elsewhere(item.guid)) {
        Finding& finding = findings.add(
            "unresolved-reference", item.location,
            "the root lists " + item.guid.to_string() + ", which no asset of the project has");
        finding.severity = Severity::error;
        finding.blocks_build = true;
      }
    }
  }
  if (project.model().roots.empty()) return;
  for (const Registry& registry : project.model().registries) {
    if (!registry.targets.empty()) continue;
    findings.add("unlisted-registry", {project.index().at(registry.asset).path, {}},
                 "no root lists this " + registry.declaration->name);
  }
  if (may_hide_root(project)) return;
  for (const Target target : {Target::client, Target::server}) {
    if (!targets.has(target) || has_root(project, target)) continue;
    findings.add(
        "target-without-root", {project.index().at(project.model().roots.front().asset).path, {}},
        target == Target::client ? "no root is for the client" : "no root is for the server");
  }
}

}  // namespace muster
