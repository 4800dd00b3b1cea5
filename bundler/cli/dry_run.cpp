#include "bundler/cli/dry_run.h"

#include <nlohmann/json.hpp>

#include "bundler/cli/edges.h"
#include "bundler/pack/output_folder.h"
#include "bundler/plan/output_names.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/rules/validate.h"

namespace muster::cli {
namespace {

std::string path_of(const Project& project, const PlannedBundle& bundle) {
  return project.index().at(bundle.prefab).path.text();
}

std::size_t shared_in(const BundlePlan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count(plan.bundles, kNoAsset, &PlannedBundle::prefab));
}

std::string plan_text(const Project& project, const BundlePlan& plan, std::string_view target) {
  std::string text;
  for (const PlannedBundle& bundle : plan.bundles) {
    if (bundle.prefab == kNoAsset) continue;
    text += std::string(target) + "  " + escaped_text(path_of(project, bundle)) + "  " +
            counted(bundle.assets.size(), "asset") + ", " +
            counted(bundle.dependencies.size(), "shared bundle") + "\n";
  }
  const std::size_t shared = shared_in(plan);
  return text + std::string(target) + ": the build would have " +
         counted(plan.bundles.size() - shared, "bundle") + " and " +
         counted(shared, "shared bundle") + "\n";
}

Json plan_json(const Project& project, const BundlePlan& plan) {
  Json bundles = Json::array();
  for (const PlannedBundle& bundle : plan.bundles) {
    if (bundle.prefab == kNoAsset) continue;
    bundles.push_back({{"prefab", path_of(project, bundle)},
                       {"assets", bundle.assets.size()},
                       {"shared_bundles", bundle.dependencies.size()}});
  }
  const std::size_t shared = shared_in(plan);
  return {{"prefab_bundles", plan.bundles.size() - shared},
          {"shared_bundles", shared},
          {"bundles", std::move(bundles)}};
}

}  // namespace

Result<void> check_dry_run(const BuildArguments& arguments) {
  if (arguments.verifies_incremental || arguments.verifies_determinism) {
    return fail(
        ErrorCode::invalid_argument,
        "'--dry-run' builds nothing, so '--verify-...' cannot check it; leave out one of them");
  }
  if (const auto size = size_from(arguments.cache_size); !size) {
    return fail(size.error().code, "--cache-size " + size.error().message);
  }
  if (const auto output = open_folder(arguments.out)) {
    if (auto usable = OutputFolder::check_usable(*output.value()); !usable) {
      return fail(usable.error().code, "'" + arguments.out + "': " + usable.error().message);
    }
  } else if (output.error().code != ErrorCode::not_found) {
    return fail(output.error());
  }
  if (arguments.previous.empty()) return {};
  const auto previous = open_folder(arguments.previous);
  return previous ? Result<void>() : fail(previous.error());
}

int print_plan(const Project& project, const BuildArguments& arguments, TargetSet targets,
               Layout layout, unsigned jobs, Session& session) {
  const bool is_json = arguments.format == "json";
  Json report{{"dry_run", true}, {"up_to_date", false}, {"targets", Json::object()}};
  std::string text;
  for (const Target target : kTargets) {
    if (!targets.has(target)) continue;
    const auto sizes = source_sizes(project, target, session.stop, jobs);
    const BundlePlan plan = plan_bundles(project, {.target = target, .layout = layout}, sizes);
    const std::string name(folder_of(target));
    if (is_json) {
      report["targets"][name] = plan_json(project, plan);
    } else {
      text += plan_text(project, plan, name);
    }
  }
  const int code = write_report(session, is_json ? json_text(report) : text, {});
  print_note(session, "nothing was written ('--dry-run')");
  return code;
}

}  // namespace muster::cli
