#include "bundler/cli/build_verification.h"

#include "bundler/build/compared_files.h"
#include "bundler/cli/edges.h"
#include "bundler/plan/output_names.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"

namespace muster::cli {
namespace {

// The seed for the order of folders in the second build. Any number except 0 is possible; 0 means
// the order of the disk.
constexpr std::uint64_t kShuffleSeed = 20;

std::vector<std::string> folders_of(TargetSet targets) {
  std::vector<std::string> folders;
  for (const Target target : {Target::client, Target::server}) {
    if (targets.has(target)) folders.emplace_back(folder_of(target));
  }
  return folders;
}

class Verification {
 public:
  Verification(const BuildArguments& arguments, const BuildWish& wish, Session& session)
      : arguments_(arguments), wish_(wish), session_(session) {}

  /// Makes a full build into `files`. `seed` determines the order of folders.
  Result<void> build_again(ComparedFiles& files, unsigned jobs, std::uint64_t seed) {
    auto folder = open_project_folder(arguments_.project);
    if (!folder) return fail(folder.error());
    const ShuffledFiles shuffled(*folder.value().files, seed);
    const FileReader& listed =
        seed == 0 ? *folder.value().files : static_cast<const FileReader&>(shuffled);
    const RecordedFiles recorded(listed, *folder.value().stamps);
    const auto project = Project::open(recorded, jobs, session_.stop, {}, wish_.variants);
    if (!project) return fail(project.error());
    const auto components = load_components(recorded, project.value()->config());
    if (!components) return fail(components.error());
    auto output = OutputFolder::open_for_build(files);
    if (!output) return fail(output.error());
    std::vector<CookProblem> problems;
    const auto built = build_project({.project = *project.value(),
                                      .components = components.value(),
                                      .options = {.targets = wish_.targets,
                                                  .layout = wish_.terms.layout,
                                                  .level = wish_.terms.level,
                                                  .jobs = jobs},
                                      .version = MUSTER_VERSION,
                                      .tool = wish_.terms.tool,
                                      .key = wish_.key,
                                      .output = output.value(),
                                      .reporter = session_.reporter,
                                      .clock = session_.clock,
                                      .stop = session_.stop,
                                      .inputs = &recorded},
                                     problems);
    if (!built) return fail(built.error());
    return {};
  }

  /// Reports the differences. Returns true if there are no differences.
  Result<bool> report_differences(const ComparedFiles& files, const std::string& what,
                                  bool allows_repacked) {
    const auto found = files.differences(folders_of(wish_.targets), allows_repacked);
    if (!found) return fail(found.error());
    const OutputDifferences& differences = found.value();
    const auto list = [&](const std::vector<std::string>& paths, const std::string& how) {
      for (const std::string& path : paths) {
        session_.err << "muster: " << what << ": " << escaped_text(path) << " " << how << "\n";
      }
    };
    list(differences.other, "differs");
    list(differences.missing, "is missing");
    list(differences.extra, "should not be there");
    if (!differences.empty()) return false;
    session_.err << "muster: " << what << ": the same, byte for byte";
    if (differences.repacked > 0) {
      session_.err << ", except for " << counted(differences.repacked, "bundle")
                   << " with the same content in blocks of another zstd";
    }
    session_.err << "\n";
    return true;
  }

 private:
  const BuildArguments& arguments_;
  const BuildWish& wish_;
  Session& session_;
};

}  // namespace

int verify_build(const BuildArguments& arguments, const BuildWish& wish, unsigned jobs,
                 Session& session) {
  const auto output = open_folder(arguments.out);
  if (!output) return report_error(session, output.error());
  const auto state = read_state_head(*output.value());
  bool has_old_blocks = false;
  for (const StateTarget& target : state ? state->targets : std::vector<StateTarget>()) {
    has_old_blocks = has_old_blocks || (wish.targets.has(target.target) && target.has_old_blocks);
  }
  Verification verification(arguments, wish, session);
  ComparedFiles first(*output.value());
  if (auto built = verification.build_again(first, jobs, 0); !built) {
    return report_error(session, built.error());
  }
  session.reporter.finish();
  bool is_same = true;
  if (arguments.verifies_incremental) {
    const auto compared =
        verification.report_differences(first, "incremental and clean build", has_old_blocks);
    if (!compared) return report_error(session, compared.error());
    is_same = compared.value();
  }
  if (arguments.verifies_determinism) {
    const ComparedFiles::View view(first);
    ComparedFiles second(view);
    if (auto built = verification.build_again(second, jobs == 1 ? 3 : 1, kShuffleSeed); !built) {
      return report_error(session, built.error());
    }
    session.reporter.finish();
    const auto compared = verification.report_differences(second, "two clean builds", false);
    if (!compared) return report_error(session, compared.error());
    is_same = is_same && compared.value();
  }
  return is_same ? kSuccess : kFindings;
}

}  // namespace muster::cli
