// Dictionaries must depend only on the project, so that an incremental build and a full build give
// equal bytes. So dictionaries are trained on content, never on an earlier output. The samples for
// training are chosen by guids, because otherwise every change of content would change all bundles.
// Both targets have the same dictionaries, so the samples include content that a target strips.
#include "bundler/dictionaries/build_dictionaries.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <memory>
#include <span>

#include "bundler/cache/cache_race.h"
#include "bundler/cook/asset_cooker.h"
#include "bundler/incremental/cached_bundles.h"
#include "registry/base/parallel.h"
#include "registry/project/reference_graph.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

/// The version of the rules for training. Increment the version when equal samples must give other
/// dictionaries than before.
constexpr std::uint8_t kRulesVersion = 1;
/// The estimated time of training, which decides how long to wait for a distant server.
constexpr Duration kTrainingTime = std::chrono::seconds(4);

class Making {
 public:
  explicit Making(const DictionaryWork& work) : work_(work) {
    if (work.committed != nullptr) return;
    if (!work.kinds.empty()) samples_ = choose_samples(work.project, work.rules);
    made_.key = key();
    for (const std::vector<AssetNumber>* assets : {&samples_.text, &samples_.settings}) {
      for (const AssetNumber asset : *assets) {
        made_.samples.push_back(work_.project.index().at(asset).guid);
      }
    }
    std::ranges::sort(made_.samples);
  }

  BuildDictionaries run() {
    if (work_.committed != nullptr) {
      use_committed();
    } else if (made_.samples.empty()) {
      made_.is_kept = true;
      if (work_.earlier != nullptr) explain(work_.earlier->state().dictionaries);
    } else if (!keep() && !load_from_cache()) {
      make();
    }
    return std::move(made_);
  }

 private:
  ContentHash key() const {
    ContentHasher hasher;
    hasher.update_text("dictionaries");
    const std::array<std::byte, 3> rules = {std::byte{kRulesVersion},
                                            static_cast<std::byte>(samples_.text_share),
                                            static_cast<std::byte>(samples_.settings_share)};
    hasher.update(rules);
    for (const EntryKind kind : work_.kinds) hasher.update_text(to_string(kind));
    for (const std::vector<AssetNumber>* assets : {&samples_.text, &samples_.settings}) {
      hasher.update_text(std::to_string(assets->size()));
      for (const AssetNumber asset : *assets) {
        hasher.update(work_.project.index().at(asset).guid.bytes());
      }
    }
    return hasher.finish();
  }

  void use_committed() {
    made_.all = *work_.committed;
    std::erase_if(made_.all, [&](const BuildDictionary& one) {
      return !std::ranges::binary_search(work_.kinds, one.kind);
    });
    made_.is_committed = true;
    ContentHasher hasher;
    hasher.update_text("committed dictionaries");
    for (const BuildDictionary& one : made_.all) {
      const ContentHash hash = one.hash();
      hasher.update(std::as_bytes(std::span(hash.bytes)));
    }
    made_.key = hasher.finish();
    if (work_.earlier == nullptr) return;
    const std::vector<StateDictionary>& old = work_.earlier->state().dictionaries.all;
    for (const EntryKind kind : kDictionaryKinds) {
      const auto now = std::ranges::find(made_.all, kind, &BuildDictionary::kind);
      const auto before = std::ranges::find(old, kind, &StateDictionary::kind);
      const bool is_unchanged = (now == made_.all.end()) == (before == old.end()) &&
                                (now == made_.all.end() || now->hash() == before->hash);
      if (!is_unchanged) made_.reasons.push_back({"committed", std::string(to_string(kind))});
    }
  }

  void explain(const StateDictionaries& old) {
    std::vector<Guid> before;
    for (const std::uint32_t asset : old.samples) {
      before.push_back(work_.earlier->state().assets[asset].guid);
    }
    std::ranges::sort(before);
    std::vector<Guid> changed;
    std::ranges::set_difference(made_.samples, before, std::back_inserter(changed));
    for (const Guid& guid : changed) {
      made_.reasons.push_back({"sample added", work_.earlier->path_of(work_.project, guid)});
    }
    changed.clear();
    std::ranges::set_difference(before, made_.samples, std::back_inserter(changed));
    for (const Guid& guid : changed) {
      made_.reasons.push_back({"sample left", work_.earlier->path_of(work_.project, guid)});
    }
    work_.earlier->explain_facts(work_.project, Target::client, old.facts, made_.reasons);
    std::ranges::sort(made_.reasons);
  }

