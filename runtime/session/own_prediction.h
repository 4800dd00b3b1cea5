// A client's prediction of the entities that its player owns.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/player_id.h"
#include "registry/base/type_id.h"
#include "registry/components/comparison.h"
#include "runtime/session/misprediction_log.h"
#include "runtime/session/predicted_spawns.h"
#include "runtime/session/prediction_choice.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/simulation.h"
#include "runtime/sync/command_forces.h"
#include "runtime/sync/cue_ledger.h"
#include "runtime/world/world.h"

namespace muster {

/// Counts since the prediction began.
struct PredictionCounters {
  std::uint64_t predicted_ticks = 0;  ///< Ticks that ran for the first time.
  std::uint64_t corrections = 0;      ///< Components that differed beyond a tolerance.
  std::uint64_t reconciles = 0;       ///< States of the server that were compared.
  std::uint64_t replays = 0;          ///< States after which commands ran again.
  std::uint64_t replayed_ticks = 0;   ///< Commands that ran again.
  std::uint64_t replayed_states = 0;  ///< Entities in these commands, added up.
  std::uint64_t kept_states = 0;      ///< Entities that replays left out.
  std::uint64_t whole_replays = 0;    ///< Replays that had to begin again with all entities.
  std::uint64_t spawns_confirmed = 0;
  std::uint64_t spawns_undone = 0;
  std::uint64_t spawns_refused = 0;
  std::uint64_t spawns_expired = 0;
};

/// Runs the shared systems for predicted entities, with commands that the server has not run yet.
/// The predicted entities are those of the player, and a `PredictionChoice` can change this. Each
/// state of the server includes the owner's commands up to `Replicated::command_number`. If the
/// state equals the prediction for that command, within the tolerances of the fields, the
/// prediction stays. Otherwise the prediction starts again from the server's state, and the later
/// commands run again. If this changes the shown state, the change is blended over `kErrorBlend`.
///
/// Only entities that the difference may affect run again. An entity is left out if its state was
/// as predicted and it was independent since then. It was independent if the systems that ran for
/// it used nothing but its components, its command, the tick and random numbers, and if no system
/// that ran for another entity used it. The result is the same as if all entities ran again. A
/// shared system that runs once per tick may connect any entities, so a game with such a system
/// replays all entities.
///
/// Entities that systems spawn exist at once (`PredictedSpawns`). Entities that systems despawn are
/// hidden at once. They stay hidden until the server has despawned them, or are shown again if the
/// server does not. Fields of `RollbackClass::confirmed_only` have the server's value at the
/// beginning of each tick.
///
/// Systems change a copy of the received world. In the received world itself, only predicted
/// entities are added and removed. All arguments must outlive this object. One thread at a time.
class OwnPrediction final : public Forecast {
 public:
  /// Numbers whose commands and states are kept. At most one less can run again
  /// (`OwnerPrediction::replayed_ticks_max`). A longer delay is not predicted.
  static constexpr std::uint32_t kReplayedMax = 64;
  static_assert(std::has_single_bit(kReplayedMax), "numbers wrap");

  OwnPrediction(const Game& game, const PredictionSource& source, const ReplicatedCollection& ids,
                PlayerId player, ProblemLog& problems);

  /// An entity that arrived, so that systems can refer to it.
  void note_entity(EntityId entity, EntityReference reference) {
    simulation_.adopt(entity, reference, TypeId());
  }
  /// Null for none. Must outlive this.
  void set_hit_tests(HitTests* tests) { simulation_.set_hit_tests(tests); }
  /// The number of the command that runs, or ran last.
  std::uint32_t running() const { return running_number_; }
  /// The server's shared seed, for random numbers in systems.
  void set_shared_seed(std::uint64_t seed) { simulation_.set_shared_seed(seed); }
  /// Null for none. Must outlive this.
  void set_choice(const PredictionChoice* choice) { choice_ = choice; }
  /// For measurements: replays after each state, even if the state is as predicted.
  void set_replays_all(bool is_wanted) { replays_all_ = is_wanted; }
  /// For measurements: if false, all entities run again when one differs.
  void set_leaves_out(bool is_wanted) { leaves_out_ = is_wanted; }
  /// `ticks` returns the tick of an entity's received state if that is older than the newest
  /// snapshot, and 0 otherwise.
  void set_state_ticks(std::function<Tick(EntityId)> ticks) { state_ticks_ = std::move(ticks); }
  /// The server has changed commands that had run. Each of them may have another result now.
  void note_changed_commands();
  /// Runs a tick of this client with these raw commands. The number of a command is the tick in
  /// which the server runs it.
  void run(std::uint32_t number, const CommandSet& commands);
  /// Reads the server's report of spawns. `newest` is the last command at its arrival.
  void read_spawns(std::span<const std::byte> bytes, std::uint32_t newest);
  /// The fields that the server forces, for each run of a tick. May be null.
  void set_forces(CommandForces* forces) { forces_ = forces; }
  /// Compares the prediction with the received world, which has the server's state of `tick`.
  /// `fraction` is the argument of the last call of `shown`.
  void reconcile(Tick tick, float fraction, Time now);

