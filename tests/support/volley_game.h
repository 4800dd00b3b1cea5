// A game whose players fire bolts, for tests of predicted spawns, despawns and effects.
#pragma once

#include <string>

#include "runtime/world/math.h"
#include "tests/support/session_game.h"

namespace muster::volley_game {

using session_game::Runner;

struct Trigger {
  Vec3 direction{};
  Button fire{};
};
struct Bolt {
  Vec3 velocity{};
  float seconds_left = 0.5F;
  std::int32_t number = 0;  ///< The number of the bolt among the bolts of its shooter.
  EntityReference shooter{};
};
consteval auto describe(Type<Trigger>) {
  return Describe<Trigger>("Trigger")
      .field<&Trigger::direction>("direction",
                                  {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127})
      .field<&Trigger::fire>("fire");
}
consteval auto describe(Type<Bolt>) {
  return Describe<Bolt>("Bolt")
      .field<&Bolt::velocity>("velocity", {.unit = "m/s"})
      .field<&Bolt::seconds_left>("secondsLeft", {.unit = "s"})
      .field<&Bolt::number>("number")
      .field<&Bolt::shooter>("shooter");
}

/// Differences between server and clients that make predictions fail.
struct Faults {
  bool server_is_jammed = false;   ///< True if the server fires nothing.
  bool server_fires_late = false;  ///< True if a server system fires instead of the shared system.
  std::uint32_t bolts_per_press = 3;  ///< The number of bolts in the tick of a press.
};
inline Faults& faults() {
  static Faults all;
  return all;
}

inline void walk(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  runner.velocity = ctx.command<Trigger>(self).direction;
  at.position = at.position + runner.velocity * ctx.seconds();
}

/// Fires a volley of bolts, which start side by side.
inline void fire(SystemContext& ctx, EntityId self, Runner& runner, const Transform& at) {
  const Trigger& trigger = ctx.command<Trigger>(self);
  if (!trigger.fire.is_pressed()) return;
  if (ctx.is_server() && (faults().server_is_jammed || faults().server_fires_late)) return;
  for (std::uint32_t i = 0; i < faults().bolts_per_press; ++i) {
    ++runner.score;
    Transform from = at;
    from.position.x += static_cast<float>(i);
    ctx.spawn("bolt", {.owner = ctx.owner(self)}, from,
              Bolt{.velocity = {0, 0, 20}, .number = runner.score, .shooter = ctx.reference(self)});
  }
}

inline void fire_late(SystemContext& ctx) {
  if (!faults().server_fires_late) return;
  ctx.each<Runner, const Transform>([&](EntityId self, Runner& runner, const Transform& at) {
    if (!ctx.command<Trigger>(self).fire.is_pressed()) return;
    ++runner.score;
    ctx.spawn("bolt", {.owner = ctx.owner(self)}, at,
              Bolt{.velocity = {0, 0, 20}, .number = runner.score, .shooter = ctx.reference(self)});
  });
}

inline void fly(SystemContext& ctx, EntityId self, Bolt& bolt, Transform& at) {
  at.position = at.position + bolt.velocity * ctx.seconds();
  if ((bolt.seconds_left -= ctx.seconds()) <= 0) ctx.despawn(self);
}

inline bool same_bolt(const Bolt& predicted, const Bolt& confirmed) {
  return predicted.number == confirmed.number;
}

inline Game make_game() {
  return {.application = 0x766F'6C6C,
          .ticks_per_second = 30,
          .components = components<Replicated, Transform, Runner, Bolt>(),
          .commands = commands<Trigger>(),
          .messages = messages<session_game::Chat>(),
          .systems = systems<walk, fire, fly>(),
          .server_systems = systems<fire_late>()};
}

inline MemoryFileSystem project() {
  MemoryFileSystem files = session_game::project_of(make_game());
  const auto put = [&](const std::string& path, std::string_view text) {
    if (!files.write(AssetPath::parse(path).value(), as_bytes(text))) {
      throw std::runtime_error("cannot write " + path);
    }
  };
  const std::string guid = std::string(31, 'a');
  put("things/bolt.yaml",
      "class: Prefab\nroot:\n  name: bolt\n  components:\n  - ReplicatedEntity: {}\n"
      "  - Transform: {}\n  - Bolt: {}\n");
  put("things/bolt.yaml.meta", "guid: " + guid + "9\n");
  put("things/replicated.yaml",
      "class: ReplicatedEntityRegistry\nentries:\n- {type_id: 1, prefab: {guid: " + guid +
          "1}}\n- {type_id: 2, prefab: {guid: " + guid +
          "2}}\n- {type_id: 3, prefab: {guid: " + guid + "9}}\n");
  return files;
}

/// The folder of the game's build, which is made once per program.
inline const std::string& build_folder() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    session_game::build_project(project(), folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

/// Opens a match in which each player that joins gets a runner. Resets the faults.
inline std::unique_ptr<SimulatedMatch> open_match(std::uint64_t seed,
                                                  const Game& game = make_game()) {
  faults() = {};
  auto match = SimulatedMatch::open(game, build_folder(), {.seed = seed});
  if (!match) throw std::runtime_error(match.error().message);
  GameServer& server = match.value()->server();
  server.on_join([&server](PlayerId player) { server.spawn("runner", {.owner = player}); });
  return std::move(match.value());
}

/// Returns the first runner of a client's player; null if there is none.
inline EntityId own_runner(const GameClient& client) {
  EntityId own;
  client.each<const Runner>([&](EntityId id, const Runner&) {
    if (own.is_null() && client.is_mine(id)) own = id;
  });
  return own;
}

}  // namespace muster::volley_game
