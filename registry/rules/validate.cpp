#include "registry/rules/validate.h"

namespace muster {

std::vector<Finding> validate(const Project& project, const ValidateOptions& options) {
  Findings findings;
  check_files(project, findings);
  check_registries(project, options.targets, findings);
  check_registration(project, options.targets, findings);
  check_references(project, options.targets, findings);
  check_failed_reads(project, findings);
  std::vector<Finding> sorted = findings.take_sorted();
  if (options.strict) {
    for (Finding& finding : sorted) {
      if (finding.severity == Severity::warning) finding.severity = Severity::error;
    }
  }
  return sorted;
}

}  // namespace muster
