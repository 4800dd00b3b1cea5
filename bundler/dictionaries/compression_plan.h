// With which level and dictionary each entry is compressed.
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

/// The kinds of entries that a dictionary may be of use to, sorted: of the others everything is
/// stored. `level` is that of what the rules have no kind for.
std::vector<EntryKind> kinds_with_dictionaries(int level, const CompressionRules& rules);

/// One for a whole build, made before anything is packed; then from any number of threads.
class CompressionPlan {
 public:
  /// Everything at one level, without dictionaries.
  explicit CompressionPlan(int level);
  /// `level` (0 stores) is that of what the rules have no kind for. Dictionaries of which two have
  /// one id are not used.
  CompressionPlan(int level, CompressionRules rules, BuildDictionaries dictionaries);

  /// The level of an entry of a file with this extension; 0 stores it.
  int level_of(EntryKind kind, std::string_view extension) const;
  /// The same when its content is known: what is compressed already is stored, unless a rule has
  /// its extension.
  int level_of(EntryKind kind, std::string_view extension, Bytes plain) const;
  /// Null for none.
  const CompressionDictionary* dictionary_of(EntryKind kind, int level) const;
  /// What was made of an entry that has been packed by such a plan.
  PackedHow how_packed(const BundleEntry& entry, std::string_view extension) const;

  /// The same of the entries of a project, which lives longer than the result, like this.
  HowPacked how_packed_in(const Project& project) const;

  /// Those that are used.
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
