#include "bundler/report/strip_audit.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bundler/report/pulled_by.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/project/asset_kinds.h"

namespace muster {
namespace {

constexpr int kAuditVersion = 1;

std::string_view side_of(Target target) { return target == Target::client ? "client" : "server"; }

class StripSearch {
 public:
  StripSearch(const Project& project, Target target)
      : project_(project),
        stripping_(project.stripping(target)),
        before_(pulled_by(project, target)) {
    audit_.target = target;
    name_registries();
  }

  StripAudit run() {
    for (const AssetNumber asset : stripping_.built()) {
      const Asset& one = project_.index().at(asset);
      if (one.is_folder || is_script(one.path)) continue;
      const std::string_view kind = kind_of_asset(project_, asset);
      const AssetKind* const known = find_asset_kind(kind);
      const StrippedAsset* const named = find(stripping_.named(), asset);
      const StrippedAsset* const kept = find(stripping_.kept(), asset);
      const bool is_maybe = known != nullptr && known->presents == AssetKind::Presents::maybe;
      const bool is_always = known != nullptr && known->presents == AssetKind::Presents::always;
      if (named == nullptr && kept == nullptr && !is_maybe && !is_always) continue;
      std::string why = is_always ? "not stripped" : "may be needed";
      if (kept != nullptr) why = "kept";
      if (named != nullptr) why = "named by a registry";
      add(asset, kind, std::move(why));
    }
    std::ranges::stable_sort(audit_.remaining, std::ranges::greater{},
                             &RemainingAsset::source_bytes);
    audit_.stripped.assign(stripping_.assets().begin(), stripping_.assets().end());
    audit_.by_rule = stripped_by_rule(project_, audit_.target);
    audit_.by_components = stripped_components(project_, audit_.target);
    for (const StrippedByRule& rule : audit_.by_rule) audit_.stripped_bytes += rule.source_bytes;
    return std::move(audit_);
  }

 private:
  static const StrippedAsset* find(std::span<const StrippedAsset> assets, AssetNumber asset) {
    const auto found = std::ranges::lower_bound(assets, asset, {}, &StrippedAsset::asset);
    return found != assets.end() && found->asset == asset ? &*found : nullptr;
  }

  // For each asset, finds the first entry that names it. For the asset of a registry or root, the
  // text is the class name and `itself`.
  void name_registries() {
    for (const Registry& registry : project_.model().registries) {
      if (registry.targets.has(audit_.target) && registry.declaration->is_packed) {
        registries_.try_emplace(registry.asset, registry.declaration->name + " itself");
      }
      for (const RegistryEntry& entry : registry.entries) {
        for (const EntryReference& reference : entry.references) {
          if (!reference.targets.has(audit_.target) || reference.asset == kNoAsset) continue;
          registries_.try_emplace(reference.asset, registry.declaration->name + " entry " +
                                                       std::to_string(entry.type_id.value()));
        }
      }
    }
    for (const RegistryRoot& root : project_.model().roots) {
      if (root.target == audit_.target) {
        registries_.try_emplace(root.asset, std::string(kRootClass) + " itself");
      }
    }
  }

  void add(AssetNumber asset, std::string_view kind, std::string why) {
    RemainingAsset row{.asset = asset,
                       .kind = kind,
                       .why = std::move(why),
                       .source_bytes = source_bytes_of(project_, asset),
                       .registry = {},
                       .chain = {}};
    for (AssetNumber at = asset; at != kNoAsset; at = before_[at]) row.chain.push_back(at);
    std::ranges::reverse(row.chain);
    const auto named = registries_.find(row.chain.front());
    if (named != registries_.end()) row.registry = named->second;
    audit_.remaining_bytes += row.source_bytes;
    audit_.remaining.push_back(std::move(row));
  }