  bool keep() {
    if (work_.earlier == nullptr) return false;
    const StateDictionaries& old = work_.earlier->state().dictionaries;
    explain(old);
    if (old.key != made_.key || !work_.earlier->are_unchanged(old.facts)) return false;
    // Another version of the program may cook the samples differently. However, if only the release
    // of zstd differs, the dictionaries are kept. New dictionaries would change all bundles, and
    // players would download them again.
    const BuildState& state = work_.earlier->state();
    if (state.tool != work_.tool && state.compressor == compressor_version()) return false;
    for (const StateDictionary& dictionary : old.all) {
      auto bytes = work_.earlier->read_dictionary(dictionary.hash);
      if (!bytes) return false;
      made_.all.push_back(
          {dictionary.kind, std::move(*bytes), dictionary.sample_bytes, dictionary.saved_bytes});
    }
    for (const std::uint32_t fact : old.facts) made_.facts.push_back(work_.earlier->fact(fact));
    made_.is_kept = true;
    return true;
  }

  // The keys are made like the keys of `CachedBundles`. The first key is the hash of the contents.
  // The second key is the hash of all questions of cooking and their answers.
  ContentHash key_of_questions() const {
    ContentHasher hasher;
    hasher.update_text("dictionary questions");
    hasher.update_text(work_.tool);
    hasher.update(std::as_bytes(std::span(made_.key.bytes)));
    for (const Guid& guid : made_.samples) {
      for (const CookQuestionKind kind : {CookQuestionKind::content, CookQuestionKind::sidecar}) {
        const ContentHash answer =
            work_.answers->answer({.kind = kind, .guid = guid, .text = {}}, Target::client);
        hasher.update(std::as_bytes(std::span(answer.bytes)));
      }
    }
    return hasher.finish();
  }

  static ContentHash key_of_answers(const ContentHash& questions,
                                    const std::vector<CookFact>& facts) {
    ContentHasher hasher;
    hasher.update_text("dictionaries");
    hasher.update(std::as_bytes(std::span(questions.bytes)));
    hasher.update(encode_questions(facts));
    for (const CookFact& fact : facts) hasher.update(std::as_bytes(std::span(fact.answer.bytes)));
    return hasher.finish();
  }

  // Gets the dictionaries from the cache. Waits only a short time for a server that does not
  // answer.
  bool load_from_cache() {
    if (work_.cache == nullptr || work_.only_stores) return false;
    std::optional<Cached> found;
    if (!work_.cache->has_far_level() || work_.clock == nullptr) {
      found = look_up({});
    } else {
      CacheRace race;
      race.estimates = {kTrainingTime};
      race.large_count = 1;
      race.look_up = [&](std::size_t, const std::stop_token& abandoned) -> CacheRace::Accept {
        auto answer = std::make_shared<std::optional<Cached>>(look_up(abandoned));
        if (!*answer) return {};
        return [&found, answer] { found = std::move(*answer); };
      };
      has_answer_ = false;
      race.work = [&](std::size_t, unsigned, bool is_missed) { has_answer_ = is_missed; };
      (void)run_race(race, *work_.clock, work_.stop);
    }
    if (!found) return false;
    made_.all = std::move(found->all);
    made_.facts = std::move(found->facts);
    return true;
  }

  struct Cached {
    std::vector<BuildDictionary> all;
    std::vector<CookFact> facts;
  };

  std::optional<Cached> look_up(const std::stop_token& abandoned) const {
    const ContentHash key = key_of_questions();
    std::optional<std::vector<CookQuestion>> questions;
    const auto has_questions =
        work_.cache->find(key, CacheReach::all, abandoned, {}, [&](Bytes value) {
          questions = parse_questions(value);
          return questions.has_value();
        });
    if (!has_questions) return std::nullopt;
    std::vector<CookFact> facts;
    for (const CookQuestion& question : *questions) {
      facts.push_back({question, work_.answers->answer(question, Target::client)});
    }
    std::ranges::sort(facts);
    std::optional<std::vector<BuildDictionary>> all;
    const auto has_dictionaries = work_.cache->find(key_of_answers(key, facts), CacheReach::all,
                                                    abandoned, {}, [&](Bytes value) {
                                                      all = parse_dictionaries(value);
                                                      return all.has_value();
                                                    });
    if (!has_dictionaries) return std::nullopt;
    return Cached{std::move(*all), std::move(facts)};
  }

