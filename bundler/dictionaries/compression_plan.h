// The level and dictionary with which each entry is compressed.
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

/// The kinds of entries for which a dictionary may be useful, sorted; entries of the others are all
/// stored. `level` applies to kinds without a rule.
std::vector<EntryKind> kinds_with_dictionaries(int level, const CompressionRules& rules);

/// The plan of a whole build, created before packing. Afterwards safe to use from several threads.
class CompressionPlan {
 public:
  /// Compresses everything at one level, without dictionaries.
  explicit CompressionPlan(int level);
  /// `level` (0 stores) applies to kinds without a rule. Dictionaries with equal ids are not used.
  CompressionPlan(int level, CompressionRules rules, BuildDictionaries dictionaries);

  /// The level of an entry of a file with this extension; 0 stores it.
  int level_of(EntryKind kind, std::string_view extension) const;
  /// The same for known content: compressed media are stored, unless a rule has their extension.
  int level_of(EntryKind kind, std::string_view extension, Bytes plain) const;
  /// Null for none.
  const CompressionDictionary* dictionary_of(EntryKind kind, int level) const;
  /// How an entry was packed by such a plan.
  PackedHow how_packed(const BundleEntry& entry, std::string_view extension) const;

  /// The same for the entries of a project. The project and this object must outlive the result.
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
