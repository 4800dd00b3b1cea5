// Rules and findings. A finding is one problem of a project, with a remedy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

enum class Severity : std::uint8_t { note, warning, error };
std::string_view to_string(Severity severity);

/// A rule that a project can break.
struct Rule {
  std::string_view id;  ///< The stable name with which users select and suppress findings.
  Severity severity = Severity::error;  ///< The default severity of the rule's findings.
  std::string_view summary;             ///< A description in one line.
  std::string_view help;                ///< The meaning of the rule, and its remedy.
};

/// Every rule, sorted by id.
std::span<const Rule> all_rules();
/// The rule with this id, or null.
const Rule* find_rule(std::string_view id);

struct RelatedLocation {
  Location location;
  std::string message;
};

struct Finding {
  std::string_view rule;  ///< An id of `all_rules()`.
  Severity severity = Severity::error;
  Location location;
  std::string message;
  std::string remedy;  ///< The instruction for the user; may be empty.
  std::vector<RelatedLocation> related;
  /// All files with the problem, if one finding represents several; otherwise empty.
  std::vector<AssetPath> paths;
  /// Whether `muster build` fails because of the finding, because the build would be wrong.
  bool blocks_build = false;
  /// The message without the numbers that may change, for fingerprints. If empty, the fingerprint
  /// uses the whole message.
  std::string identity;
  /// Whether this is one of many findings with the same cause. Text output lists only the first of
  /// these findings for each rule.
  bool is_repeated = false;
  bool is_known = false;  ///< Whether a baseline accepts the finding (`baseline.h`).
};

/// Collects findings and sorts them.
class Findings {
 public:
  /// Adds a finding of a rule, with the rule's severity. Returns the finding, so that the caller
  /// can add details.
  Finding& add(std::string_view rule, Location location, std::string message);
  /// Adds the findings of another collection.
  void append(Findings&& others);
  bool empty() const { return findings_.empty(); }
  /// Returns all findings, sorted by path, position, rule and message. Leaves the collection empty.
  std::vector<Finding> drain_sorted();

 private:
  std::vector<Finding> findings_;
};

}  // namespace muster
