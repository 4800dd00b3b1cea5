// Both ends round a character's state to its sent precision, so that a prediction from the same
// commands is exact.
#include "tests/bench/sync_game.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "registry/components/quantisation.h"
#include "runtime/replication/wire_schema.h"
#include "runtime/session/system_context.h"
#include "runtime/world/math.h"
#include "tests/support/arena_build.h"

namespace muster {
namespace {

enum : std::size_t { kJump = 4, kCrouch = 5, kAttack = 7, kSprint = 10 };

constexpr float kArenaMetres = 40;
constexpr float kEyeMetres = 1.6F;
constexpr float kJumpSpeed = 5.5F;
constexpr float kGravity = 15;
constexpr std::uint8_t kCooldownTicks = 6;

/// Platforms of half a metre on a chequered floor.
float ground_at(Vec3 at) {
  const auto x = static_cast<std::int32_t>(std::floor(at.x / 4));
  const auto z = static_cast<std::int32_t>(std::floor(at.z / 4));
  return (x * 3 + z * 7) % 5 == 0 ? 0.5F : 0.0F;
}

template <Described T>
void round_to_wire(T& component) {
  static const ComponentDescription description = description_of<T>();
  static const std::size_t count = [] {
    std::size_t sum = 0;
    for (const FieldDescription& field : description.fields) sum += wire_value_count(field);
    return sum;
  }();
  std::array<std::int64_t, 64> all{};
  const std::span<std::int64_t> values = std::span(all).first(count);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span<T, 1>(&component, 1));
  to_wire(description, bytes, values);
  from_wire(description, values, bytes);
}

float radians(const Character& self, std::int32_t counts) {
  return static_cast<float>(counts) * self.degrees_per_count * std::numbers::pi_v<float> / 180;
}

void accelerate(float& speed, float wanted, float change_max) {
  speed += std::clamp(wanted - speed, -change_max, change_max);
}

void walk(SystemContext& ctx, EntityId id, Character& self, Transform& at) {
  const Input& input = ctx.command<Input>(id);
  self.yaw_counts += input.yaw_counts;
  self.pitch_counts += input.pitch_counts;
  const float yaw = radians(self, self.yaw_counts);
  at.rotation = {0, std::sin(yaw / 2), 0, std::cos(yaw / 2)};
  float metres_per_second = 5;
  if (input.buttons[kSprint].is_held) metres_per_second = 8;
  if (input.buttons[kCrouch].is_held) metres_per_second = 2;
  const float right = input.move.x * metres_per_second;
  const float forward = input.move.y * metres_per_second;
  const float seconds = ctx.seconds();
  const bool is_on_ground = at.position.y <= ground_at(at.position) && self.velocity.y <= 0;
  const float change = (is_on_ground ? 60.0F : 12.0F) * seconds;
  accelerate(self.velocity.x, right * std::cos(yaw) + forward * std::sin(yaw), change);
  accelerate(self.velocity.z, forward * std::cos(yaw) - right * std::sin(yaw), change);
  self.velocity.y -= kGravity * seconds;
  if (is_on_ground && input.buttons[kJump].is_pressed()) self.velocity.y = kJumpSpeed;
  at.position = at.position + self.velocity * seconds;
  at.position.x = std::clamp(at.position.x, -kArenaMetres, kArenaMetres);
  at.position.z = std::clamp(at.position.z, -kArenaMetres, kArenaMetres);
  const float ground = ground_at(at.position);
  if (at.position.y < ground) {
    at.position.y = ground;
    self.velocity.y = 0;
  }
  round_to_wire(self);
  round_to_wire(at);
}

void shoot(SystemContext& ctx, EntityId id, Character& self, const Transform& at) {
  const Button& attack = ctx.command<Input>(id).buttons[kAttack];
  if (self.cooldown > 0) --self.cooldown;
  if (self.cooldown > 0 || (!attack.is_held && !attack.is_pressed())) return;
  self.cooldown = kCooldownTicks;
  const float yaw = radians(self, self.yaw_counts);
  const float pitch = std::clamp(radians(self, self.pitch_counts), -1.5F, 1.5F);
  const Vec3 ahead{std::sin(yaw) * std::cos(pitch), -std::sin(pitch),
                   std::cos(yaw) * std::cos(pitch)};
  const Vec3 from = at.position + Vec3{0, kEyeMetres, 0};
  const Vec3 direction = normalised(ahead);
  const std::span<const Hit> hits = ctx.hits({.shooter = id, .from = from, .direction = direction});
  const std::int32_t first = hits.empty() ? -1 : ctx.reference(hits.front().entity).network_id;
  ShotLog::Verdicts& log = ctx.is_server() ? shot_log().server : shot_log().client;
  log.try_emplace({ctx.reference(id).network_id, ctx.tick().value()},
                  ShotVerdict{.target = first, .from = from, .direction = direction});
  ctx.play("shot", {.position = at.position});
  if (ctx.is_server()) ++shot_counts()[ctx.reference(id).network_id];
}

void count_presses(SystemContext& ctx, EntityId id, Tally& tally, const Character&) {
  const Input& input = ctx.command<Input>(id);
  for (std::size_t i = 0; i < kButtons; ++i) tally.presses[i] += input.buttons[i].press_count;
}

/// Targets run in circles through the arena.
void run_targets(SystemContext& ctx, EntityId id, Transform& at, const HitVolume& volume) {
  if (volume.layer != 1) return;
  const std::int32_t number = ctx.reference(id).network_id;
  const float radius = 5 + static_cast<float>(number % 8) * 3;
  const float metres_per_second = 4 + static_cast<float>(number % 5) * 4;
  const float angle = static_cast<float>(ctx.tick().value() % 360'000) * ctx.seconds() *
                          metres_per_second / radius +
                      static_cast<float>(number);
  at.position = {radius * std::cos(angle), 0.5F, radius * std::sin(angle)};
}

}  // namespace

ShotLog& shot_log() {
  static ShotLog log;
  return log;
}
ShotCounts& shot_counts() {
  static ShotCounts counts;
  return counts;
}

Game sync_game() {
  return {.application = 0x6C'61'62,
          .ticks_per_second = 60,
          .components = components<Replicated, Transform, Character, Tally, HitVolume>(),
          .commands = commands<Input>(),
          .systems = systems<walk, shoot>(),
          .server_systems = systems<count_presses, run_targets>(),
          .sync = OwnerPrediction{}};
}

void build_sync_game(const std::string& folder) {
  MemoryFileSystem files;
  const auto put = [&](const std::string& path, std::string_view text) {
    if (!files.write(AssetPath::parse(path).value(), as_bytes(text))) {
      throw std::runtime_error("cannot write " + path);
    }
  };
  const auto guid = [](int number) { return std::string(31, 'b') + std::to_string(number); };
  std::vector<ComponentDescription> sorted = sync_game().components.types;
  std::ranges::sort(sorted, {}, &ComponentDescription::name);
  put("muster.yaml", "version: 1\nname: lab\nfolders: [things]\ncomponents: components.json\n");
  put("components.json", components_to_json(sorted));
  put("things/character.yaml",
      "class: Prefab\nroot:\n  name: character\n  components:\n  - ReplicatedEntity: {}\n"
      "  - Transform: {}\n  - Character: {}\n  - Tally: {}\n"
      "  - HitVolume: {radius: 0.4, half_height: 0.5}\n");
  put("things/target.yaml",
      "class: Prefab\nroot:\n  name: target\n  components:\n  - ReplicatedEntity: {}\n"
      "  - Transform: {}\n  - HitVolume: {radius: 1, half_height: 1, layer: 1}\n");
  put("things/replicated.yaml",
      "class: ReplicatedEntityRegistry\nentries:\n- {type_id: 1, prefab: {guid: " + guid(1) +
          "}}\n- {type_id: 2, prefab: {guid: " + guid(2) + "}}\n");
  put("things/character.yaml.meta", "guid: " + guid(1) + "\n");
  put("things/target.yaml.meta", "guid: " + guid(2) + "\n");
  put("things/replicated.yaml.meta", "guid: " + guid(3) + "\n");
  auto project = Project::open(files, 1, {}, {}, {});
  if (!project) throw std::runtime_error(project.error().message);
  auto disk = DiskFileSystem::open(folder);
  if (!disk) throw std::runtime_error(disk.error().message);
  const auto built = testing::build_into(disk.value(), *project.value(), {});
  if (!built) throw std::runtime_error(built.error().message);
}

}  // namespace muster
