#include "bundler/cache/build_cache.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "registry/base/counted.h"

namespace muster {
namespace {

// Distinguishes the keys of Muster from the keys of other tools in a shared cache. Changing the
// number invalidates all older entries.
constexpr std::string_view kKeyPrefix = "muster result 2\n";

Sha256 action_of(const ContentHash& key) {
  ByteWriter writer;
  writer.bytes(as_bytes(kKeyPrefix));
  writer.bytes(std::as_bytes(std::span(key.bytes)));
  return sha256(writer.view());
}

}  // namespace

BuildCache::BuildCache(std::vector<CacheLevel> levels) : levels_(std::move(levels)) {
  assert(levels_.size() <= kLevelsMax);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].is_far) uploads_[i] = std::make_unique<CacheUploads>(*levels_[i].store);
  }
}

template <typename Change>
void BuildCache::note(std::size_t level, Direction direction, const Change& change) {
  const std::lock_guard lock(mutex_);
  State& state = states_[level];
  // A level that is not used any more stays unused, even if a running request succeeds later.
  unsigned& failures = state.failures_in_row[static_cast<std::size_t>(direction)];
  if (failures < kFailuresMax) failures = 0;
  change(state.counters);
}

void BuildCache::note_failure(std::size_t level, Direction direction, const Error& error) {
  const std::lock_guard lock(mutex_);
  State& state = states_[level];
  if (error.code == ErrorCode::cancelled) {
    ++state.counters.abandoned;
    return;
  }
  ++state.counters.failures;
  ++state.failures_in_row[static_cast<std::size_t>(direction)];
  if (error.code == ErrorCode::timed_out) state.failures_in_row.fill(kFailuresMax);
  state.last_failure = error.message;
}

bool BuildCache::is_on(std::size_t level, Direction direction) const {
  const std::lock_guard lock(mutex_);
  return states_[level].failures_in_row[static_cast<std::size_t>(direction)] < kFailuresMax;
}

CacheCounters BuildCache::counters(std::size_t level) const {
  const std::lock_guard lock(mutex_);
  return states_[level].counters;
}

std::vector<std::string> BuildCache::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const State& state = states_[i];
    const CacheCounters& counters = state.counters;
    const std::string cache = "the cache " + levels_[i].name;
    if (counters.damaged > 0) {
      notes.push_back(counted(counters.damaged, "answer") + " of " + cache +
                      " could not be used; the content was built instead");
    }
    const bool has_answered = counters.hits + counters.misses + counters.stored > 0;
    if (counters.abandoned > 0 && has_answered) {
      notes.push_back(counted(counters.abandoned, "look-up") + " in " + cache +
                      " took longer than packing; given up");
    } else if (counters.abandoned > 0 && counters.failures == 0) {
      notes.push_back(cache + " was given up: building was quicker than waiting for its answer");
    }
    if (counters.failures > 0) {
      const bool is_off = std::ranges::max(state.failures_in_row) >= kFailuresMax;
      notes.push_back(cache +
                      (is_off || !has_answered ? " was given up: " : " failed sometimes: ") +
                      state.last_failure);
    }
    if (counters.not_stored > 0) {
      const bool refuses =
          state.failures_in_row[static_cast<std::size_t>(Direction::out)] >= kFailuresMax;
      notes.push_back(std::to_string(counters.not_stored) + " of " +
                      counted(counters.stored + counters.not_stored, "result") +
                      (counters.not_stored == 1 ? " was" : " were") + " not uploaded to " + cache +
                      (refuses ? "" : ": the build would have had to wait"));
    }
  }
  return notes;
}

bool BuildCache::has_far_level() const { return std::ranges::any_of(levels_, &CacheLevel::is_far); }

bool BuildCache::stores(CacheReach reach) const {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (concerns(reach, i) && levels_[i].is_writable && is_on(i, Direction::out)) return true;
  }
  return false;
}

bool BuildCache::concerns(CacheReach reach, std::size_t level) const {
  return reach == CacheReach::all || levels_[level].is_far == (reach == CacheReach::far);
}

std::optional<ByteVector> BuildCache::find(const ContentHash& key, CacheReach reach,
                                           const std::stop_token& abandoned,
                                           const std::optional<ActionResult>& known,
                                           const Parse& parse) {
  const Query query{.action = action_of(key), .abandoned = abandoned, .parse = parse};
  const bool knows_content = known && !known->inlined && known->content_bytes <= kResultBytesMax;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (!concerns(reach, i) || !is_on(i, Direction::in)) continue;
    if (abandoned.stop_requested()) break;
    std::optional<Found> found = knows_content ? find_content(i, query, *known) : find_at(i, query);
    if (!found) continue;
    for (std::size_t nearer = 0; nearer < i; ++nearer) {
      store_at(nearer, query.action, found->named, found->bytes);
    }
    return std::move(found->bytes);
  }
  return std::nullopt;
}

