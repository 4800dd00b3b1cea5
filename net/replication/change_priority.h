// Chooses the changes to send when not all fit. REPLICATION_FORMAT.md, "Which changes go first".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/replication/replicated_world.h"

namespace muster {

/// A change of one slice that may be sent now.
struct ChangeCandidate {
  std::uint32_t index = 0;  ///< The caller's; of equal ones the lower index goes first.
  const UpdateClass* update_class = nullptr;  ///< Must live until `clear`.
  float distance = 0;              ///< To the view position, at most the radius of the class.
  std::uint32_t waited_ticks = 1;  ///< At least 1.
  double bits = 0;                 ///< The expected cost.
  bool is_confirmed = true;        ///< The client is confirmed to have the entity.
  bool may_be_shown = true;        ///< A snapshot that contains it was sent, delivered or not.
  bool is_lost = false;            ///< The last snapshot that contained it was lost.
};

/// Chooses changes for one client. One thread at a time; nothing is allocated in steady state. Each
/// tick: `clear`, `add` all candidates, and, if their bits are more than the room, `choose`.
class ChangePriority {
 public:
  void clear();
  void add(const ChangeCandidate& candidate);
  bool is_empty() const { return candidates_.empty(); }
  /// The sum of the candidates' expected bits.
  double bits() const;

  /// Chooses the most urgent candidates that fit into the room, at least one. A candidate's urgency
  /// is its weight × its nearness × the ticks that it has waited. So in the long run each entity
  /// gets updates in proportion to weight × nearness, and none starves. A part of the room is used
  /// for candidates that have waited longer than `longest_ticks`. Returns the indices of the
  /// candidates that were not chosen; valid until the next call.
  ///
  /// `is_settling`: candidates that the client may have from a snapshot that is not confirmed are
  /// chosen first, if all of them fit. If they do not all fit, the candidates whose snapshot was
  /// lost are chosen first, because the others will soon be acknowledged. Candidates that the
  /// client cannot have yet wait. Requires: a candidate was added.
  std::span<const std::uint32_t> choose(double room_bits, bool is_settling);
  std::size_t memory_bytes() const;

 private:
  struct Candidate {
    ChangeCandidate change;
    float urgency = 0;
    float overdue = 0;  ///< Waiting time relative to its class's limit; above 1 is too long.
  };

  void rate_all();
  std::size_t put_unknown_first(double room_bits);
  void sort_by(float Candidate::*by, std::size_t begin, std::size_t end);

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_;     ///< Indices in `candidates_`.
  std::vector<std::uint32_t> deferred_;  ///< The caller's indices.
};

}  // namespace muster
