// Interest management: which entities each client receives.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "net/replication/replicated_world.h"
#include "registry/base/network_id.h"
#include "registry/base/player_id.h"

namespace muster {

/// The view from which a client sees the world.
struct Viewer {
  PlayerId player = PlayerId::none;
  std::uint8_t team = 0;
  bool has_view_position = false;
  WorldPosition view_position{};
  friend bool operator==(const Viewer&, const Viewer&) = default;
};

/// An interest rule of the game. It must return the same result for the same world.
class InterestRule {
 public:
  virtual ~InterestRule() = default;
  /// Called for each entity that would be sent to a viewer. Return false to hide the entity. An
  /// entity with `Relevance::custom` is checked at any distance.
  virtual bool is_relevant(const Viewer& viewer, const ReplicatedEntity& entity) const = 0;
};

struct InterestOptions {
  /// The width of a grid cell. The recommended value is a third of the most common radius.
  float cell_size = 32;
  /// A client keeps an entity until the distance exceeds this multiple of the entity's radius. So
  /// entities at the border do not appear and disappear repeatedly.
  float leave_factor = 1.25F;
  /// The maximum number of ticks between two updates of a view.
  std::uint16_t refresh_ticks = 6;
  const InterestRule* rule = nullptr;  ///< The game's rule, or null. It must outlive the server.
};

/// Finds entities by position and audience. Call `update` once per tick. Between two calls of
/// `update`, any number of threads may search.
class InterestGrid {
 public:
  InterestGrid(const InterestOptions& options, const std::vector<UpdateClass>& classes);

  /// Adds an update class with the next index.
  void add_class(const UpdateClass& added);
  /// Applies the moved, spawned and despawned entities of `world`.
  void update(const ReplicatedWorld& world);
  /// Writes the sorted ids of the entities that are of interest to `viewer` into `out`. `before` is
  /// the previous result for the same viewer.
  void find(const ReplicatedWorld& world, const Viewer& viewer,
            const std::vector<NetworkId>& before, std::vector<NetworkId>& out) const;
  void clear();
  /// The approximate memory in bytes.
  std::size_t memory_bytes() const;
  /// Grows whenever the result of a search may change.
  std::uint64_t version() const { return version_; }

 private:
  using Cell = std::uint64_t;
  using Ids = std::vector<NetworkId>;
  /// An entity in a cell, with the data that a search needs.
  struct Near {
    NetworkId id{};
    std::uint8_t update_class = 0;
    WorldPosition position{};
  };
  using Cells = std::unordered_map<Cell, std::vector<Near>>;
  /// The list that contains an entity, and its index there.
  struct Listed {
    Relevance relevance = Relevance::near;
    std::uint8_t team = 0;
    PlayerId owner = PlayerId::none;
    std::uint32_t index = 0;  ///< The index in the list of its relevance; unused for `always_`.
    std::uint32_t owned_index = 0;  ///< The index in the list of its owner.
    Cell cell = 0;
  };

  Cell cell_of(const WorldPosition& position) const;
  void list(NetworkId id, const ReplicatedEntity& entity);
  bool is_listed_as(const Listed& listed, const ReplicatedEntityOptions& now) const;
  void add_to_cell(const ReplicatedEntity& entity, const Listed& listed);
  void unlist(NetworkId id, const Listed& listed);
  void merge_always();
  void drop_empty_lists();
  Ids& ids_of(const Listed& listed);
  void add_near(const Viewer& viewer, const Ids& before, Ids& out) const;

  InterestOptions options_;
  std::vector<UpdateClass> classes_;
  float radius_max_ = 0;
  std::uint64_t version_ = 0;
  std::unordered_map<NetworkId, Listed> listed_;
  Cells cells_;
  std::unordered_map<PlayerId, Ids> owned_;
  std::unordered_map<std::uint8_t, Ids> teams_;
  Ids always_;          ///< Sorted ids. They change once per `update`.
  Ids always_added_;    ///< Ids that the next `update` adds to `always_`.
  Ids always_removed_;  ///< Ids that the next `update` removes from `always_`.
  Ids next_always_;
  Ids custom_;
};

}  // namespace muster
