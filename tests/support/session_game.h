// A small game for session tests. Its content is built into a folder on the disk.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "runtime/session/simulated_match.h"
#include "tests/support/arena_build.h"
#include "tests/support/temporary_folder.h"

namespace muster::session_game {

struct Runner {
  Vec3 velocity{};
  std::int32_t score = 0;
  std::int32_t secret = 0;  ///< Sent only to the owner.
};
/// A component that no prefab has.
struct Burning {
  float seconds = 3;
};
struct Steer {
  Vec3 direction{};
  Button jump{};
};
struct Chat {
  FixedText<64> text{};
  std::int32_t number = 0;
};
/// A message larger than a datagram.
struct Letter {
  std::array<std::uint32_t, 600> words{};
};

consteval auto describe(Type<Runner>) {
  return Describe<Runner>("Runner")
      .field<&Runner::velocity>("velocity", {.unit = "m/s"})
      .field<&Runner::score>("score", {.minimum = 0, .maximum = 1000})
      .field<&Runner::secret>("secret", {.receivers = Receivers::owner});
}
consteval auto describe(Type<Burning>) {
  return Describe<Burning>("Burning").field<&Burning::seconds>("seconds", {.unit = "s"});
}
consteval auto describe(Type<Steer>) {
  return Describe<Steer>("Steer")
      .field<&Steer::direction>("direction", {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127})
      .field<&Steer::jump>("jump");
}
consteval auto describe(Type<Chat>) {
  return Describe<Chat>("Chat").field<&Chat::text>("text").field<&Chat::number>(
      "number", {.minimum = -100, .maximum = 100});
}
consteval auto describe(Type<Letter>) {
  return Describe<Letter>("Letter").field<&Letter::words>("words");
}

inline void steer(SystemContext& ctx, EntityId self, Runner& runner, Transform& at) {
  const Steer& command = ctx.command<Steer>(self);
  runner.velocity = command.direction;
  runner.score += command.jump.press_count;
  at.position.x += runner.velocity.x * ctx.seconds();
  at.position.y += runner.velocity.y * ctx.seconds();
  at.position.z += runner.velocity.z * ctx.seconds();
}

inline Game make_game() {
  return {.application = 0x7465'7374,
          .ticks_per_second = 30,
          .components = components<Replicated, Transform, Runner, Burning>(),
          .commands = commands<Steer>(),
          .messages = messages<Chat, Letter>(),
          .server_systems = systems<steer>()};
}

/// Returns the game's project: the prefabs `runner` (type 1) and `rock` (type 2), and the level
/// `yard` with rocks at x = 3 and x = 6.
inline MemoryFileSystem project_of(const Game& game) {
  MemoryFileSystem files;
  const auto put = [&](const std::string& path, std::string_view text) {
    if (!files.write(AssetPath::parse(path).value(), as_bytes(text))) {
      throw std::runtime_error("cannot write " + path);
    }
  };
  const auto guid = [](int number) { return std::string(31, 'a') + std::to_string(number); };
  put("muster.yaml",
      "version: 1\nname: test\nfolders: [things]\ncomponents: components.json\n"
      "classes:\n  LevelRegistry:\n    entries: entries\n    references:\n"
      "    - {path: level, strength: strong, targets: [client, server]}\n"
      "    prepare: {assets_of_class: Level, field: level}\n");
  std::vector<ComponentDescription> sorted = game.components.types;
  std::ranges::sort(sorted, {}, &ComponentDescription::name);
  put("components.json", components_to_json(sorted));
  put("things/runner.yaml",
      "class: Prefab\nroot:\n  name: runner\n  components:\n  - ReplicatedEntity: {}\n"
      "  - Transform: {}\n  - Runner: {score: 5}\n");
  put("things/rock.yaml",
      "class: Prefab\nroot:\n  name: rock\n  components:\n  - ReplicatedEntity: {assetGuid: "
      "{guid: " +
          guid(2) + "}}\n  - Transform: {}\n");
  put("things/replicated.yaml",
      "class: ReplicatedEntityRegistry\nentries:\n- {type_id: 1, prefab: {guid: " + guid(1) +
          "}}\n- {type_id: 2, prefab: {guid: " + guid(2) + "}}\n");
  put("things/yard_main.yaml",
      "class: Prefab\nroot:\n  name: yard_main\n  children:\n"
      "  - name: First\n    prefab: {fileID: 1, guid: " +
          guid(2) +
          "}\n    components:\n    - Transform: {position: {x: 3, y: 0, z: 0}}\n"
          "  - name: Second\n    prefab: {fileID: 1, guid: " +
          guid(2) + "}\n    components:\n    - Transform: {position: {x: 6, y: 0, z: 0}}\n");
  put("things/yard.yaml",
      "class: Level\nlayers:\n- name: main\n  prefab: {fileID: 1, guid: " + guid(4) + "}\n");
  put("things/levels.yaml",
      "class: LevelRegistry\nentries:\n- {type_id: 1, level: {fileID: 1, guid: " + guid(5) +
          "}}\n");
  put("things/yard_main.yaml.meta", "guid: " + guid(4) + "\n");
  put("things/yard.yaml.meta", "guid: " + guid(5) + "\n");
  put("things/levels.yaml.meta", "guid: " + guid(6) + "\n");
  put("things/runner.yaml.meta", "guid: " + guid(1) + "\n");
  put("things/rock.yaml.meta", "guid: " + guid(2) + "\n");
  put("things/replicated.yaml.meta", "guid: " + guid(3) + "\n");
  return files;
}

/// Builds a project into a folder of the disk. Throws when the build fails.
inline void build_project(const FileReader& project, const std::string& folder) {
  auto opened = Project::open(project, 1, {}, {}, {});
  if (!opened) throw std::runtime_error(opened.error().message);
  auto disk = DiskFileSystem::open(folder);
  if (!disk) throw std::runtime_error(disk.error().message);
  const auto built = testing::build_into(disk.value(), *opened.value(), {});
  if (!built) throw std::runtime_error(built.error().message);
}

/// The folder of the build of `make_game`, which is made once per program.
inline const std::string& build_folder() {
  static const TemporaryFolder folder;
  static const bool is_built = [] {
    build_project(project_of(make_game()), folder.path());
    return true;
  }();
  static_cast<void>(is_built);
  return folder.path();
}

inline std::unique_ptr<SimulatedMatch> open_match(const MatchOptions& options = {}) {
  auto match = SimulatedMatch::open(make_game(), build_folder(), options);
  if (!match) throw std::runtime_error(match.error().message);
  return std::move(match.value());
}

/// A match of another game with the content of `make_game`. Each player gets a runner.
inline std::unique_ptr<SimulatedMatch> open_with_runners(const Game& game, std::uint64_t seed = 1) {
  auto match = SimulatedMatch::open(game, build_folder(), {.seed = seed});
  if (!match) throw std::runtime_error(match.error().message);
  GameServer& server = match.value()->server();
  server.on_join([&server](PlayerId player) { server.spawn("runner", {.owner = player}); });
  return std::move(match.value());
}

inline Chat chat(std::string_view text, std::int32_t number = 0) {
  Chat made{.number = number};
  std::ranges::copy(text.substr(0, made.text.bytes.size()), made.text.bytes.begin());
  return made;
}

/// Returns the number of a client's entities whose asset path contains `name`.
inline std::size_t count_of(const GameClient& client, std::string_view name) {
  std::size_t count = 0;
  client.each<const Transform>([&](EntityId id, const Transform&) {
    count += client.asset_path(id).find(name) != std::string_view::npos ? 1U : 0U;
  });
  return count;
}

}  // namespace muster::session_game
