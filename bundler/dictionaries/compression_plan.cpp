#include "bundler/dictionaries/compression_plan.h"

#include <algorithm>
#include <set>

#include "bundler/pack/compressed_media.h"
#include "registry/base/asset_path.h"
#include "registry/project/reference_graph.h"
#include "runtime/bundle/bundle_reader.h"

namespace muster {

namespace {

// Whether files with an extension may have entries of a kind: only media have import settings.
bool may_have(std::string_view extension, EntryKind kind) {
  const bool is_text = holds_references(AssetPath().child("any." + std::string(extension)));
  return is_text == (kind != EntryKind::import_settings);
}

}  // namespace

std::vector<EntryKind> kinds_with_dictionaries(int level, const CompressionRules& rules) {
  const CompressionPlan plan(level, rules, {});
  std::vector<EntryKind> kinds;
  for (const EntryKind kind : kDictionaryKinds) {
    const auto compresses = [&](const auto& rule) {
      return rule.second > 0 && may_have(rule.first, kind);
    };
    if (plan.level_of(kind, {}) > 0 || std::ranges::any_of(rules.kinds, compresses)) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

CompressionPlan::CompressionPlan(int level) : CompressionPlan(level, {}, {}) {}

CompressionPlan::CompressionPlan(int level, CompressionRules rules, BuildDictionaries dictionaries)
    : level_(level), rules_(std::move(rules)), dictionaries_(std::move(dictionaries)) {
  auto set = std::make_shared<DictionarySet>();
  std::erase_if(dictionaries_.all, [&](const BuildDictionary& one) {
    return dictionary_id(one.hash()) == 0 || !set->add(one.hash(), one.bytes);
  });
  decompressing_ = std::move(set);
  for (const BuildDictionary& one : dictionaries_.all) {
    std::set<int> levels{level_of(one.kind, {})};
    for (const auto& [kind, kind_level] : rules_.kinds) levels.insert(kind_level);
    for (const int each : levels) {
      if (each > 0) digested_.try_emplace({one.kind, each}, one.bytes, each);
    }
  }
}

int CompressionPlan::level_of(EntryKind kind, std::string_view extension) const {
  if (rules_.kinds.empty()) return level_;
  auto rule = extension.empty() ? rules_.kinds.end() : rules_.kinds.find(lower_ascii(extension));
  if (rule == rules_.kinds.end()) rule = rules_.kinds.find(to_string(kind));
  return rule == rules_.kinds.end() ? level_ : rule->second;
}

int CompressionPlan::level_of(EntryKind kind, std::string_view extension, Bytes plain) const {
  const bool is_named = !extension.empty() && rules_.kinds.contains(lower_ascii(extension));
  if (kind == EntryKind::raw && !is_named && is_compressed_media(plain)) return 0;
  return level_of(kind, extension);
}

const CompressionDictionary* CompressionPlan::dictionary_of(EntryKind kind, int level) const {
  const auto found = digested_.find({kind, level});
  return found == digested_.end() ? nullptr : &found->second;
}

PackedHow CompressionPlan::how_packed(const BundleEntry& entry, std::string_view extension) const {
  const int level = level_of(entry.kind, extension);
  const CompressionDictionary* const dictionary =
      entry.block_count == 1 ? dictionary_of(entry.kind, level) : nullptr;
  return {level, dictionary == nullptr ? 0 : dictionary->id()};
}

HowPacked CompressionPlan::how_packed_in(const Project& project) const {
  return [this, &project](const BundleEntry& entry) {
    const AssetNumber asset = project.index().find(entry.guid);
    return how_packed(
        entry, asset == kNoAsset ? std::string_view() : project.index().at(asset).path.extension());
  };
}

}  // namespace muster
