#include "runtime/sync/cue_ledger.h"

#include <algorithm>

namespace muster {

CueLedger::Entry* CueLedger::find(const PredictedKey& key) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found != entries_.end() ? &*found : nullptr;
}

CueLedger::Entry* CueLedger::find_late(const PredictedKey& key) {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    const std::int32_t late = command_steps(entry.key.command, key.command);
    const bool is_same_cue = entry.key.system == key.system && entry.key.order == key.order;
    if (entry.is_confirmed || entry.is_undone || !is_same_cue) continue;
    if (late <= 0 || late > kLateCommandsMax) continue;
    if (oldest == nullptr || command_steps(entry.key.command, oldest->key.command) > 0) {
      oldest = &entry;
    }
  }
  return oldest;
}

CueLedger::Entry& CueLedger::add(const PredictedKey& key) {
  if (entries_.size() == kKept) {
    const auto oldest = std::ranges::find(entries_, true, &Entry::is_confirmed);
    entries_.erase(oldest != entries_.end() ? oldest : entries_.begin());
  }
  Entry& entry = entries_.emplace_back();
  entry.key = key;
  return entry;
}

bool CueLedger::predict(const PredictedKey& key, EntityId cause, std::uint32_t replay,
                        bool is_replaying) {
  Entry* entry = find(key);
  const bool is_played = entry != nullptr && !entry->is_undone;
  if (entry == nullptr) entry = &add(key);
  entry->replay = replay;
  entry->cause = cause;
  if (is_played) {
    ++counters_.repeated;
    return false;
  }
  entry->is_undone = false;
  ++counters_.played;
  if (is_replaying) ++counters_.late;
  return true;
}

bool CueLedger::confirm(const PredictedKey& key) {
  Entry* entry = find(key);
  if (entry == nullptr) entry = find_late(key);
  const bool is_played = entry != nullptr && !entry->is_undone;
  if (entry == nullptr) entry = &add(key);
  entry->is_confirmed = true;
  entry->is_undone = false;
  ++(is_played ? counters_.repeated : counters_.foreign);
  return !is_played;
}

void CueLedger::settle(CommandNumber received, std::optional<std::uint32_t> replay, Tick tick,
                       std::uint32_t patience_ticks, std::vector<EntityId>& out) {
  for (Entry& entry : entries_) {
    if (entry.is_confirmed || entry.is_undone) continue;
    if (command_steps(received, entry.key.command) > 0) {
      // The server has not run the command yet, so each replay runs the command again.
      if (!replay || entry.replay == *replay) continue;
    } else {
      if (!entry.awaited_since) entry.awaited_since = tick;
      if (tick.value() - entry.awaited_since->value() < patience_ticks) continue;
    }
    entry.is_undone = true;
    ++counters_.undone;
    out.push_back(entry.cause);
  }
}

void CueLedger::forget_before(CommandNumber oldest) {
  std::erase_if(entries_, [&](const Entry& entry) {
    const bool is_settled = entry.is_confirmed || entry.is_undone;
    return is_settled && command_steps(entry.key.command, oldest) > 0;
  });
}

}  // namespace muster
