// A game that goes on while its content changes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/clock.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/hot_reload.h"

namespace arena {

/// A client with one entity of every replicated type, that follows each new build: what is alive
/// takes on the new values. One thread at a time.
class LiveGame {
 public:
  /// Opens the client's folder of the build, to be read into buffers of the pool; called again for
  /// every new build.
  using OpenSource = std::function<muster::Result<std::unique_ptr<muster::BundleSource>>(
      const std::shared_ptr<muster::MemoryPool>& memory)>;

  /// Fails as `open_source` and `BundleStore::open` do.
  static muster::Result<std::unique_ptr<LiveGame>> open(OpenSource open_source);
  ~LiveGame();

  /// One frame: takes in what was loaded, and completes what waits for it.
  void frame(muster::Time now);
  bool is_loading() const { return deferred_->waiting_count() > 0; }
  std::uint32_t entity_count() const { return world_.entity_count(); }

  /// What could not be loaded since the last call, and has a placeholder in the world: for a log.
  std::vector<muster::Error> take_problems() { return deferred_->take_problems(); }

  /// Looks for another build, and follows it. Returns nothing when there is none. When it cannot be
  /// opened, all stays as it is, and the next call tries again.
  muster::Result<std::optional<muster::ReloadReport>> follow();

  /// What a report says, with the values of what has changed, for people.
  std::string text_of(const muster::ReloadReport& report) const;

 private:
  struct Content;
  explicit LiveGame(OpenSource open_source);
  muster::Result<std::unique_ptr<Content>> open_content() const;
  void spawn_all();

  OpenSource open_source_;
  /// One for all builds: what the last one leaves serves the next.
  const std::shared_ptr<muster::MemoryPool> memory_ = std::make_shared<muster::MemoryPool>();
  muster::World world_;
  std::unique_ptr<Content> content_;
  std::unique_ptr<muster::Spawner> spawner_;
  std::unique_ptr<muster::DeferredSpawner> deferred_;
  muster::PrefabInstances instances_;
};

}  // namespace arena
