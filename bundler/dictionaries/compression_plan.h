// Decides with which level and which dictionary each entry is compressed.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/compressor.h"
#include "bundler/pack/staged_bundles.h"
#include "registry/project/compression.h"

namespace muster {

/// The kinds of entries for which a dictionary can be useful, sorted. All entries of the other
/// kinds are stored without compression. `level` applies to kinds without a rule.
std::vector<EntryKind> kinds_with_dictionaries(int level, const CompressionRules& rules);

/// The plan of a whole build, which is made before packing. Several threads may use a plan.
class CompressionPlan {
 public:
  /// Compresses everything at one level, without dictionaries.
  explicit CompressionPlan(int level);
  /// `level` (0 stores) applies to kinds without a rule. Dictionaries with equal ids are not used.
  CompressionPlan(int level, CompressionRules rules, BuildDictionaries dictionaries);

  /// The level of an entry of a file with this extension. Level 0 stores the entry without
  /// compression.
  int level_of(EntryKind kind, std::string_view extension) const;
  /// Like the first `level_of`, but also checks the content: media that are already compressed are
  /// stored, unless a rule has their extension.
  int level_of(EntryKind kind, std::string_view extension, Bytes plain) const;
  /// The dictionary of a kind at a level; null for no dictionary.
  const CompressionDictionary* dictionary_of(EntryKind kind, int level) const;
  /// How this plan packs an entry of a bundle.
  PackedHow how_packed(const BundleEntry& entry, std::string_view extension) const;

  /// Returns a function that calls `how_packed` with the extension of an entry's file. The project
  /// and this object must outlive the function.
  HowPacked how_packed_in(const Project& project) const;

  /// The dictionaries in use.
  const BuildDictionaries& dictionaries() const { return dictionaries_; }
  const std::shared_ptr<const DictionarySet>& decompressing() const { return decompressing_; }

 private:
  int level_;
  CompressionRules rules_;
  BuildDictionaries dictionaries_;
  std::shared_ptr<const DictionarySet> decompressing_;
  std::map<std::pair<EntryKind, int>, CompressionDictionary> digested_;
};

}  // namespace muster