std::optional<BuildCache::Found> BuildCache::find_at(std::size_t level, const Query& query) {
  BlobStore& store = *levels_[level].store;
  const auto named =
      store.get({BlobSpace::actions, query.action}, kActionResultBytesMax, query.abandoned);
  const bool is_too_long = !named && named.error().code == ErrorCode::limit_exceeded;
  if (!named && !is_too_long) {
    note_failure(level, Direction::in, named.error());
    return std::nullopt;
  }
  if (named && !named.value()) {
    note(level, Direction::in, [](CacheCounters& counters) { ++counters.misses; });
    return std::nullopt;
  }
  const auto result =
      is_too_long ? std::optional<ActionResult>() : parse_action_result(*named.value());
  if (!result || result->content_bytes > kResultBytesMax) {
    drop_damaged(level, query.action, std::nullopt);
    return std::nullopt;
  }
  return find_content(level, query, *result);
}

std::optional<BuildCache::Found> BuildCache::find_content(std::size_t level, const Query& query,
                                                          const ActionResult& named) {
  BlobStore& store = *levels_[level].store;
  auto content = named.inlined ? Result<std::optional<ByteVector>>(named.inlined)
                               : store.get({BlobSpace::content, named.content}, named.content_bytes,
                                           query.abandoned);
  if (!content && content.error().code != ErrorCode::limit_exceeded) {
    note_failure(level, Direction::in, content.error());
    return std::nullopt;
  }
  if (content && !content.value()) {  // The cache has the key's value, but removed the content.
    note(level, Direction::in, [](CacheCounters& counters) { ++counters.misses; });
    return std::nullopt;
  }
  if (!content || content.value()->size() != named.content_bytes ||
      sha256(*content.value()) != named.content ||
      (query.parse && !query.parse(*content.value()))) {
    drop_damaged(level, query.action, named.content);
    return std::nullopt;
  }
  note(level, Direction::in, [&](CacheCounters& counters) {
    ++counters.hits;
    counters.bytes_in += named.content_bytes;
  });
  return Found{.named = named, .bytes = std::move(*content.value())};
}

void BuildCache::drop_damaged(std::size_t level, const Sha256& action,
                              const std::optional<Sha256>& content) {
  note(level, Direction::in, [](CacheCounters& counters) {
    ++counters.damaged;
    ++counters.misses;
  });
  if (!levels_[level].is_writable) return;
  levels_[level].store->remove({BlobSpace::actions, action});
  if (content) levels_[level].store->remove({BlobSpace::content, *content});
}

void BuildCache::store(const ContentHash& key, ByteVector result, CacheReach reach) {
  std::vector<CacheEntry> entries;
  entries.push_back({key, std::move(result)});
  store(std::move(entries), reach);
}

void BuildCache::store(std::vector<CacheEntry> entries, CacheReach reach) {
  const bool is_any_too_large = std::ranges::any_of(
      entries, [](const CacheEntry& entry) { return entry.result.size() > kResultBytesMax; });
  if (is_any_too_large || !stores(reach)) return;
  std::vector<std::pair<Sha256, ActionResult>> names;
  std::uint64_t result_bytes = 0;
  for (const CacheEntry& entry : entries) {
    names.emplace_back(action_of(entry.key),
                       entry.named ? *entry.named : name_result(entry.result));
    result_bytes += entry.result.size();
  }
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (!concerns(reach, i)) continue;
    CacheUploads::Blobs blobs;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto& [action, named] = names[k];
      if (!levels_[i].is_far) {
        store_at(i, action, named, entries[k].result);
        continue;
      }
      if (!named.inlined) {
        ByteVector& result = entries[k].result;
        const bool is_last = i + 1 == levels_.size();
        blobs.emplace_back(BlobKey{BlobSpace::content, named.content},
                           is_last ? std::move(result) : result);
      }
      blobs.emplace_back(BlobKey{BlobSpace::actions, action}, encode(named));
    }
    if (!blobs.empty()) upload(i, std::move(blobs), result_bytes);
  }
}

void BuildCache::upload(std::size_t level, CacheUploads::Blobs blobs, std::uint64_t result_bytes) {
  if (!levels_[level].is_writable || !is_on(level, Direction::out)) return;
  uploads_[level]->add(std::move(blobs), [this, level, result_bytes](const Result<void>& put) {
    if (put) {
      note(level, Direction::out, [&](CacheCounters& counters) {
        ++counters.stored;
        counters.bytes_out += result_bytes;
      });
    } else if (put.error().code == ErrorCode::cancelled) {
      const std::lock_guard lock(mutex_);
      ++states_[level].counters.not_stored;
    } else {
      note_failure(level, Direction::out, put.error());
      if (!is_on(level, Direction::out)) uploads_[level]->give_up();
    }
  });
}

void BuildCache::finish(Duration patience, const std::stop_token& stop) {
  for (const auto& uploads : uploads_) {
    if (uploads) uploads->finish(patience, stop);
  }
}

void BuildCache::store_at(std::size_t level, const Sha256& action, const ActionResult& named,
                          Bytes bytes) {
  if (!levels_[level].is_writable || !is_on(level, Direction::out)) return;
  BlobStore& store = *levels_[level].store;
  // Stores the content first, because the value of the key is useless without the content.
  Result<void> put;
  if (!named.inlined) put = store.put({BlobSpace::content, named.content}, bytes);
  if (put) put = store.put({BlobSpace::actions, action}, encode(named));
  if (!put) return note_failure(level, Direction::out, put.error());
  note(level, Direction::out, [&](CacheCounters& counters) {
    ++counters.stored;
    counters.bytes_out += bytes.size();
  });
}

}  // namespace muster
