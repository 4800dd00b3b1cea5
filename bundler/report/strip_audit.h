// The content that a target's builds leave out, and the presentation that remains: `muster audit`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/stripping.h"

namespace muster {

/// An asset that is (or may be) used only for presentation, but is built for the target.
struct RemainingAsset {
  AssetNumber asset = kNoAsset;
  std::string_view kind;
  std::string why;  ///< `named by a registry`, `kept`, `not stripped`, `may be needed`.
  std::uint64_t source_bytes = 0;
  std::string registry;  ///< The registry that names the first asset of the chain, for messages:
                         ///< `ItemRegistry entry 3`.
  /// From an asset of a registry, or the registry itself, to the asset.
  std::vector<AssetNumber> chain;
};

/// The effect of one rule.
struct StrippedByRule {
  std::string rule;  ///< As in `StrippedAsset`; or `component MeshRenderer`.
  std::size_t count = 0;
  std::uint64_t source_bytes = 0;
};

struct StripAudit {
  Target target = Target::server;
  std::vector<RemainingAsset> remaining;  ///< Largest first.
  std::uint64_t remaining_bytes = 0;
  std::vector<StrippedAsset> stripped;        ///< Sorted by path.
  std::vector<StrippedByRule> by_rule;        ///< Assets, by rule.
  std::vector<StrippedByRule> by_components;  ///< Sorted by class.
  std::uint64_t stripped_bytes = 0;           ///< The source bytes of these assets.
};

/// The rule for assets to which no remaining asset refers.
inline constexpr std::string_view kBehindStripped = "behind what is stripped";

/// The effect of a target's rules, by rule; the sums in a build's report.
std::vector<StrippedByRule> stripped_by_rule(const Project& project, Target target);
std::vector<StrippedByRule> stripped_components(const Project& project, Target target);
/// The bytes of an asset's file; 0 if it is not accessible.
std::uint64_t source_bytes_of(const Project& project, AssetNumber asset);

StripAudit audit_stripping(const Project& project, Target target);

std::string audit_text(const Project& project, const std::vector<StripAudit>& audits);
std::string audit_json(const Project& project, const std::vector<StripAudit>& audits);

}  // namespace muster
