// A match as whoever follows it has it: entities that load, move and end, and the effects of what
// they do. Where the news comes from, a server or a recording, makes no difference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "content/arena/game/effect_cues.h"
#include "content/arena/game/looks.h"
#include "content/arena/game/session.h"
#include "content/arena/game/world_values.h"
#include "registry/base/result.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/replication/world_receiver.h"
#include "runtime/spawn/level.h"

namespace arena {

/// How long things took here, from when they were wanted.
struct Durations {
  std::uint32_t count = 0;
  muster::Duration sum{};
  muster::Duration longest{};
  void add(muster::Duration one);
};

/// What was seen so far.
struct MatchSummary {
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  std::uint64_t failed_loads = 0;  ///< Assets that could not be had.
  Durations completion;            ///< Of entities: from their spawn to all of their prefab.
  bool is_still = false;           ///< It was announced that nothing moves any more.
};

/// The world here, what of it is only shown, and how both come about. One thread at a time.
class FollowedMatch {
 public:
  /// Fills the pools of effects, and begins to load the level. Fails as `EffectPlayer::create`
  /// does, and with `not_found` when the build has no replicated entities. Both must outlive the
  /// match.
  static muster::Result<std::unique_ptr<FollowedMatch>> open(muster::BundleStore& store,
                                                             muster::BundleLoader& loader);

  /// Goes on with the level. Returns whether it stands: what is placed in it has its ids. Without
  /// one, or when it cannot be had, nothing is placed, and what the server has placed is made by
  /// its type.
  bool load(muster::Time now);
  /// The same until it stands: for who has nothing to do meanwhile.
  void wait(muster::Time now);
  bool stands() const { return stands_; }
  /// Compares what is placed here with what the source's match has: where that is another level's,
  /// what is placed here goes. Once, before the first `apply`. Requires: the level stands.
  void agree(std::span<const std::byte> map_info);

  /// Who plays here.
  void set_player(muster::PlayerId player);
  /// Takes over the source's changes, once, and notes what they and the events mean. Requires: the
  /// level stands.
  void apply(const muster::WorldSource& source, std::span<const muster::TimedEvent> events,
             muster::Time now);
  /// Goes on with what loads and is shown. `tick` is the newest one that is known.
  void go_on(const muster::WorldSource& source, muster::Tick tick, muster::Time now);

  /// The entities' values as this world has them. `schema` is the source's, and must outlive them.
  WorldValues world(const muster::ReplicationSchema& schema) const;
  const muster::WorldReceiver& receiver() const { return receiver_; }
  const muster::Level& level() const { return level_; }
  /// What travels, by its ids, as it stands here.
  const muster::ReplicatedCollection& collection() const { return collection_; }
  const MatchSummary& summary() const { return summary_; }
  /// Presentations that were shown so far.
  std::uint64_t shown_count() const { return looks_.complete_count(); }
  const muster::EffectCounters& effects() const { return effects_->counters(); }

  /// What a person would like to read since the last call: who came, who went.
  std::vector<std::string> take_lines();
  /// The same of what went wrong, but went on.
  std::vector<std::string> take_problems();
  void add_line(std::string line) { lines_.push_back(std::move(line)); }
  void add_problem(std::string problem) { problems_.push_back(std::move(problem)); }

 private:
  struct Loading {
    std::uint32_t id = 0;
    muster::Time since;
  };

  FollowedMatch(muster::BundleStore& store, muster::BundleLoader& loader, std::uint32_t registry);
  void note_changes(const muster::WorldSource& source, muster::Time now);
  void note_events(std::span<const muster::TimedEvent> events);
  void note_completed(muster::Time now);
  void note_problems();
  std::string name_of(const muster::ReplicationSchema* schema, std::uint16_t type) const;

  muster::BundleStore& store_;
  muster::BundleLoader& loader_;
  std::uint32_t registry_;
  muster::World world_;
  muster::World view_;  ///< What is only shown: presentations and effects.
  muster::Spawner spawner_;
  muster::Spawner views_;
  muster::DeferredSpawner deferred_;
  muster::ReplicatedCollection collection_;
  muster::Level level_;
  bool stands_ = false;
  Looks looks_;
  muster::WorldReceiver receiver_;
  muster::PlayerId player_ = muster::PlayerId::none;
  std::optional<muster::EffectPlayer> effects_;
  std::optional<EffectCues> cues_;
  std::vector<Loading> loading_;
  MatchSummary summary_;
  std::vector<std::string> lines_;
  std::vector<std::string> problems_;
};

}  // namespace arena
