// What a target's builds go without, and what presentation is still in them: `muster audit`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/stripping.h"

namespace muster {

/// Something that is, or may be, there to be seen or heard alone, and is built for the target.
struct RemainingAsset {
  AssetNumber asset = kNoAsset;
  std::string_view kind;
  std::string why;  ///< `named by a registry`, `kept`, `not stripped`, `may be needed`.
  std::uint64_t source_bytes = 0;
  std::string
      registry;  ///< Which names the first of the chain, for people: `ItemRegistry entry 3`.
  std::vector<AssetNumber> chain;  ///< From what a registry names, or is, to the asset.
};

/// What one rule has left out.
struct StrippedByRule {
  std::string rule;  ///< As `StrippedAsset` has it; or `component MeshRenderer`.
  std::size_t count = 0;
  std::uint64_t source_bytes = 0;
};

struct StripAudit {
  Target target = Target::server;
  std::vector<RemainingAsset> remaining;  ///< Largest first.
  std::uint64_t remaining_bytes = 0;
  std::vector<StrippedAsset> stripped;        ///< By path.
  std::vector<StrippedByRule> by_rule;        ///< Assets, by rule.
  std::vector<StrippedByRule> by_components;  ///< By class.
  std::uint64_t stripped_bytes = 0;           ///< Of assets.
};

/// The rule of what nothing that stays refers to any more.
inline constexpr std::string_view kBehindStripped = "behind what is stripped";

/// What a target's rules leave out, by rule; the sums of what a build's report says.
std::vector<StrippedByRule> stripped_by_rule(const Project& project, Target target);
std::vector<StrippedByRule> stripped_components(const Project& project, Target target);
/// The bytes of an asset's file; 0 when it cannot be looked at.
std::uint64_t source_bytes_of(const Project& project, AssetNumber asset);

StripAudit audit_stripping(const Project& project, Target target);

std::string audit_text(const Project& project, const std::vector<StripAudit>& audits);
std::string audit_json(const Project& project, const std::vector<StripAudit>& audits);

}  // namespace muster
