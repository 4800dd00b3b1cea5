#include "bundler/incremental/cached_bundles.h"

#include <algorithm>
#include <set>

#include "registry/model/open_variants.h"

namespace muster {
namespace {

/// The maximum number of assets of a stored bundle.
constexpr std::uint64_t kAssetsMax = std::uint64_t{1} << 22U;

ContentHash key_of_bundle(const ContentHash& questions, const std::vector<CookFact>& facts) {
  ContentHasher hasher;
  hasher.update_text("bundle");
  hasher.update(std::as_bytes(std::span(questions.bytes)));
  hasher.update(encode_questions(facts));
  for (const CookFact& fact : facts) hasher.update(std::as_bytes(std::span(fact.answer.bytes)));
  return hasher.finish();
}

// The questions of a bundle, and the bundle that belongs to the answers when the bundle was stored.
// If the current answers are the same, the bundle is found without a request for the value of its
// key.
struct StoredQuestions {
  std::vector<CookQuestion> questions;
  ContentHash bundle_key;
  ActionResult bundle;
};
constexpr std::size_t kKnownBundleBytes =
    sizeof(ContentHash::bytes) + sizeof(Sha256::bytes) + sizeof(std::uint64_t);

ByteVector encode_stored(const std::vector<CookFact>& facts, const ContentHash& bundle_key,
                         const ActionResult& bundle) {
  ByteWriter out;
  out.bytes(encode_questions(facts));
  out.bytes(std::as_bytes(std::span(bundle_key.bytes)));
  out.bytes(std::as_bytes(std::span(bundle.content.bytes)));
  out.u64(bundle.inlined ? 0 : bundle.content_bytes);
  return out.release();
}

std::optional<StoredQuestions> parse_stored(Bytes bytes) {
  if (bytes.size() < kKnownBundleBytes) return std::nullopt;
  auto questions = parse_questions(bytes.first(bytes.size() - kKnownBundleBytes));
  if (!questions) return std::nullopt;
  StoredQuestions stored{.questions = std::move(*questions), .bundle_key = {}, .bundle = {}};
  ByteReader in(bytes.last(kKnownBundleBytes));
  std::ranges::copy(in.bytes(sizeof(ContentHash::bytes)),
                    std::as_writable_bytes(std::span(stored.bundle_key.bytes)).begin());
  std::ranges::copy(in.bytes(sizeof(Sha256::bytes)),
                    std::as_writable_bytes(std::span(stored.bundle.content.bytes)).begin());
  stored.bundle.content_bytes = in.u64();
  return stored;
}

}  // namespace

ByteVector encode(const CachedBundle& bundle) {
  ByteWriter out;
  out.varint(bundle.plain_bytes);
  out.varint(bundle.source_bytes);
  out.varint(bundle.asset_bytes.size());
  for (const std::uint64_t bytes : bundle.asset_bytes) out.varint(bytes);
  out.bytes(bundle.file);
  return out.release();
}

std::optional<CachedBundle> parse_cached_bundle(Bytes bytes) {
  ByteReader in(bytes);
  CachedBundle bundle;
  bundle.plain_bytes = in.varint();
  bundle.source_bytes = in.varint();
  const std::uint64_t assets = in.varint();
  if (assets > std::min<std::uint64_t>(kAssetsMax, in.remaining())) return std::nullopt;
  for (std::uint64_t i = 0; i < assets; ++i) bundle.asset_bytes.push_back(in.varint());
  const Bytes file = in.bytes(in.remaining());
  if (in.failed()) return std::nullopt;
  const auto reader = BundleReader::open(file);
  if (!reader || reader.value().compute_hash() != reader.value().bundle_hash()) return std::nullopt;
  bundle.file.assign(file.begin(), file.end());
  return bundle;
}

bool holds_only(const Project& project, const PlannedBundle& planned, const BundleReader& reader,
                const DictionarySet& dictionaries) {
  std::set<Guid> guids;
  for (const AssetNumber asset : planned.assets) guids.insert(packed_guid(project, asset));
  for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
    const BundleEntry entry = reader.entry(i);
    const bool is_known =
        entry.dictionary_id == 0 || dictionaries.find(entry.dictionary_id) != nullptr;
    if (!guids.contains(entry.guid) || !is_known) return false;
  }
  return true;
}

ByteVector encode_questions(const std::vector<CookFact>& facts) {
  ByteWriter out;
  out.varint(facts.size());
  for (const CookFact& fact : facts) {
    out.u8(static_cast<std::uint8_t>(fact.question.kind));
    out.bytes(fact.question.guid.bytes());
    out.text(fact.question.text);
  }
  return out.release();
}

