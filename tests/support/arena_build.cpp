#include "tests/support/arena_build.h"

#include <stdexcept>

#include "bundler/report/build_report.h"
#include "tests/support/memory_copy.h"
#include "tests/support/temporary_folder.h"

namespace muster::testing {
namespace {

template <typename T>
T demand(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace

std::vector<ComponentDescription> components_of(const Project& project) {
  if (!project.config().components) return {};
  ByteVector buffer;
  const Bytes bytes =
      demand(read_whole(project.files(), *project.config().components, 1ULL << 30, buffer));
  return demand(components_from_json(as_text(bytes)));
}

MemoryFileSystem build_to_memory(const FileSystem& project, const BuildOptions& options) {
  const TemporaryFolder folder;
  const auto opened = demand(Project::open(project, options.jobs, {}));
  const auto components = components_of(*opened);
  {
    OutputFolder output = demand(OutputFolder::open_for_build(folder.path()));
    SilentReporter reporter;
    const ManualClock clock;
    std::vector<TargetBuild> builds;
    for (const Target target : {Target::client, Target::server}) {
      if (!options.targets.has(target)) continue;
      std::vector<CookProblem> problems;
      builds.push_back(demand(build_target(*opened, target, components, options,
                                           {output, reporter, clock, {}}, problems)));
    }
    const std::string report = build_report_json(*opened, builds, options, "test", "{}");
    demand(output.stage(AssetPath().child(OutputFolder::kReportName), as_bytes(report)));
    demand(output.publish());
  }
  MemoryFileSystem files = copy_to_memory(folder.path());
  // The lock file stays; it is no part of the output.
  std::vector<AssetPath> hidden;
  for (const auto& [path, bytes] : files.files()) {
    if (path.text().starts_with('.')) hidden.push_back(path);
  }
  for (const AssetPath& path : hidden) demand(files.remove(path));
  return files;
}

}  // namespace muster::testing
