// Checks three subjects in this order: the ids of each class for client and server, the ids that
// client and server have in common, and the components.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "registry/rules/contract.h"

namespace muster {
namespace {

// The ids of one class for one target.
struct Table {
  std::map<TypeId, std::set<Guid>> by_id;
  std::map<Guid, std::set<TypeId>> by_guid;

  bool has(TypeId id) const { return by_id.contains(id); }
  bool has(TypeId id, const Guid& guid) const {
    const auto found = by_id.find(id);
    return found != by_id.end() && found->second.contains(guid);
  }
  std::set<TypeId> ids() const {
    std::set<TypeId> all;
    for (const auto& [id, guids] : by_id) all.insert(id);
    return all;
  }
};

struct ClassTables {
  std::map<Target, Table> sides;
  std::map<std::pair<TypeId, Guid>, const ContractRow*> rows;
};

std::map<std::string, ClassTables> tables_of(const Contract& contract) {
  std::map<std::string, ClassTables> classes;
  for (const ContractRow& row : contract.rows) {
    ClassTables& tables = classes[row.class_name];
    tables.rows[{row.type_id, row.guid}] = &row;
    for (const Target target : kTargets) {
      if (!row.targets.has(target)) continue;
      tables.sides[target].by_id[row.type_id].insert(row.guid);
      tables.sides[target].by_guid[row.guid].insert(row.type_id);
    }
  }
  return classes;
}

std::string side_words(TargetSet sides) {
  if (sides == TargetSet::both()) return "client and server";
  return sides.has(Target::client) ? "the client" : "the server";
}

std::string name_of(const ContractRow& row) {
  return row.path.empty() ? "guid " + row.guid.to_string()
                          : "'" + row.path + "' (" + row.guid.to_string() + ")";
}

// Finds the breaking changes of one class. Reports a change on both sides only once.
class ClassCheck {
 public:
  ClassCheck(const Contract& shipped, const Contract& now, const std::string& class_name,
             ClassTables& old_tables, ClassTables& new_tables, Findings& findings)
      : shipped_(shipped),
        now_(now),
        class_name_(class_name),
        old_(old_tables),
        new_(new_tables),
        findings_(findings) {}

  void run() {
    for (const Target target : kTargets) {
      if (!shipped_.covered.has(target) || !now_.covered.has(target)) continue;
      for (const auto& [key, row] : old_.rows) {
        if (row->targets.has(target)) compare(*row, target);
      }
    }
    for (const auto& [key, sides] : gone_) report_gone(*old_.rows.at(key), sides);
    for (const auto& [key, change] : renumbered_) {
      const auto [found, sides] = change;
      add("breaking-renumbered", *found,
          fmt::format("{} had type id {} in '{}', and has {} now, for {}", name_of(*found),
                      key.first.value(), shipped_.name, found->type_id.value(), side_words(sides)));
    }
    for (const auto& [key, change] : reused_) {
      const auto [found, sides] = change;
      add("breaking-reused", *found,
          fmt::format("type id {} meant {} in '{}', and means {} now, for {}", key.first.value(),
                      name_of(*old_.rows.at(key)), shipped_.name, name_of(*found),
                      side_words(sides)));
    }
    if (shipped_.covered == TargetSet::both() && now_.covered == TargetSet::both()) {
      compare_sides();
    }
  }

 private:
  using Key = std::pair<TypeId, Guid>;  // The id and the asset of a shipped row.
  struct Found {
    const ContractRow* row = nullptr;
    TargetSet sides;
  };

  void compare(const ContractRow& row, Target target) {
    const Key key{row.type_id, row.guid};
    const Table& now = new_.sides[target];
    if (now.has(row.type_id, row.guid)) return;
    const ContractRow* successor = successor_of(row, target);
    if (successor != nullptr) note(reused_[key], successor, target);
    const auto elsewhere = now.by_guid.find(row.guid);
    if (elsewhere != now.by_guid.end()) {
      // The asset has a new id, or had several ids and has lost `row.type_id`.
      const auto& had = old_.sides[target].by_guid[row.guid];
      const auto fresh =
          std::ranges::find_if(elsewhere->second, [&](TypeId id) { return !had.contains(id); });
      if (fresh == elsewhere->second.end()) return;
      note(renumbered_[key], new_.rows.at({*fresh, row.guid}), target);
    } else if (successor == nullptr && !is_on_a_side(row.type_id)) {
      gone_[key] = gone_[key] | target;
    }
  }

  // The row that has the id now and did not have it before; null if none exists.
  const ContractRow* successor_of(const ContractRow& row, Target target) {
    const Table& now = new_.sides[target];
    const auto found = now.by_id.find(row.type_id);
    if (found == now.by_id.end()) return nullptr;
    for (const Guid& guid : found->second) {
      if (!old_.sides[target].has(row.type_id, guid)) return new_.rows.at({row.type_id, guid});
    }
    return nullptr;
  }

  bool is_on_a_side(TypeId id) {
    return std::ranges::any_of(kTargets, [&](Target side) { return new_.sides[side].has(id); });
  }

  static void note(Found& found, const ContractRow* row, Target target) {
    found.row = row;
    found.sides = found.sides | target;
  }