std::optional<std::vector<CookQuestion>> parse_questions(Bytes bytes) {
  ByteReader in(bytes);
  const std::uint64_t count = in.varint();
  if (count > in.remaining()) return std::nullopt;
  std::vector<CookQuestion> questions;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    CookQuestion question;
    const std::uint8_t kind = in.u8();
    question.kind = static_cast<CookQuestionKind>(kind);
    const Bytes guid = in.bytes(question.guid.bytes().size());
    if (!in.failed()) question.guid = Guid::from_bytes(guid);
    question.text = in.text();
    if (kind < static_cast<std::uint8_t>(kFirstQuestionKind) ||
        kind > static_cast<std::uint8_t>(kLastQuestionKind)) {
      return std::nullopt;
    }
    questions.push_back(std::move(question));
  }
  if (in.failed() || in.remaining() > 0) return std::nullopt;
  return questions;
}

CachedBundles::CachedBundles(BuildCache& cache, const Project& project, const CookAnswers& answers,
                             const PackingTerms& terms, bool only_stores)
    : cache_(cache),
      project_(project),
      answers_(answers),
      terms_(terms.tool + " level " + std::to_string(terms.level)),
      only_stores_(only_stores) {
  if (!terms.compression.empty()) terms_ += " kinds " + terms.compression;
  // A kind without a dictionary is not listed, so the name of the kind is added to each hash.
  for (const StateDictionary& dictionary : terms.dictionaries) {
    terms_ += " " + std::string(to_string(dictionary.kind)) + " " + dictionary.hash.to_string();
  }
}

ContentHash CachedBundles::key_of_questions(const PlannedBundle& planned) const {
  ContentHasher hasher;
  hasher.update_text("questions");
  hasher.update_text(terms_);
  // The entries of a variant have the guid of its base. The same file as a separate asset has
  // another guid.
  if (!planned.keys.empty()) {
    hasher.update_text("variant");
    hasher.update(project_.index().at(planned.varied).guid.bytes());
  }
  for (const AssetNumber asset : planned.assets) {
    const Guid& guid = project_.index().at(asset).guid;
    hasher.update(guid.bytes());
    for (const CookQuestionKind kind : {CookQuestionKind::content, CookQuestionKind::sidecar}) {
      const ContentHash answer =
          answers_.answer({.kind = kind, .guid = guid, .text = {}}, Target::client);
      hasher.update(std::as_bytes(std::span(answer.bytes)));
    }
  }
  return hasher.finish();
}

std::optional<ReadableBundle> CachedBundles::parse(Bytes value, const PlannedBundle& planned,
                                                   const DictionarySet& dictionaries) const {
  auto bundle = parse_cached_bundle(value);
  if (!bundle || bundle->asset_bytes.size() != planned.assets.size()) return std::nullopt;
  auto reader = BundleReader::open(bundle->file);
  if (!reader || !holds_only(project_, planned, reader.value(), dictionaries)) return std::nullopt;
  return ReadableBundle{{.bundle = std::move(*bundle), .facts = {}}, std::move(reader).value()};
}

std::optional<ReadableBundle> CachedBundles::find(const PlannedBundle& planned, Target target,
                                                  const DictionarySet& dictionaries,
                                                  CacheReach reach,
                                                  const std::stop_token& abandoned) const {
  if (only_stores_) return std::nullopt;
  const ContentHash key = key_of_questions(planned);
  std::optional<StoredQuestions> stored;
  const auto has_questions = cache_.find(key, reach, abandoned, {}, [&](Bytes value) {
    stored = parse_stored(value);
    return stored.has_value();
  });
  if (!has_questions) return std::nullopt;
  std::vector<CookFact> facts;
  for (const CookQuestion& question : stored->questions) {
    facts.push_back({question, answers_.answer(question, target)});
  }
  std::ranges::sort(facts);
  const ContentHash bundle_key = key_of_bundle(key, facts);
  std::optional<ActionResult> known;
  if (stored->bundle_key == bundle_key && stored->bundle.content_bytes > 0) known = stored->bundle;
  std::optional<ReadableBundle> found;
  const auto has_bundle = cache_.find(bundle_key, reach, abandoned, known, [&](Bytes value) {
    found = parse(value, planned, dictionaries);
    return found.has_value();
  });
  if (!has_bundle) return std::nullopt;
  found->found.facts = std::move(facts);
  return found;
}

void CachedBundles::store(const PlannedBundle& planned, const CachedBundle& bundle,
                          const std::vector<CookFact>& facts, CacheReach reach) const {
  if (!cache_.stores(reach)) return;
  const ContentHash key = key_of_questions(planned);
  const ContentHash bundle_key = key_of_bundle(key, facts);
  std::vector<CacheEntry> entries;
  entries.push_back({bundle_key, encode(bundle)});
  entries.back().named = name_result(entries.back().result);
  entries.push_back({key, encode_stored(facts, bundle_key, *entries.back().named)});
  cache_.store(std::move(entries), reach);
}

}  // namespace muster