  void make() {
    const CookedSamples cooked =
        cook_samples(work_.project, work_.components, samples_, work_.jobs, work_.stop);
    const std::vector<EntryKind>& kinds = work_.kinds;
    std::vector<std::optional<TrainedDictionary>> trained(kinds.size());
    // Kinds are trained one after another, with parallel work within a kind, because one kind has
    // nearly all the data.
    for (std::size_t i = 0; i < kinds.size() && !work_.stop.stop_requested(); ++i) {
      const auto samples = cooked.of(kinds[i]);
      const std::uint64_t others = cooked.estimated_entries(kinds[i]) - samples.size();
      trained[i] = train_dictionary(samples, others, work_.rules.training, work_.jobs);
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!trained[i]) continue;
      made_.all.push_back({kinds[i], std::move(trained[i]->bytes), trained[i]->sample_bytes,
                           trained[i]->saved_bytes});
    }
    if (work_.answers == nullptr) return;
    for (const std::vector<CookedAsset>* some : {&cooked.text, &cooked.settings}) {
      for (const CookedAsset& asset : *some) {
        for (const CookQuestion& question : asset.questions) made_.facts.push_back({question, {}});
      }
    }
    std::ranges::sort(made_.facts);
    made_.facts.erase(std::unique(made_.facts.begin(), made_.facts.end()), made_.facts.end());
    for (CookFact& fact : made_.facts)
      fact.answer = work_.answers->answer(fact.question, Target::client);
    if (work_.cache == nullptr || work_.stop.stop_requested()) return;
    const ContentHash key = key_of_questions();
    const CacheReach reach = has_answer_ ? CacheReach::all : CacheReach::near;
    std::vector<CacheEntry> entries;
    entries.push_back({key_of_answers(key, made_.facts), encode(made_.all)});
    entries.push_back({key, encode_questions(made_.facts)});
    work_.cache->store(std::move(entries), reach);
  }

  const DictionaryWork& work_;
  DictionarySamples samples_;
  BuildDictionaries made_;
  /// False if the server was too slow. Nothing is then stored on the server.
  bool has_answer_ = true;
};

}  // namespace

std::vector<StateDictionary> BuildDictionaries::all_of_state() const {
  std::vector<StateDictionary> found;
  for (const BuildDictionary& one : all) {
    found.push_back({one.kind, one.hash(), one.sample_bytes, one.saved_bytes});
  }
  return found;
}

BuildDictionaries make_dictionaries(const DictionaryWork& work) { return Making(work).run(); }

ByteVector encode(const std::vector<BuildDictionary>& dictionaries) {
  ByteWriter out;
  out.varint(dictionaries.size());
  for (const BuildDictionary& dictionary : dictionaries) {
    out.u8(static_cast<std::uint8_t>(dictionary.kind));
    out.varint(dictionary.sample_bytes);
    out.varint(dictionary.saved_bytes);
    out.varint(dictionary.bytes.size());
    out.bytes(dictionary.bytes);
  }
  return out.release();
}

std::optional<std::vector<BuildDictionary>> parse_dictionaries(Bytes bytes) {
  ByteReader in(bytes);
  const std::uint64_t count = in.varint();
  if (count > kDictionaryKinds.size()) return std::nullopt;
  std::vector<BuildDictionary> dictionaries(static_cast<std::size_t>(count));
  DictionarySet distinct;
  for (std::size_t i = 0; i < dictionaries.size(); ++i) {
    BuildDictionary& dictionary = dictionaries[i];
    dictionary.kind = static_cast<EntryKind>(in.u8());
    dictionary.sample_bytes = in.varint();
    dictionary.saved_bytes = in.varint();
    const std::uint64_t size = in.varint();
    if (in.failed() || size > in.remaining()) return std::nullopt;
    const Bytes content = in.bytes(static_cast<std::size_t>(size));
    const bool is_known = std::ranges::count(kDictionaryKinds, dictionary.kind) > 0;
    const bool is_sorted = i == 0 || dictionaries[i - 1].kind < dictionary.kind;
    if (!is_known || !is_sorted || !distinct.add(hash_bytes(content), content) ||
        !CompressionDictionary::is_usable(content)) {
      return std::nullopt;
    }
    dictionary.bytes.assign(content.begin(), content.end());
  }
  if (in.failed() || in.remaining() > 0) return std::nullopt;
  return dictionaries;
}

}  // namespace muster
