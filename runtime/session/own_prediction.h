// A client's prediction of the entities that its player owns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "registry/vocabulary/clock.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/simulation.h"
#include "runtime/sync/command_forces.h"
#include "runtime/world/world.h"

namespace muster {

/// Runs the shared systems for a player's own entities at once, with the commands that the server
/// has not run yet. With each state of the server it begins again from there: the state includes
/// the owner's commands up to `Replicated::command_number`, and the later ones are run again. A
/// state that is as predicted, within the tolerances of the fields, changes nothing. The shown
/// state is blended over `kBlend` when a correction exceeds a field's tolerance.
///
/// A copy of the received world is changed, never that world itself. What it is given must outlive
/// it. One thread at a time.
class OwnPrediction {
 public:
  static constexpr Duration kBlend = std::chrono::milliseconds(100);
  /// Commands that can be run again: more than a second of delay is not predicted.
  static constexpr std::uint32_t kReplayedMax = 64;

  OwnPrediction(const Game& game, const World& received, const ReplicatedCollection& ids,
                PlayerId player, ProblemLog& problems);

  /// An entity that arrived, so that systems can refer to it.
  void note_entity(EntityId entity, EntityReference reference) {
    simulation_.adopt(entity, reference, TypeId());
  }
  /// Null for none. Must outlive this.
  void set_hit_tests(HitTests* tests) { simulation_.set_hit_tests(tests); }
  /// The number of the command that runs, or ran last.
  std::uint32_t running() const { return running_number_; }
  /// Replays with each state, also when it is as predicted: for comparison.
  void set_replays_all(bool is_wanted) { replays_all_ = is_wanted; }
  /// A tick of this client has ended with these commands: runs it.
  void run(std::uint32_t number, const CommandSet& commands);
  /// Changes the commands that are run again, from the forced tick on.
  void force(const ForcedField& forced);
  /// Begins again from the received world, as of `tick` of the server.
  void reconcile(const World& received, Tick tick, Time now);

  /// Puts what is shown of a component into `out`: `fraction` of the way from the tick before the
  /// last one to the last one. False for a component that is not predicted.
  bool shown(EntityId entity, ComponentId component, float fraction, Time now,
             std::span<std::byte> out) const;
  bool is_predicted(EntityId entity) const;
  std::uint64_t corrections() const { return corrections_; }
  std::uint64_t predicted_ticks() const { return predicted_ticks_; }
  std::uint64_t replayed_ticks() const { return replayed_ticks_; }
  /// The component types that the shared systems write.
  std::span<const ComponentId> components() const { return components_; }

 private:
  struct State {
    ComponentId component;
    ByteVector before;  ///< One tick before `now`.
    ByteVector now;
    ByteVector blend_from;  ///< What was shown when it was corrected last.
    ByteVector predicted;   ///< By number: what was predicted for the last ticks.
    Time corrected_at{};
    bool is_blending = false;
  };
  struct Own {
    EntityId entity;
    std::uint32_t number = 0;  ///< The last command that the received state includes.
    std::vector<State> states;
    /// By number: the number whose states are in `State::predicted`; 0 for none.
    std::array<std::uint32_t, kReplayedMax> predicted_numbers{};
  };

  void list_own(const World& received);
  void run_tick(std::uint32_t number);
  void fill_gap(std::uint32_t number);
  void capture(std::uint32_t number);
  /// Whether the server has computed what was predicted, within the fields' tolerances.
  bool is_confirmed(const World& received) const;
  void keep_predicted();
  void replay();
  void correct(Own& own, Time now, std::span<const ByteVector> old);
  void blend(const ComponentDescription& description, Bytes from, Bytes to, float fraction,
             std::span<std::byte> out) const;

  World world_;
  Simulation simulation_;
  ProblemLog& problems_;
  PlayerId player_;
  ComponentHandle<Replicated> replicated_;
  std::vector<ComponentId> components_;
  std::vector<Own> own_;  ///< Sorted by entity.
  std::vector<EntityId> subset_;
  std::array<CommandSet, kReplayedMax> history_;  ///< By number.
  std::uint32_t newest_ = 0;
  std::uint32_t received_number_ = 0;  ///< The lowest one of the entities.
  Tick received_tick_;
  const CommandSet* running_ = nullptr;
  std::span<const ComponentDescription> command_types_;
  bool replays_all_ = false;
  std::uint64_t corrections_ = 0;
  std::uint64_t predicted_ticks_ = 0;
  std::uint64_t replayed_ticks_ = 0;
  std::uint32_t running_number_ = 0;
};

}  // namespace muster
