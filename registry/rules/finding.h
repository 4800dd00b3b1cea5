// A finding: one problem, with what the user can do about it.
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

/// A rule: a stable name with which users suppress, search and explain findings.
struct Rule {
  std::string_view id;
  Severity severity = Severity::error;  ///< The default severity of its findings.
  std::string_view summary;             ///< One line.
  std::string_view help;                ///< Its meaning, and what to do.
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
  std::string remedy;  ///< What to do; may be empty.
  std::vector<RelatedLocation> related;
  /// All files with the problem, if one finding represents several; otherwise empty.
  std::vector<AssetPath> places;
  /// The finding makes a build wrong, so `build` refuses.
  bool blocks_build = false;
  /// The part of the message without varying numbers, for fingerprints. If empty, the fingerprint
  /// uses the whole message.
  std::string identity;
  /// One of many findings with the same cause; text output lists only the first ones of its rule.
  bool is_repeated = false;
  bool is_known = false;  ///< A baseline accepts it (`baseline.h`).
};

/// Collects findings and sorts them.
class Findings {
 public:
  /// Adds a finding of a rule, with the rule's severity, and returns it for details.
  Finding& add(std::string_view rule, Location location, std::string message);
  /// Adds the findings of another collection.
  void append(Findings&& others);
  bool empty() const { return findings_.empty(); }
  /// Sorts by path, position, rule and message.
  std::vector<Finding> take_sorted();

 private:
  std::vector<Finding> findings_;
};

}  // namespace muster
