// The data of `muster audit`: the content that the builds of a target leave out, and the
// presentation content that these builds still contain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/stripping.h"

namespace muster {

/// An asset that is built for the target although it is, or may be, used only for presentation.
struct RemainingAsset {
  AssetNumber asset = kNoAsset;
  std::string_view kind;
  std::string why;  ///< `named by a registry`, `kept`, `not stripped` or `may be needed`.
  std::uint64_t source_bytes = 0;
  std::string registry;  ///< The registry entry that names the first asset of the chain, for
                         ///< messages, for example `ItemRegistry entry 3`.
  /// The chain of references to the asset. The chain starts at an asset of a registry, or at the
  /// registry itself.
  std::vector<AssetNumber> chain;
};

/// The effect of one rule.
struct StrippedByRule {
  std::string rule;  ///< The rule as in `StrippedAsset`, or for example `component MeshRenderer`.
  std::size_t count = 0;
  std::uint64_t source_bytes = 0;
};

struct StripAudit {
  Target target = Target::server;
  std::vector<RemainingAsset> remaining;  ///< The remaining assets, the largest first.
  std::uint64_t remaining_bytes = 0;
  std::vector<StrippedAsset> stripped;  ///< The stripped assets, sorted by path.
  std::vector<StrippedByRule> by_rule;  ///< The stripped assets, counted by rule.
  /// The stripped components, counted by class and sorted by class.
  std::vector<StrippedByRule> by_components;
  std::uint64_t stripped_bytes = 0;  ///< The source bytes of the stripped assets.
};

/// The rule for assets to which no remaining asset refers.
inline constexpr std::string_view kBehindStripped = "behind what is stripped";

/// The effect of each rule of a target, as in the report of a build.
std::vector<StrippedByRule> stripped_by_rule(const Project& project, Target target);
std::vector<StrippedByRule> stripped_components(const Project& project, Target target);
/// The size of an asset's file in bytes; 0 if the file is not accessible.
std::uint64_t source_bytes_of(const Project& project, AssetNumber asset);

StripAudit audit_stripping(const Project& project, Target target);

std::string audit_text(const Project& project, const std::vector<StripAudit>& audits);
std::string audit_json(const Project& project, const std::vector<StripAudit>& audits);

}  // namespace muster