  /// Puts the shown value of a component into `out`: `fraction` of the way from the last tick but
  /// one to the last tick. False for a component that is not predicted.
  bool shown(EntityId entity, ComponentId component, float fraction, Time now,
             std::span<std::byte> out) const;
  bool is_predicted(EntityId entity) const;
  /// Whether systems have despawned an entity that the server still has.
  bool is_hidden(EntityId entity) const;
  bool has_hidden() const { return !hidden_.empty(); }
  /// Called once for each effect or message of this player's commands. `is_late` if it was first
  /// played in a replay. The cue lives for the call.
  using CuePlayer = std::function<void(const Cue& cue, bool is_late)>;
  void set_cue_player(CuePlayer player) { cue_player_ = std::move(player); }
  CueLedger& cues() { return cues_; }
  const CueLedger& cues() const { return cues_; }
  /// Causes of effects that were undone, until the caller clears them.
  std::vector<EntityId>& undone_causes() { return undone_causes_; }
  PredictedSpawns& spawns() { return spawns_; }
  const PredictedSpawns& spawns() const { return spawns_; }
  const PredictionCounters& counters() const { return counters_; }
  const MispredictionLog& mispredictions() const { return mispredictions_; }

  // Forecast.
  EntityId spawn(const PredictedKey& key, EntityType type, bool& is_new) override;
  void fill(EntityId entity) override;
  void despawned(EntityId entity) override;
  EntityReference reference(EntityId entity) const override;
  EntityId find(EntityReference reference) const override;
  void reached(EntityId from, EntityId to) override;

 private:
  struct State {
    ComponentId component;
    std::size_t offset = 0;                   ///< Offset in a row of `Own::past`.
    std::optional<std::uint32_t> position{};  ///< Offset in the component, if it has one.
    ByteVector before;                        ///< One tick before `now`.
    ByteVector now;
    ByteVector old;         ///< What was shown before the last replay.
    ByteVector blend_from;  ///< The shown value when it was corrected last, ...
    ByteVector blend_to;    ///< ... and the corrected value of that moment.
    Time corrected_at{};
    bool is_blending = false;
  };
  struct Own {
    EntityId entity;
    /// The last command that the received state includes. A replay begins after it.
    std::uint32_t number = 0;
    std::uint32_t state_number = 0;  ///< `number` of the state that was compared last.
    std::uint32_t linked = 0;  ///< The last command in which it was not independent; 0 for none.
    bool has_news = false;     ///< A state has arrived since the last comparison.
    bool differs = false;      ///< The received state is not the predicted one.
    bool is_kept = false;      ///< The replay leaves it out.
    std::uint32_t born = 0;    ///< The command that spawned it; 0 when the server has confirmed it.
    bool is_listed = false;    ///< Found in the received world.
    bool is_new = false;       ///< It was shown as received; `ShownOffsets` blends it.
    std::vector<State> states;
    std::vector<std::uint32_t> past_numbers;  ///< By row: the command whose state it has.
    ByteVector past;                          ///< Rows of all states, by command.
  };
  /// An entity that systems have despawned.
  struct Hidden {
    EntityId entity;
    std::uint32_t command = 0;
    std::uint32_t replay = 0;
    std::optional<Tick> awaited_since;  ///< The first tick after the server ran the command.
  };
  /// Bytes of a component that only the server changes.
  struct ConfirmedBytes {
    ComponentId component;
    ByteRange range;
  };

