// The prediction of the entities that a client's player owns.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/replication_schema.h"
#include "registry/base/clock.h"
#include "registry/base/player_id.h"
#include "registry/base/tick.h"
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
  std::uint64_t corrections = 0;      ///< Components that differed by more than a tolerance.
  /// States of the server that were compared with the prediction.
  std::uint64_t reconciles = 0;
  std::uint64_t replays = 0;          ///< States of the server after which commands ran again.
  std::uint64_t replayed_ticks = 0;   ///< Commands that ran again.
  std::uint64_t replayed_states = 0;  ///< The sum of the entities in these commands.
  std::uint64_t kept_states = 0;      ///< Entities that replays left out.
  std::uint64_t whole_replays = 0;    ///< Replays that began again with all entities.
  std::uint64_t spawns_confirmed = 0;
  std::uint64_t spawns_undone = 0;
  std::uint64_t spawns_refused = 0;
  std::uint64_t spawns_expired = 0;
};

/// Runs the shared systems for predicted entities, with commands that the server has not run yet.
/// By default, the entities of the player are predicted; a `PredictionChoice` can add or exclude
/// entities. Each state of the server includes the owner's commands up to
/// `Replicated::command_number`. If the state equals the prediction for that command, within the
/// tolerances of the fields, the prediction stays. Otherwise the prediction starts again from the
/// server's state, and the later commands run again. If the shown state changes, the change is
/// blended over `kErrorBlend`.
///
/// A replay runs only the entities that the difference may affect. An entity is left out if its
/// state was predicted correctly and the entity was independent after that state. An entity is
/// independent in a tick if two conditions hold. The systems that run for the entity use only its
/// components, its command, the tick and random numbers. No system that runs for another entity
/// uses the entity. The result is the same as if all entities ran again. A shared system that runs
/// once per tick may use any entities, so a game with such a system replays all entities.
///
/// An entity that a system spawns exists immediately (`PredictedSpawns`). An entity that a system
/// despawns is hidden immediately. The entity is shown again if the server does not despawn the
/// entity. Fields of `RollbackClass::confirmed_only` have the server's value at the beginning of
/// each tick.
///
/// Systems change a copy of the received world. In the received world, the prediction only adds and
/// removes predicted entities. All arguments must outlive this object. Only one thread at a time
/// may use this object.
class OwnPrediction final : public Forecast {
 public:
  /// The number of commands that are kept with their states. At most `kReplayedMax` - 1 commands
  /// can run again (`OwnerPrediction::replayed_ticks_max`). A longer delay is not predicted.
  static constexpr std::uint32_t kReplayedMax = 64;
  static_assert(std::has_single_bit(kReplayedMax), "numbers wrap");

  OwnPrediction(const Game& game, const PredictionSource& source, const ReplicatedCollection& ids,
                PlayerId player, ProblemLog& problems);

  /// Adds an entity that has arrived, so that systems can refer to the entity.
  void note_entity(EntityId entity, EntityReference reference) {
    simulation_.adopt(entity, reference, TypeId());
  }
  /// May be null. Must outlive this object.
  void set_hit_tests(HitTests* tests) { simulation_.set_hit_tests(tests); }
  /// The number of the running command, or of the last command.
  CommandNumber running() const { return running_number_; }
  /// Sets the server's shared seed, for random numbers in systems.
  void set_shared_seed(std::uint64_t seed) { simulation_.set_shared_seed(seed); }
  /// May be null. Must outlive this object.
  void set_choice(const PredictionChoice* choice) { choice_ = choice; }
  /// For measurements. If true, replays after each state, even if the state equals the prediction.
  void set_replays_all(bool is_wanted) { replays_all_ = is_wanted; }
  /// For measurements. If false, all entities run again when one entity differs.
  void set_leaves_out(bool is_wanted) { leaves_out_ = is_wanted; }
  /// Sets a function that returns the tick of an entity's received state. The function returns
  /// `Tick()` if the state is from the newest snapshot.
  void set_state_ticks(std::function<Tick(EntityId)> ticks) { state_ticks_ = std::move(ticks); }
  /// Call this function when the server has changed commands that had already run. The changed
  /// commands may have other results.
  void note_changed_commands();
  /// Runs a tick of this client with these commands, before the server's forces are applied.
  /// `number` is the tick in which the server runs the commands.
  void run(CommandNumber number, const CommandSet& commands);
  /// Reads the server's report of spawns. `newest` is the number of the last command when the
  /// report arrived.
  void read_spawns(std::span<const std::byte> bytes, CommandNumber newest);
  /// Sets the fields that the server forces. Each run of a tick applies the forces. May be null.
  void set_forces(CommandForces* forces) { forces_ = forces; }
  /// Compares the prediction with the received world, which has the server's state of `tick`.
  /// `fraction` must be the argument of the last call of `shown`.
  void reconcile(Tick tick, float fraction, Time now);

