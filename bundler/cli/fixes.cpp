#include "bundler/cli/fixes.h"

#include "bundler/cli/edges.h"
#include "registry/base/counted.h"
#include "registry/base/overlay_file_system.h"
#include "registry/base/parallel.h"
#include "registry/model/prepare.h"
#include "registry/project/config.h"
#include "registry/project/config_fixer.h"
#include "registry/project/sidecar_fixer.h"

namespace muster::cli {
namespace {

// A new guid of 128 random bits from the system.
Guid fresh_guid() {
  const auto seed = random_seed();
  return Guid::from_bytes(Bytes(seed).first(16));
}

std::string sentence(const SidecarFix& fix, bool dry_run) {
  const std::string would = dry_run ? "would " : "";
  const std::string path = "'" + fix.path.text() + "'";
  switch (fix.kind) {
    case SidecarFix::Kind::create:
      return would + (dry_run ? "create " : "created ") + path;
    case SidecarFix::Kind::rename:
      return would + (dry_run ? "rename '" : "renamed '") + fix.from.text() + "' to " + path;
    case SidecarFix::Kind::respell:
      return would + (dry_run ? "write " : "wrote ") + path + " (guid in lower case)";
  }
  return {};
}

void report_prepared(const PreparePlan& plan, bool dry_run, Session& session) {
  for (const FileWrite& write : plan.writes) {
    print_note(session, (dry_run ? "would write '" : "wrote '") + write.path.text() + "'" +
                            (write.what.empty() ? "" : " (" + write.what + ")"));
  }
  for (const AssetPath& path : plan.removes) {
    print_note(session, (dry_run ? "would remove '" : "removed '") + path.text() + "'");
  }
  for (const std::string& note : plan.notes) print_note(session, note);
  for (const std::string& remains : plan.remaining) print_note(session, remains);
}

/// Fails if the plan would remove entries, because their ids would be retired permanently.
Result<void> check_nothing_lost(const Project& project, const PreparePlan& plan) {
  constexpr std::size_t kListedMax = 10;
  std::string lines;
  std::size_t count = 0;
  for (const RegistryPlan& registry : plan.registries) {
    const std::string file = project.index().at(registry.registry->asset).path.text();
    for (const PrepareChange& change : registry.changes) {
      if (change.kind != PrepareChange::Kind::remove || ++count > kListedMax) continue;
      const std::string asset =
          change.path.empty() ? "guid " + change.guid.to_string() : "'" + change.path.text() + "'";
      lines += (count == 1 ? " id " : ", id ") + std::to_string(change.type_id.value()) + " (" +
               asset + ") of '" + file + "'";
    }
  }
  if (count == 0) return {};
  if (count > kListedMax) lines += " and " + std::to_string(count - kListedMax) + " more";
  return fail(ErrorCode::invalid_argument,
              "'--fix' would remove " + counted(count, "entry", "entries") +
                  " and retire the ids; nothing was changed. '--allow-loss' does it:" + lines);
}

Result<void> reopen(OpenProject& open, const FileReader& files, Session& session,
                    const Progress& progress) {
  auto project = Project::open(files, processor_count(), session.stop, progress);
  if (!project) return fail(project.error());
  open.project = std::move(project).value();
  return {};
}

}  // namespace

Result<bool> fix_config(const std::string& project, bool dry_run, Session& session) {
  const auto files = open_folder(project);
  if (!files) return fail(files.error());
  const auto text = fixed_config(*files.value());
  if (!text) return false;
  const std::string name(ProjectConfig::kFileName);
  if (!dry_run) {
    const AssetPath path = AssetPath().child(name);
    if (auto may = begin_writing(session); !may) return fail(may.error());
    if (auto done = write_atomically(*files.value(), path, as_bytes(*text)); !done) {
      return fail(done.error());
    }
    session.writing = false;
  }
  const std::string done =
      (dry_run ? "would write '" : "wrote '") + name + "' (paths as on the disk)";
  // A dry run ends here, because the project cannot be opened without the fix.
  if (dry_run) {
    refuse(session, done);
  } else {
    print_note(session, done);
  }
  return true;
}

Result<void> fix_project(OpenProject& open, const FixOptions& options,
                         std::unique_ptr<FileSystem>& as_fixed, Session& session,
                         const Progress& progress) {
  const bool dry_run = options.is_dry_run;
  const auto fixes = plan_sidecar_fixes(*open.files, open.project->index(), fresh_guid);
  if (!fixes) return fail(fixes.error());
  // `prepare` must run after the sidecars are fixed, because a registry includes assets whose
  // sidecars were added only now.
  as_fixed = std::make_unique<OverlayFileSystem>(*open.files);
  if (auto done = apply_sidecar_fixes(*as_fixed, fixes.value()); !done) return done;
  if (auto done = reopen(open, *as_fixed, session, progress); !done) return done;
  const auto plan = plan_prepare(*open.project, progress);
  if (!plan) return fail(plan.error());
  if (session.stop.stop_requested()) {
    return fail(ErrorCode::cancelled, "stopped; nothing was changed");
  }
  if (!dry_run && !options.may_lose) {
    if (auto kept = check_nothing_lost(*open.project, plan.value()); !kept) return kept;
  }
  FileSystem& files = dry_run ? *as_fixed : *open.files;
  if (!dry_run) {
    if (auto may = begin_writing(session); !may) return may;
    if (auto done = apply_sidecar_fixes(files, fixes.value()); !done) return done;
  }
  for (const SidecarFix& fix : fixes.value()) print_note(session, sentence(fix, dry_run));
  if (auto done = apply_prepare(files, plan.value()); !done) return done;
  report_prepared(plan.value(), dry_run, session);
  session.writing = false;
  return reopen(open, files, session, progress);
}

}  // namespace muster::cli
