// Each entity has a list of nodes. Nearly all lists have at most one node. Rows and nodes are
// reused, so that a world that does not grow allocates nothing.
#include "net/snapshot/kept_rows.h"

#include <algorithm>

namespace muster {

KeptRows::KeptRows(const SnapshotModel& model) : nodes_(1) {
  pools_.reserve(model.types.size());
  for (const TypeModel& type : model.types) pools_.emplace_back(type.lanes.size());
}

void KeptRows::set_all_unused(List list) {
  for (List at = list; at != 0; at = nodes_[at].next) nodes_[at].is_used = false;
}

void KeptRows::free_node(List index) {
  Node& node = nodes_[index];
  pools_[codec_index(node.kind.type)].give_back(node.row);
  node = {.next = free_, .tick = {}, .row = nullptr, .kind = {}, .is_used = false};
  free_ = index;
}

void KeptRows::drop_unused(List& list) {
  List before = 0;
  for (List at = list; at != 0;) {
    const List next = nodes_[at].next;
    if (nodes_[at].is_used) {
      before = at;
    } else {
      (before == 0 ? list : nodes_[before].next) = next;
      free_node(at);
    }
    at = next;
  }
}

void KeptRows::drop(List& list) {
  if (list == 0) return;
  set_all_unused(list);
  drop_unused(list);
}

/// Returns the copy of an entity's values at one tick. An entity has one state for each tick and
/// kind.
const LaneValue* KeptRows::row_of(List& list, Tick tick, EntityKind kind, const LaneValue* values) {
  for (List at = list; at != 0; at = nodes_[at].next) {
    Node& node = nodes_[at];
    if (node.tick != tick || node.kind != kind) continue;
    node.is_used = true;
    return node.row;
  }
  List added = free_;
  if (added != 0) {
    free_ = nodes_[added].next;
  } else {
    added = static_cast<List>(nodes_.size());
    nodes_.emplace_back();
  }
  RowPool& pool = pools_[codec_index(kind.type)];
  LaneValue* row = pool.allocate();
  std::copy_n(values, pool.lanes(), row);
  nodes_[added] = {.next = list, .tick = tick, .row = row, .kind = kind, .is_used = true};
  list = added;
  return row;
}

std::size_t KeptRows::memory_bytes() const {
  std::size_t bytes = nodes_.capacity() * sizeof(Node) + pools_.capacity() * sizeof(RowPool);
  for (const RowPool& pool : pools_) bytes += pool.memory_bytes();
  return bytes;
}

}  // namespace muster