  // Reports ids that are on only one side now although both sides had them. If both sides had the
  // same ids before, also reports new ids that only one side has.
  void compare_sides() {
    const std::set<TypeId> client = old_.sides[Target::client].ids();
    const std::set<TypeId> server = old_.sides[Target::server].ids();
    const bool were_alike = client == server && !client.empty();
    std::set<TypeId> reported;
    for (const auto& [key, row] : new_.rows) {
      const TypeId id = key.first;
      const bool on_client = new_.sides[Target::client].has(id);
      if (on_client == new_.sides[Target::server].has(id) || !reported.insert(id).second) continue;
      const bool had_both = client.contains(id) && server.contains(id);
      const bool is_new = !client.contains(id) && !server.contains(id);
      if (!had_both && !(is_new && were_alike)) continue;
      add("breaking-sides", *row,
          fmt::format("type id {} ({}) exists only on {}; in '{}' {}", id.value(), name_of(*row),
                      side_words(row->targets), shipped_.name,
                      had_both ? "both sides had it" : "both sides had the same ids"));
    }
  }

  void report_gone(const ContractRow& row, TargetSet sides) {
    const auto registry = now_.registries.find(class_name_);
    Location location{row.location.path, {}};
    if (registry != now_.registries.end()) location = registry->second;
    findings_.add("breaking-removed", location,
                  fmt::format("type id {} of {} meant {} in '{}', and has no asset now, for {}",
                              row.type_id.value(), class_name_, name_of(row), shipped_.name,
                              side_words(sides)));
  }

  void add(std::string_view rule, const ContractRow& row, std::string message) {
    findings_.add(rule, row.location, std::move(message));
  }

  const Contract& shipped_;
  const Contract& now_;
  const std::string& class_name_;
  ClassTables& old_;
  ClassTables& new_;
  Findings& findings_;
  std::map<Key, TargetSet> gone_;
  std::map<Key, Found> renumbered_;
  std::map<Key, Found> reused_;
};

// The position of a component or its field in the component descriptions. Searches the text for the
// quoted name, without parsing the JSON.
Location component_location(const Contract& now, std::string_view component,
                            std::string_view field) {
  const std::string_view text = now.components_text;
  std::size_t at = text.find("\"" + std::string(component) + "\"");
  if (at != std::string_view::npos && !field.empty()) {
    at = text.find("\"" + std::string(field) + "\"", at + component.size() + 2);
  }
  if (at == std::string_view::npos) return {now.components_path, {}};
  const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
  return {now.components_path, {static_cast<std::uint32_t>(line), 0}};
}

void compare_components(const Contract& shipped, const Contract& now, Findings& findings) {
  for (const ComponentDescription& old_one : *shipped.components) {
    const auto found =
        std::ranges::find(*now.components, old_one.name, &ComponentDescription::name);
    if (found == now.components->end()) {
      findings.add(
          "breaking-component", {now.components_path, {}},
          fmt::format("component '{}' of '{}' no longer exists", old_one.name, shipped.name));
      continue;
    }
    for (const FieldDescription& field : old_one.fields) {
      const FieldDescription* same = found->find(field.name);
      const std::string why = same == nullptr ? "it is gone" : incompatibility(field, *same);
      if (why.empty()) continue;
      const std::string_view line_of = same == nullptr ? std::string_view{} : field.name;
      findings.add("breaking-component", component_location(now, old_one.name, line_of),
                   fmt::format("field '{}' of component '{}' differs from '{}': {}", field.name,
                               old_one.name, shipped.name, why));
    }
  }
}

}  // namespace

std::string incompatibility(const FieldDescription& shipped, const FieldDescription& now) {
  const auto changed = [](std::string_view what, const auto& before, const auto& after) {
    return fmt::format("its {} was {} and is {}", what, before, after);
  };
  if (shipped.type != now.type)
    return changed("type", to_string(shipped.type), to_string(now.type));
  if (shipped.count != now.count) return changed("number of elements", shipped.count, now.count);
  if (shipped.element_bytes != now.element_bytes) {
    return changed("size in bytes", shipped.element_bytes, now.element_bytes);
  }
  if (std::tie(shipped.minimum, shipped.maximum) != std::tie(now.minimum, now.maximum)) {
    return changed("range", fmt::format("{} to {}", shipped.minimum, shipped.maximum),
                   fmt::format("{} to {}", now.minimum, now.maximum));
  }
  if (shipped.resolution != now.resolution) {
    return changed("resolution", shipped.resolution, now.resolution);
  }
  if (shipped.unit != now.unit && !shipped.unit.empty()) {
    return changed("unit", shipped.unit, now.unit.empty() ? "none" : now.unit);
  }
  if (shipped.receivers != now.receivers) return "its receivers have changed";
  // New values at the end of an enumeration do not change the old ones.
  for (std::size_t i = 0; i < shipped.names.size(); ++i) {
    if (i >= now.names.size())
      return fmt::format("its value '{}' no longer exists", shipped.names[i]);
    if (shipped.names[i] != now.names[i]) {
      return fmt::format("its value {} was '{}' and is '{}'", i, shipped.names[i], now.names[i]);
    }
  }
  return {};
}

void check_breaking(const Contract& shipped, const Contract& now, Findings& findings) {
  auto old_classes = tables_of(shipped);
  auto new_classes = tables_of(now);
  for (auto& [name, tables] : old_classes) {
    // Builds of older releases can have ids for classes that have no ids now.
    if (now.unnumbered.contains(name)) continue;
    ClassCheck(shipped, now, name, tables, new_classes[name], findings).run();
  }
  if (shipped.components && now.components) compare_components(shipped, now, findings);
}

}  // namespace muster
