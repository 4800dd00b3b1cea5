#include "runtime/session/game_loop.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace muster {
namespace {

// Nanoseconds of a second: a tick is as many parts, whatever the rate.
constexpr std::int64_t kTickParts = 1'000'000'000;
// Keeps the parts of the longest frame within 64 bits at the highest rate.
constexpr std::chrono::hours kLongestFrame{24};

}  // namespace

void LoopSystems::add_server(System system) {
  if (role_ != LoopRole::client) tick_.add(std::move(system));
}

void LoopSystems::add_client(System system) {
  if (role_ != LoopRole::server) tick_.add(std::move(system));
}

void LoopSystems::add_view(System system) {
  if (role_ != LoopRole::server) view_.add(std::move(system));
}

GameLoop::GameLoop(World& world, std::span<const GameModule> modules,
                   const GameLoopOptions& options)
    : world_(world), options_(options), systems_(options.role) {
  assert(options.ticks_per_second >= 1 && options.ticks_per_second <= 1000);
  assert(options.max_ticks_per_frame >= 1);
  for (const GameModule& module : modules) module(world, systems_);
}

LoopFrame GameLoop::advance(Time now) {
  const std::int64_t rate = options_.ticks_per_second;
  // A clock that goes back gives no ticks, and takes none away.
  const Duration passed =
      last_ ? std::clamp(now - *last_, Duration(), Duration(kLongestFrame)) : Duration();
  last_ = now;
  due_ += passed.count() * rate;
  LoopFrame frame;
  while (due_ >= kTickParts && frame.ticks < options_.max_ticks_per_frame) {
    due_ -= kTickParts;
    run_tick();
    ++frame.ticks;
  }
  const std::int64_t kept = due_ % kTickParts;
  frame.dropped = Duration((due_ - kept) / rate);
  due_ = kept;
  // What is nearly a tick must not round to one: its state is not there yet.
  constexpr float kBelowOne = 1 - std::numeric_limits<float>::epsilon() / 2;
  frame.fraction = std::min(static_cast<float>(kept) / static_cast<float>(kTickParts), kBelowOne);
  systems_.view_.run(world_, {.tick = tick_,
                              .seconds = std::chrono::duration<float>(passed).count(),
                              .subset = {},
                              .workers = options_.workers});
  return frame;
}

void GameLoop::run_tick() {
  tick_ = tick_.next();
  systems_.tick_.run(world_, {.tick = tick_,
                              .seconds = 1.0F / static_cast<float>(options_.ticks_per_second),
                              .subset = {},
                              .workers = options_.workers});
  world_.process_despawns();
}

}  // namespace muster