  /// Puts the shown value of a component into `out`. The value is interpolated from the tick before
  /// the last tick (`fraction` 0) to the last tick (`fraction` 1). Returns false if the component
  /// is not predicted.
  bool shown(EntityId entity, ComponentId component, float fraction, Time now,
             std::span<std::byte> out) const;
  bool is_predicted(EntityId entity) const;
  /// Whether systems have despawned an entity that the server still has.
  bool is_hidden(EntityId entity) const;
  bool has_hidden() const { return !hidden_.empty(); }
  /// A function that is called once for each effect or message of this player's commands. `is_late`
  /// is true if the cue first played in a replay. The cue lives as long as the call.
  using CuePlayer = std::function<void(const Cue& cue, bool is_late)>;
  void set_cue_player(CuePlayer player) { cue_player_ = std::move(player); }
  CueLedger& cues() { return cues_; }
  const CueLedger& cues() const { return cues_; }
  /// The causes of effects that were undone. The caller must clear the list.
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
    std::size_t offset = 0;                   ///< The offset in a row of `Own::past`, in bytes.
    std::optional<std::uint32_t> position{};  ///< The offset of the position field, if any.
    ByteVector before;                        ///< The predicted value one tick before `now`.
    ByteVector now;                           ///< The predicted value at the last tick.
    ByteVector old;                           ///< The value that was shown before the last replay.
    ByteVector blend_from;                    ///< The shown value at the last correction.
    ByteVector blend_to;                      ///< The corrected value at the last correction.
    Time corrected_at{};
    bool is_blending = false;
  };
  struct Own {
    EntityId entity;
    /// The last command that the received state includes. A replay begins with the next command.
    CommandNumber number{};
    CommandNumber state_number{};  ///< `number` of the state that was last compared.
    CommandNumber linked{};  ///< The last command in which the entity was not independent, or 0.
    bool has_news = false;   ///< Whether a state has arrived since the last comparison.
    bool differs = false;    ///< Whether the received state differs from the predicted state.
    bool is_kept = false;    ///< Whether the replay leaves the entity out.
    /// The command that spawned the entity; 0 if the server has confirmed the entity.
    CommandNumber born{};
    bool is_listed = false;  ///< Whether the entity was found in the received world.
    /// Whether the entity was interpolated until now; `ShownOffsets` blends the change.
    bool is_new = false;
    std::vector<State> states;
    /// For each row of `past`, the command after which the row was stored.
    std::vector<CommandNumber> past_numbers;
    /// One row per command, with the values of all `states`.
    ByteVector past;
  };
  /// An entity that systems have despawned and that the server still has.
  struct Hidden {
    EntityId entity;
    CommandNumber command{};
    std::uint32_t replay = 0;
    std::optional<Tick> awaited_since;  ///< The first tick after the server ran the command.
  };
  /// The bytes of a component that only the server changes.
  struct ConfirmedBytes {
    ComponentId component;
    ByteRange range;
  };

  void list_components(const Game& game);
  bool is_wanted(EntityId entity) const;
  CommandNumber number_of(EntityId entity, CommandNumber command) const;
  void list_own();
  Own* find_own(EntityId entity);
  const Own* find_own(EntityId entity) const;
  Own& add_own(EntityId entity);
  /// Returns true if new states were added.
  bool add_states(Own& own, const World& world);
  bool is_unborn(const Own& own, CommandNumber number) const {
    return !own.born.is_none() && command_steps(own.born, number) < 0;
  }

  void begin_command(CommandNumber number);
  void run_tick(CommandNumber number);
  void fill_gap(CommandNumber number);
  void capture(CommandNumber number);
  void keep_confirmed_fields();
  void mirror(EntityId entity);
  Bytes past(const Own& own, CommandNumber number, const State& state) const;
  void put_past(Own& own, CommandNumber number, const World& world);

  bool compare(Own& own);
  /// Replaces the fields with values outside their ranges by the values that the server sends.
  void clamp_as_sent(std::size_t component, std::span<std::byte> value);
  void note_misprediction(const Own& own, const State& state, const FieldDifference& difference);
  std::string_view probe(const Own& own, ComponentId component);
  void keep();
  void replay_touched();
  bool replay();
  void begin_replay();
  void choose_kept();
  bool has_other_confirmed(const Own& own) const;
  void put_back(const Own& own, CommandNumber number);
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
  /// The descriptions of `components_` for comparisons. The tolerances in these descriptions
  /// include the rounding for the wire.
  std::vector<ComponentDescription> compared_;
  /// The descriptions of `components_` for the blending of rotations. In these descriptions, no
  /// linear field is interpolated.
  std::vector<ComponentDescription> turned_;
  mutable ByteVector turning_;
  std::vector<ConfirmedBytes> confirmed_;
  std::vector<Own> own_;  ///< Sorted by entity.
  std::vector<Hidden> hidden_;
  std::vector<EntityId> subset_;
  std::size_t probes_ = 0;  ///< The number of probes in this call of `reconcile`.
  ByteVector scratch_;
  std::vector<ComponentSchema> schemas_;  ///< The schemas of `components_` for the wire.
  std::vector<std::int64_t> integers_;
  /// The commands by number, before forces are applied.
  std::array<CommandSet, kReplayedMax> history_;
  CommandSet forced_;  ///< The running command, with forces.
  CommandForces* forces_ = nullptr;
  CommandNumber newest_;
  /// The lowest `Own::number` of the entities with a new state.
  CommandNumber received_number_;
  /// The highest `Own::number` of all confirmed entities. A replay does not repeat the spawns,
  /// despawns and cues of the commands up to this number.
  CommandNumber included_number_;
  Tick received_tick_;
  const CommandSet* running_ = nullptr;
  CommandNumber running_number_;
  std::uint32_t replay_ = 0;  ///< The number of the current replay.
  const PredictionChoice* choice_ = nullptr;
  std::function<Tick(EntityId)> state_ticks_;
  bool replays_all_ = false;
  bool leaves_out_ = true;
  bool has_met_kept_ = false;  ///< Whether this replay used an entity that it leaves out.
  bool is_replaying_ = false;
  bool has_match_rule_ = false;  ///< Whether the game has an `Overrides::match_spawn`.
  bool is_probing_ = false;      ///< Whether a tick runs only to find the cause of an error.
  std::span<const ComponentDescription> command_types_;
  std::span<const session_detail::SystemEntry> systems_;
  CueLedger cues_;
  CuePlayer cue_player_;
  std::vector<EntityId> undone_causes_;
  PredictionCounters counters_;
  MispredictionLog mispredictions_;
};

}  // namespace muster
