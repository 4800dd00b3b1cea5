// What of the world matters to whom.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "net/replication/replicated_world.h"

namespace muster {

/// Who looks at the world, and from where.
struct Viewer {
  PlayerNumber player = kNobody;
  std::uint8_t team = 0;
  bool has_eyes = false;
  Place eyes{};
  friend bool operator==(const Viewer&, const Viewer&) = default;
};

/// A game's own say. Must give the same answer for the same world.
class InterestRule {
 public:
  virtual ~InterestRule() = default;
  /// Asked of entities that would be told to a viewer; false hides one. Entities of
  /// `Relevance::custom` are asked about wherever they are.
  virtual bool is_relevant(const Viewer& viewer, const ReplicatedEntity& entity) const = 0;
};

struct InterestOptions {
  float cell_size = 32;  ///< Of the grid; about a third of the commonest radius.
  /// What is in view stays until it is so many times as far as its radius: nothing comes and goes
  /// at the border.
  float leave_factor = 1.25F;
  /// Views are looked through again at least every so many ticks.
  std::uint16_t refresh_ticks = 6;
  const InterestRule* rule = nullptr;  ///< Must outlive the server.
};

/// Finds entities by where they are and for whom. Brought up to date once a tick; between, any
/// number of threads may look.
class InterestGrid {
 public:
  InterestGrid(const InterestOptions& options, const std::vector<UpdateClass>& classes);

  /// Adds a class behind the others.
  void add_class(const UpdateClass& added);
  /// Takes over what `world` says was moved, spawned or despawned.
  void update(const ReplicatedWorld& world);
  /// Puts the ids of what matters to `viewer` into `out`, sorted; `before` is what mattered last
  /// time, sorted.
  void find(const ReplicatedWorld& world, const Viewer& viewer,
            const std::vector<std::uint32_t>& before, std::vector<std::uint32_t>& out) const;
  void clear();
  /// Bytes of memory held, about.
  std::size_t memory_bytes() const;
  /// Rises when somebody would find something else.
  std::uint64_t version() const { return version_; }

 private:
  using Cell = std::uint64_t;
  using Ids = std::vector<std::uint32_t>;
  /// An entity of a cell, with all that is asked of it.
  struct Near {
    std::uint32_t id = 0;
    std::uint8_t update_class = 0;
    Place place{};
  };
  using Cells = std::unordered_map<Cell, std::vector<Near>>;
  /// In which of the lists an entity is, and where in them.
  struct Listed {
    Relevance relevance = Relevance::near;
    std::uint8_t team = 0;
    PlayerNumber owner = kNobody;
    std::uint32_t index = 0;        ///< In the list of its relevance; not in `always_`.
    std::uint32_t owned_index = 0;  ///< In the list of its owner.
    Cell cell = 0;
  };

  Cell cell_of(const Place& place) const;
  void list(std::uint32_t id, const ReplicatedEntity& entity);
  bool is_listed_as(const Listed& listed, const ReplicatedEntityOptions& now) const;
  void place_in_cell(const ReplicatedEntity& entity, const Listed& listed);
  void unlist(std::uint32_t id, const Listed& listed);
  void merge_always();
  void drop_empty_lists();
  Ids& ids_of(const Listed& listed);
  void add_near(const Viewer& viewer, const Ids& before, Ids& out) const;

  InterestOptions options_;
  std::vector<UpdateClass> classes_;
  float radius_max_ = 0;
  std::uint64_t version_ = 0;
  std::unordered_map<std::uint32_t, Listed> listed_;
  Cells cells_;
  std::unordered_map<PlayerNumber, Ids> owned_;
  std::unordered_map<std::uint8_t, Ids> teams_;
  Ids always_;          ///< Sorted; changes once per `update`, by ...
  Ids always_added_;    ///< ... these, ...
  Ids always_removed_;  ///< ... without these.
  Ids next_always_;
  Ids custom_;
};

}  // namespace muster
