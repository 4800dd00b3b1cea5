// The heart of a game: its systems, at a fixed rate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/tick.h"
#include "runtime/world/schedule.h"
#include "runtime/world/world.h"

namespace muster {

/// Which systems run in a loop. A preview has those of both sides in one world, and no network: the
/// same game without a server.
enum class LoopRole : std::uint8_t { server, client, preview };

/// The systems that modules bring, by where and when they run. Within a tick they run in the order
/// in which they were added, over all modules.
class LoopSystems {
 public:
  explicit LoopSystems(LoopRole role) : role_(role) {}

  /// Runs each tick, on every side.
  void add_shared(System system) { tick_.add(std::move(system)); }
  /// Runs each tick where the game is decided: in a server, and in a preview.
  void add_server(System system);
  /// Runs each tick where a person plays: in a client, and in a preview.
  void add_client(System system);
  /// Runs once a frame where a person looks, after the frame's ticks: in a client and in a preview.
  /// Its `seconds` are those of the frame.
  void add_view(System system);

 private:
  friend class GameLoop;

  LoopRole role_;
  Schedule tick_;
  Schedule view_;
};

/// A part of a game: adds its systems. A plain function, so that what a loop does can be read where
/// the loop is made.
using GameModule = std::function<void(World&, LoopSystems&)>;

struct GameLoopOptions {
  LoopRole role = LoopRole::preview;
  std::uint32_t ticks_per_second = 60;
  /// After a long frame (a debugger, a sleeping laptop) no more ticks than these are made up for;
  /// the rest of the time is dropped, or each frame would take longer than the one before.
  std::uint32_t max_ticks_per_frame = 8;
  WorkerPool* workers = nullptr;  ///< Null for the caller's thread alone; must outlive the loop.
};

/// What a frame did.
struct LoopFrame {
  std::uint32_t ticks = 0;
  Duration dropped{};  ///< Time that was not made up for.
  float fraction = 0;  ///< Of a tick, that has passed since the last one; below 1.
};

/// Runs the systems of its modules at a fixed rate, whatever the frames do. Time is what `advance`
/// is told, so the same times give the same world. A tick ends with what was asked to despawn. The
/// world must outlive it. One thread at a time; steady state allocates nothing.
///
///     GameLoop loop(world, modules, {.role = LoopRole::server});
///     for (;;) loop.advance(clock.now());
class GameLoop {
 public:
  /// Requires: a rate of 1 to 1,000 ticks a second, and at least one tick a frame.
  GameLoop(World& world, std::span<const GameModule> modules, const GameLoopOptions& options);

  /// Runs the ticks that are due, and then the view. The first call has no ticks.
  LoopFrame advance(Time now);

  /// The tick that was run last; 0 before the first.
  Tick tick() const { return tick_; }
  /// The systems by stage, for people.
  std::vector<std::vector<std::string>> stages() const { return systems_.tick_.stages(); }

 private:
  void run_tick();

  World& world_;
  GameLoopOptions options_;
  LoopSystems systems_;
  std::optional<Time> last_;
  /// Time that has passed and is not in a tick yet, in parts of which a second has as many as
  /// nanoseconds and ticks multiplied: sixty ticks are exactly a second.
  std::int64_t due_ = 0;
  Tick tick_;
};

}  // namespace muster
