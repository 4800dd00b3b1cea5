// Chooses the changes to send when there is too little room for all changes. See
// REPLICATION_FORMAT.md, "Which changes go first".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/replication/replicated_world.h"

namespace muster {

/// A change of one slice that may be sent now.
struct ChangeCandidate {
  /// The caller's index. If two changes are equally urgent, the change with the lower index is
  /// chosen first.
  std::uint32_t index = 0;
  const UpdateClass* update_class = nullptr;  ///< Must stay valid until `clear`.
  float distance = 0;  ///< The distance to the view position, at most the radius of the class.
  std::uint32_t waited_ticks = 1;  ///< The ticks that the change has waited, at least 1.
  double bits = 0;                 ///< The expected cost.
  bool is_confirmed = true;        ///< True if the client is confirmed to have the entity.
  bool may_be_shown =
      true;  ///< True if a snapshot with the entity was sent, even if the snapshot was lost.
  bool is_lost = false;  ///< True if the last snapshot with the entity was lost.
};

/// Chooses changes for one client. In each tick, call `clear`, then `add` for all candidates, and
/// then `choose` if `bits()` is more than the room. Only one thread at a time may use this object.
/// Once all candidates of a tick fit into the memory of earlier ticks, nothing is allocated.
class ChangePriority {
 public:
  void clear();
  void add(const ChangeCandidate& candidate);
  bool is_empty() const { return candidates_.empty(); }
  /// The sum of the candidates' expected bits.
  double bits() const;

  /// Chooses the most urgent candidates that fit into the room, but at least one candidate. A
  /// candidate's urgency is its weight × its nearness × the ticks that it has waited. So in the
  /// long run each entity gets updates in proportion to weight × nearness, and no entity waits
  /// forever. A quarter of the room is first used for candidates that have waited longer than
  /// `longest_ticks`. Returns the indices of the candidates that were not chosen. The result is
  /// valid until the next call.
  ///
  /// If `is_settling` is true, some candidates are chosen first: the candidates that the client may
  /// have from an unconfirmed snapshot. If there is too little room for all of these candidates,
  /// only the candidates whose last snapshot was lost are chosen first. The other candidates will
  /// soon be acknowledged. Candidates that were in no snapshot yet are not chosen. Requires: a
  /// candidate was added.
  std::span<const std::uint32_t> choose(double room_bits, bool is_settling);
  std::size_t memory_bytes() const;

 private:
  struct Candidate {
    ChangeCandidate change;
    float urgency = 0;
    /// The waiting time divided by `longest_ticks` of the class. A value above 1 means that the
    /// change has waited too long.
    float overdue = 0;
  };

  void rate_all();
  std::size_t put_unknown_first(double room_bits);
  void sort_by(float Candidate::*by, std::size_t begin, std::size_t end);

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_;     ///< Indices in `candidates_`.
  std::vector<std::uint32_t> deferred_;  ///< The caller's indices.
};

}  // namespace muster
