#include "tests/support/arena_build.h"

#include <stdexcept>

#include "bundler/build/build_report.h"

namespace muster::testing {
namespace {

template <typename T>
T demand(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace

std::vector<ComponentDescription> components_of(const Project& project) {
  return demand(load_components(project.files(), project.config()));
}

std::vector<VariantWish> defaults_of(const FileReader& project) {
  const ProjectConfig config = demand(load_config(project));
  std::vector<VariantWish> wishes;
  for (const VariantAxis& axis : config.axes) {
    wishes.push_back({axis.name, axis.values[axis.default_value.value_or(0)]});
  }
  return wishes;
}

Result<void> build_into(FileSystem& files, const Project& project, const BuildOptions& options) {
  const auto components = components_of(project);
  auto output = OutputFolder::open_for_build(files);
  if (!output) return fail(output.error());
  StagedBundles bundles(output.value());
  SilentReporter reporter;
  const ManualClock clock;
  std::vector<TargetBuild> builds;
  for (const Target target : {Target::client, Target::server}) {
    if (!options.targets.has(target)) continue;
    std::vector<CookProblem> problems;
    auto built = build_target(project, target, components, options, {bundles, reporter, clock, {}},
                              problems);
    if (!built) return fail(built.error());
    builds.push_back(std::move(built).value());
  }
  const std::string report = build_report_json(project, builds, options, "test", "{}");
  const AssetPath name = AssetPath().child(OutputFolder::kReportName);
  if (auto staged = output.value().stage(name, as_bytes(report)); !staged) return staged;
  return output.value().publish();
}

MemoryFileSystem build_to_memory(const FileReader& project, const BuildOptions& options) {
  std::vector<VariantWish> wishes;
  if (options.layout == Layout::self_contained) wishes = defaults_of(project);
  const auto opened = demand(Project::open(project, options.jobs, {}, {}, wishes));
  MemoryFileSystem files;
  demand(build_into(files, *opened, options));
  return files;
}

}  // namespace muster::testing