  void list_components(const Game& game);
  bool is_wanted(EntityId entity) const;
  std::uint32_t number_of(EntityId entity, std::uint32_t command) const;
  void list_own();
  Own* find_own(EntityId entity);
  const Own* find_own(EntityId entity) const;
  Own& add_own(EntityId entity);
  /// True when there are new ones.
  bool add_states(Own& own, const World& world);
  bool is_unborn(const Own& own, std::uint32_t number) const {
    return own.born != 0 && command_steps(own.born, number) < 0;
  }

  void begin_command(std::uint32_t number);
  void run_tick(std::uint32_t number);
  void fill_gap(std::uint32_t number);
  void capture(std::uint32_t number);
  void keep_confirmed_fields();
  void mirror(EntityId entity);
  Bytes past(const Own& own, std::uint32_t number, const State& state) const;
  void put_past(Own& own, std::uint32_t number, const World& world);

  bool compare(Own& own);
  void note_misprediction(const Own& own, const State& state, const FieldDifference& difference);
  std::string_view probe(const Own& own, ComponentId component);
  void keep();
  void replay_touched();
  bool replay();
  void begin_replay();
  void choose_kept();
  bool has_other_confirmed(const Own& own) const;
  void put_back(const Own& own, std::uint32_t number);
  bool is_teleported(const State& state, Bytes from, Bytes to) const;
  void keep_shown(float fraction, Time now);
  void blend_changes(float fraction, Time now);
  void show(const State& state, float fraction, Time now, std::span<std::byte> out) const;
  void settle_spawns(bool is_replayed);
  void settle_hidden(bool is_replayed);
  void strip(EntityId entity);
  bool is_overdue(Tick since) const;
  void blend(const ComponentDescription& description, Bytes from, Bytes to, float fraction,
             std::span<std::byte> out) const;

  World& received_;
  World world_;
  PredictedSpawns spawns_;
  SpawnReport spawn_report_;
  Simulation simulation_;
  ProblemLog& problems_;
  PlayerId player_;
  float metres_per_tick_max_;
  std::uint32_t patience_ticks_;
  std::int32_t replayed_ticks_max_;
  ComponentHandle<Replicated> replicated_;
  std::vector<ComponentId> components_;
  /// The descriptions of `components_` for comparing: rounding for the wire counts as no
  /// difference.
  std::vector<ComponentDescription> compared_;
  /// The descriptions of `components_` for blending errors. Fields that are not interpolated change
  /// in a step.
  std::vector<ComponentDescription> turned_;
  mutable ByteVector turning_;
  std::vector<ConfirmedBytes> confirmed_;
  std::vector<Own> own_;  ///< Sorted by entity.
  std::vector<Hidden> hidden_;
  std::vector<EntityId> subset_;
  std::size_t probes_ = 0;  ///< The number of probes in one `reconcile`.
  ByteVector scratch_;
  std::array<CommandSet, kReplayedMax> history_;  ///< The commands by number, without forces.
  CommandSet forced_;                             ///< The command that runs.
  CommandForces* forces_ = nullptr;
  std::uint32_t newest_ = 0;
  std::uint32_t received_number_ = 0;  ///< The lowest one of the entities with news.
  /// The highest one of all entities. The entity that has it does not run the commands up to this
  /// number again, so its spawns, despawns and cues do not happen again either.
  std::uint32_t included_number_ = 0;
  Tick received_tick_;
  const CommandSet* running_ = nullptr;
  std::uint32_t running_number_ = 0;
  std::uint32_t replay_ = 0;  ///< Counts replays.
  const PredictionChoice* choice_ = nullptr;
  std::function<Tick(EntityId)> state_ticks_;
  bool replays_all_ = false;
  bool leaves_out_ = true;
  bool has_met_kept_ = false;  ///< This replay used an entity that it leaves out.
  bool is_replaying_ = false;
  bool has_match_rule_ = false;  ///< The game has `Overrides::match_spawn`.
  bool is_probing_ = false;      ///< A tick runs only to find the cause of an error.
  std::span<const ComponentDescription> command_types_;
  std::span<const session_detail::SystemEntry> systems_;
  CueLedger cues_;
  CuePlayer cue_player_;
  std::vector<EntityId> undone_causes_;
  PredictionCounters counters_;
  MispredictionLog mispredictions_;
};

}  // namespace muster
