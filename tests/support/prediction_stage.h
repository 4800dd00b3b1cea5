// A client's prediction without a network, for unit tests and benchmarks. The received world is the
// server's world some commands ago.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "runtime/session/own_prediction.h"
#include "tests/support/session_game.h"

namespace muster::prediction_stage {

using session_game::Runner;
using session_game::Steer;

/// A component that only the server changes.
struct Health {
  float points = 100;
  std::int32_t hits = 0;
};
consteval auto describe(Type<Health>) {
  return Describe<Health>("Health")
      .field<&Health::points>("points", {.unit = "hp", .rollback = RollbackClass::confirmed_only})
      .field<&Health::hits>("hits");
}

inline Game make_game(const Systems& shared) {
  return {.application = 0x7072'6564,
          .ticks_per_second = 60,
          .components = components<Replicated, Transform, Runner, Health>(),
          .commands = commands<Steer>(),
          .messages = messages<session_game::Chat>(),
          .systems = shared};
}

/// The folder of the build of `make_game`, which is made once per program.
inline const std::string& build_folder() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    session_game::build_project(session_game::project_of(make_game({})), folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

inline std::shared_ptr<const BuildContent> open_content(const Game& game) {
  auto opened = BuildContent::open(build_folder(), Target::client, game, {});
  if (!opened) throw std::runtime_error(opened.error().message);
  return opened.value();
}
inline BundleStore open_store(const BuildContent& content) {
  auto opened = content.open_store(std::make_shared<MemoryPool>());
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(opened.value());
}

class Stage {
 public:
  static constexpr PlayerId kPlayer{1};

  Stage(const Game& made, std::uint32_t entities, std::uint32_t lag)
      : game(made), lag_(lag), content_(open_content(game)), store_(open_store(*content_)) {
    server.set_commands([this](PlayerId, StructType command) {
      return Bytes(sent_[(number_ - lag_) % sent_.size()][struct_index(command)]);
    });
    const auto replicated = received.component<Replicated>("ReplicatedEntity");
    const auto transform = received.component<Transform>("Transform");
    const auto runner = received.component<Runner>("Runner");
    const auto health = received.component<Health>("Health");
    for (std::uint32_t i = 0; i < entities; ++i) {
      const EntityId entity = received.create({.player = kPlayer});
      const auto id = static_cast<std::int32_t>(i);
      received.add(replicated, entity, {.id = id});
      received.add(transform, entity, {.position = {static_cast<float>(i), 0, 0}});
      received.add(runner, entity, {});
      received.add(health, entity, {});
      if (collection_.add({id}, entity) != CollectionVerdict::accepted) std::abort();
      owned.push_back(entity);
    }
    for (CommandSet& set : sent_) set = default_commands(game.commands.types);
    prediction = std::make_unique<OwnPrediction>(
        game, PredictionSource{received, spawner_, deferred_, content_}, collection_, kPlayer,
        problems_);
    for (std::uint32_t i = 0; i < entities; ++i) {
      prediction->note_entity(owned[i], {static_cast<std::int32_t>(i)});
    }
  }

  /// Runs one tick: the client runs this command, and the server runs the command of `lag` ticks
  /// ago.
  void tick(const Steer& steer) {
    ++number_;
    CommandSet& set = sent_[number_ % sent_.size()];
    const auto bytes = std::as_bytes(std::span(&steer, 1));
    std::ranges::copy(bytes, set[0].begin());
    prediction->run(CommandNumber(number_), set);
    if (number_ <= lag_) return;
    server.run_tick(Tick(number_ - lag_));
    for (Replicated& one : received.values(received.component<Replicated>("ReplicatedEntity"))) {
      one.command_number = number_ - lag_;
    }
  }
  void reconcile() { prediction->reconcile(Tick(number_ - lag_), 0, Time()); }

  /// Returns the predicted component after the newest command.
  template <Described T>
  T predicted(EntityId entity) const {
    T value;
    const auto id = received.find_component(described_name<T>());
    const auto bytes = std::as_writable_bytes(std::span(&value, 1));
    if (!prediction->shown(entity, *id, 1, Time() + std::chrono::hours(1), bytes)) std::abort();
    return value;
  }

  Game game;

 private:
  std::uint32_t lag_;
  std::uint32_t number_ = 0;
  std::array<CommandSet, 64> sent_;
  std::shared_ptr<const BuildContent> content_;
  BundleStore store_;

 public:
  World received{content_->components()};

 private:
  ProblemLog problems_;
  Spawner spawner_{store_, received};
  SteppedLoads loads_{store_.source(), store_.catalog(), false, store_.memory(),
                      store_.dictionaries()};
  BundleLoader loader_{store_, loads_, {}};
  DeferredSpawner deferred_{spawner_, loader_, {}};
  ReplicatedCollection collection_{received};

 public:
  Simulation server{game, received, collection_, nullptr, PlayerId::none, problems_, 0};
  std::vector<EntityId> owned;
  std::unique_ptr<OwnPrediction> prediction;
};

}  // namespace muster::prediction_stage
