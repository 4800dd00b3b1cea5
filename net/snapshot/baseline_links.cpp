// Each entity has a short list, newest first. A frequently sent entity has no links. A rarely sent
// entity has one link for each of its states in the window.
#include "net/snapshot/baseline_links.h"

#include <algorithm>

namespace muster {

BaselineLinks::BaselineLinks(const SnapshotModel& model) : nodes_(1) {
  pools_.reserve(model.types.size());
  for (const TypeModel& type : model.types) pools_.emplace_back(type.lanes.size());
}

LinkList BaselineLinks::find(LinkList list, Tick tick) const {
  while (list != 0 && nodes_[list].tick != tick) list = nodes_[list].next;
  return list;
}

void BaselineLinks::add(LinkList& list, EntityKind kind, Tick tick, Tick baseline_tick,
                        const LaneValue* baseline) {
  if (find(list, tick) != 0) return;  // Another part of the same tick has added the link.
  LinkList added = free_;
  if (added != 0) {
    free_ = nodes_[added].next;
  } else {
    added = static_cast<LinkList>(nodes_.size());
    nodes_.emplace_back();
  }
  RowPool& pool = pools_[codec_index(kind.type)];
  LaneValue* row = pool.allocate();
  std::copy_n(baseline, pool.lanes(), row);
  nodes_[added] = {.next = list,
                   .tick = tick,
                   .baseline_tick = baseline_tick,
                   .kind = kind,
                   .is_needed = true,
                   .baseline = row};
  list = added;
  used_bytes_ += byte_count(pool.lanes());
}

void BaselineLinks::extend(LinkList list, EntityKind kind, KnownStates& known) const {
  const std::size_t lanes = pools_[codec_index(kind.type)].lanes();
  while (known.count < kLinkedStates) {
    const LinkList found = find(list, known.ticks[known.count - 1]);
    if (found == 0 || nodes_[found].kind != kind) return;
    const Node& node = nodes_[found];
    const bool is_same = is_same_row(known.values[0], node.baseline, lanes);
    known.values[known.count] = is_same ? known.values[0] : node.baseline;
    known.ticks[known.count] = node.baseline_tick;
    ++known.count;
  }
}

/// Marks the links that `extend` would visit.
void BaselineLinks::mark(LinkList list, Tick tick) {
  for (std::size_t i = 1; i < kLinkedStates; ++i) {
    const LinkList found = find(list, tick);
    if (found == 0) return;
    nodes_[found].is_needed = true;
    tick = nodes_[found].baseline_tick;
  }
}

void BaselineLinks::free_unmarked(LinkList& list) {
  LinkList before = 0;
  for (LinkList at = list; at != 0;) {
    const LinkList next = nodes_[at].next;
    if (nodes_[at].is_needed) {
      before = at;
    } else {
      (before == 0 ? list : nodes_[before].next) = next;
      RowPool& pool = pools_[codec_index(nodes_[at].kind.type)];
      used_bytes_ -= byte_count(pool.lanes());
      pool.give_back(nodes_[at].baseline);
      nodes_[at] = {.next = free_, .kind = {}};
      free_ = at;
    }
    at = next;
  }
}

void BaselineLinks::drop(LinkList& list) {
  for (LinkList at = list; at != 0; at = nodes_[at].next) nodes_[at].is_needed = false;
  free_unmarked(list);
}

std::size_t BaselineLinks::memory_bytes() const {
  std::size_t bytes = nodes_.capacity() * sizeof(Node) + pools_.capacity() * sizeof(RowPool);
  for (const RowPool& pool : pools_) bytes += pool.memory_bytes();
  return bytes;
}

}  // namespace muster
