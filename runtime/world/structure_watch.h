// Lists the changes of a world's structure, for code that allows only some of these changes.
#pragma once

#include <cassert>
#include <utility>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// Lists created entities, changed parents, despawn requests, and added and removed components. The
/// owner of the world pauses the watch while it changes the world itself, so that only the changes
/// of other code are listed. A restore or an assignment of the world is not listed.
///
/// The world must outlive this object. A world can have only one `StructureWatch`.
class StructureWatch {
 public:
  explicit StructureWatch(World& world) : world_(world) {
    assert(!world_.watch_.has_structure_watch);
    world_.watch_.has_structure_watch = true;
    world_.watch_.is_tracking_structure = true;
  }
  ~StructureWatch() {
    world_.watch_.has_structure_watch = false;
    world_.watch_.is_tracking_structure = false;
    world_.watch_.structure = {};
  }
  StructureWatch(const StructureWatch&) = delete;
  StructureWatch& operator=(const StructureWatch&) = delete;

  /// While a pause exists, changes are not listed. Pauses may be nested.
  class Pause {
   public:
    /// `watch` may be null, and must outlive the pause.
    explicit Pause(StructureWatch* watch)
        : watch_(watch), was_tracking_(watch != nullptr && watch->set_tracking(false)) {}
    ~Pause() {
      if (watch_ != nullptr) watch_->set_tracking(was_tracking_);
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    StructureWatch* watch_;
    bool was_tracking_;
  };

  /// Moves the changes since the last call into `out`, in their order. Allocates nothing in steady
  /// state.
  void drain(std::vector<StructureChange>& out) {
    out.swap(world_.watch_.structure);
    world_.watch_.structure.clear();
  }

 private:
  /// Returns the previous value.
  bool set_tracking(bool is_tracking) {
    return std::exchange(world_.watch_.is_tracking_structure, is_tracking);
  }

  World& world_;
};

}  // namespace muster
