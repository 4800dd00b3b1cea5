#include "registry/rules/validate.h"

namespace muster {

std::vector<Finding> validate(const Project& project, const ValidateOptions& options) {
  Findings findings;
  options.progress.begin("checking", 6);
  check_files(project, options.targets, findings);
  options.progress.advance(1, "registries");
  check_roots(project, options.targets, findings);
  check_registries(project, options.targets, findings);
  options.progress.advance(1, "registration");
  check_registration(project, options.targets, findings);
  options.progress.advance(1, "components");
  const std::set<AssetNumber> built = built_assets(project, options.targets);
  check_components(project, built, findings);
  options.progress.advance(1, "files");
  check_packing(project, built, options.jobs, findings);
  check_variants(project, built, findings);
  check_wire_forms(project, built, findings);
  check_keep(project, options.targets, findings);
  if (options.further) options.further(project, built, findings);
  options.progress.advance(1, "references");
  check_references(project, options.targets, findings);
  check_failed_reads(project, findings);
  options.progress.advance(1, {});
  std::vector<Finding> sorted = findings.take_sorted();
  if (options.strict) {
    for (Finding& finding : sorted) {
      if (finding.severity == Severity::warning) finding.severity = Severity::error;
    }
  }
  return sorted;
}

}  // namespace muster