  const Project& project_;
  const Stripping& stripping_;
  std::vector<AssetNumber> before_;
  std::map<AssetNumber, std::string> registries_;
  StripAudit audit_;
};

Json by_rule_json(const std::vector<StrippedByRule>& rules, const char* name) {
  Json rows = Json::array();
  for (const StrippedByRule& rule : rules) {
    rows.push_back({{name, rule.rule}, {"count", rule.count}, {"source_bytes", rule.source_bytes}});
  }
  return rows;
}

}  // namespace

std::uint64_t source_bytes_of(const Project& project, AssetNumber asset) {
  const auto info = project.files().stat(project.index().at(asset).path);
  return info ? info.value().size_bytes : 0;
}

std::vector<StrippedByRule> stripped_by_rule(const Project& project, Target target) {
  std::map<std::string, StrippedByRule> sums;
  for (const StrippedAsset& one : project.stripping(target).assets()) {
    const std::string rule = one.rule.empty() ? std::string(kBehindStripped) : one.rule;
    StrippedByRule& sum = sums[rule];
    sum.rule = rule;
    ++sum.count;
    sum.source_bytes += source_bytes_of(project, one.asset);
  }
  std::vector<StrippedByRule> rules;
  for (auto& [rule, sum] : sums) rules.push_back(std::move(sum));
  return rules;
}

std::vector<StrippedByRule> stripped_components(const Project& project, Target target) {
  std::vector<StrippedByRule> classes;
  for (const auto& [name, components] : project.stripping(target).components()) {
    classes.push_back({name, components.count, components.source_bytes});
  }
  return classes;
}

StripAudit audit_stripping(const Project& project, Target target) {
  return StripSearch(project, target).run();
}

std::string audit_text(const Project& project, const std::vector<StripAudit>& audits) {
  std::string text;
  const auto path = [&](AssetNumber asset) {
    return escaped_text(project.index().at(asset).path.text());
  };
  for (const StripAudit& audit : audits) {
    text += fmt::format("{}: {} with {} left that are or may be presentation\n",
                        side_of(audit.target), counted(audit.remaining.size(), "asset"),
                        counted(audit.remaining_bytes, "source byte"));
    for (const RemainingAsset& row : audit.remaining) {
      text += fmt::format("  {:>12}  {}  ({}, {})\n", row.source_bytes, path(row.asset), row.kind,
                          row.why);
      text += "                " + row.registry + "\n";
      for (const AssetNumber step : row.chain) text += "                -> " + path(step) + "\n";
    }
    text += fmt::format("{}: {} with {} stripped\n", side_of(audit.target),
                        counted(audit.stripped.size(), "asset"),
                        counted(audit.stripped_bytes, "source byte"));
    for (const StrippedByRule& rule : audit.by_rule) {
      text += fmt::format("  {:>12}  {} ({})\n", rule.source_bytes, rule.rule,
                          counted(rule.count, "asset"));
    }
    for (const StrippedByRule& rule : audit.by_components) {
      text += fmt::format("  {:>12}  {} ({})\n", rule.source_bytes, rule.rule,
                          counted(rule.count, "component"));
    }
  }
  return text;
}

std::string audit_json(const Project& project, const std::vector<StripAudit>& audits) {
  Json json{{"format", kAuditVersion}, {"targets", Json::object()}};
  const auto path = [&](AssetNumber asset) { return project.index().at(asset).path.text(); };
  for (const StripAudit& audit : audits) {
    Json target{{"remaining_bytes", audit.remaining_bytes}, {"remaining", Json::array()}};
    for (const RemainingAsset& row : audit.remaining) {
      Json chain = Json::array();
      for (const AssetNumber step : row.chain) chain.push_back(path(step));
      target["remaining"].push_back({{"guid", project.index().at(row.asset).guid.to_string()},
                                     {"path", path(row.asset)},
                                     {"kind", row.kind},
                                     {"why", row.why},
                                     {"source_bytes", row.source_bytes},
                                     {"registry", row.registry},
                                     {"chain", std::move(chain)}});
    }
    target["stripped_bytes"] = audit.stripped_bytes;
    target["stripped"] = Json::array();
    for (const StrippedAsset& one : audit.stripped) {
      target["stripped"].push_back(
          {{"guid", project.index().at(one.asset).guid.to_string()},
           {"path", path(one.asset)},
           {"rule", one.rule.empty() ? std::string(kBehindStripped) : one.rule},
           {"source_bytes", source_bytes_of(project, one.asset)}});
    }
    target["rules"] = by_rule_json(audit.by_rule, "rule");
    target["components"] = by_rule_json(audit.by_components, "class");
    json["targets"][std::string(side_of(audit.target))] = std::move(target);
  }
  return json_text(json);
}

}  // namespace muster
