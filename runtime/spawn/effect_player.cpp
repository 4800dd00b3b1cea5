// A pool is used as a ring. If all effects of a pool have the same duration, the instance after the
// last used instance is the oldest. The durations of hitscan effects differ, so the player searches
// for a free instance.
#include "runtime/spawn/effect_player.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace muster {
namespace {

/// The maximum duration of an effect in seconds. Larger values in content are mistakes.
constexpr float kMaxSeconds = 3600;

bool is_finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool is_finite(const Quaternion& q) {
  return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}

/// NaN, which content may contain, becomes 0.
Duration seconds(float value) {
  const double bounded = value > 0 ? std::min(double{value}, double{kMaxSeconds}) : 0.0;
  return Duration(static_cast<Duration::rep>(bounded * 1e9));
}

float distance(const Vec3& a, const Vec3& b) { return std::hypot(b.x - a.x, b.y - a.y, b.z - a.z); }

Vec3 between(const Vec3& a, const Vec3& b, float part) {
  return {std::lerp(a.x, b.x, part), std::lerp(a.y, b.y, part), std::lerp(a.z, b.z, part)};
}

}  // namespace

EffectPlayer::EffectPlayer(Spawner& spawner, const EffectPlayerOptions& options)
    : spawner_(&spawner),
      world_(&spawner.world()),
      placeholder_(options.placeholder),
      reloads_(spawner.reload_count()),
      expiry_(options.expiry),
      triggers_{TickTriggers(options.same_within_ticks), TickTriggers(options.same_within_ticks)},
      duration_(find_setting(*world_, options.spatial_component, options.duration_field,
                             std::chrono::duration<float>(options.default_duration).count())),
      speed_(find_setting(*world_, options.hitscan_component, options.speed_field,
                          options.default_speed)) {}

EffectPlayer::Setting EffectPlayer::find_setting(const World& world, std::string_view component,
                                                 std::string_view field, float otherwise) {
  Setting setting{.component = world.find_component(component), .otherwise = otherwise};
  if (!setting.component) return setting;
  const FieldDescription* const found = world.storage(*setting.component).description().find(field);
  if (found == nullptr || found->type != FieldType::float32) {
    setting.component.reset();
  } else {
    setting.offset_bytes = found->offset_bytes;
  }
  return setting;
}

float EffectPlayer::read(const Setting& setting, EntityId entity) const {
  if (!setting.component) return setting.otherwise;
  const Bytes bytes = std::as_const(*world_).bytes(*setting.component, entity);
  if (bytes.empty()) return setting.otherwise;
  float value = 0;
  std::memcpy(&value, bytes.data() + setting.offset_bytes, sizeof value);
  return std::isfinite(value) && value > 0 ? value : setting.otherwise;
}

Result<EffectPlayer> EffectPlayer::create(Spawner& spawner, const EffectPlayerOptions& options) {
  const CatalogReader& catalog = spawner.store().catalog();
  if (catalog.target() != Target::client) {
    return fail(ErrorCode::invalid_argument, "effects are played by clients only");
  }
  EffectPlayer player(spawner, options);
  player.spatial_requests_.reserve(kMaxEffectRequests);
  player.hitscan_requests_.reserve(kMaxEffectRequests);
  for (std::uint32_t i = 0; i < catalog.effect_count(); ++i) {
    Result<void> added = player.add_pool(catalog.effect(i));
    if (added) continue;
    player.close();
    return fail(added.error());
  }
  return player;
}

Result<void> EffectPlayer::add_pool(const CatalogEffect& effect) {
  if (effect.pool_size == 0 || effect.pool_size > kMaxEffectPool) {
    return fail(ErrorCode::limit_exceeded,
                "effect " + std::to_string(effect.type_id.value()) + " (" +
                    effect.prefab.to_string() + ") has the pool size " +
                    std::to_string(effect.pool_size) + "; it must be 1 to " +
                    std::to_string(kMaxEffectPool));
  }
  Pool& pool = pools_.emplace_back();
  pool.kind = effect.kind;
  pool.effect = effect.type_id;
  pool.prefab = effect.prefab;
  pool.size = effect.pool_size;
  fill(pool);
  return {};
}

void EffectPlayer::fill(Pool& pool) {
  Result<const PrefabPlan*> plan = spawner_->prepare(pool.prefab);
  pool.has_failed = !plan;
  if (!plan) {
    ++counters_.failed;
    problems_.push_back(plan.error());
    if (placeholder_.is_null()) return;
    plan = spawner_->prepare(placeholder_);
    if (!plan) return;
  }
  for (std::uint32_t i = 0; i < pool.size; ++i) {
    const EntityId root = spawner_->instantiate(*plan.value()).root;
    world_->set_active(root, false);
    pool.instances.emplace_back().root = root;
  }
}

void EffectPlayer::empty(Pool& pool) {
  for (const EffectInstance& instance : pool.instances) world_->request_despawn(instance.root);
  pool.instances.clear();
  pool.next = 0;
}

void EffectPlayer::retry() {
  for (Pool& pool : pools_) {
    if (!pool.has_failed) continue;
    empty(pool);
    fill(pool);
  }
}

EffectVerdict EffectPlayer::request(const SpatialEffectRequest& request) {
  const EffectVerdict result =
      verdict(EffectKind::spatial, request.effect, spatial_requests_.size(),
              is_finite(request.position) && is_finite(request.rotation), request.cause);
  if (result == EffectVerdict::accepted) spatial_requests_.push_back(request);
  return result;
}

EffectVerdict EffectPlayer::request(const HitscanEffectRequest& request) {
  const EffectVerdict result =
      verdict(EffectKind::hitscan, request.effect, hitscan_requests_.size(),
              is_finite(request.start) && is_finite(request.end), request.cause);
  if (result == EffectVerdict::accepted) hitscan_requests_.push_back(request);
  return result;
}

void EffectPlayer::update(Time now) {
  follow_reload();
  for (Pool& pool : pools_) advance(pool, now);
  for (const SpatialEffectRequest& request : spatial_requests_) {
    Pool& pool = pools_[find_pool(EffectKind::spatial, request.effect)];
    EffectInstance* const instance = begin(pool, request.happened_at, now);
    if (instance == nullptr) continue;
    instance->position = request.position;
    instance->rotation = request.rotation;
    instance->ends_at = now + seconds(read(duration_, instance->root));
  }
  spatial_requests_.clear();
  for (const HitscanEffectRequest& request : hitscan_requests_) {
    Pool& pool = pools_[find_pool(EffectKind::hitscan, request.effect)];
    EffectInstance* const instance = begin(pool, request.happened_at, now);
    if (instance == nullptr) continue;
    instance->position = request.start;
    instance->start = request.start;
    instance->end = request.end;
    const float speed = read(speed_, instance->root);
    instance->ends_at = now + seconds(distance(request.start, request.end) / speed);
  }
  hitscan_requests_.clear();
}

void EffectPlayer::close() {
  for (Pool& pool : pools_) empty(pool);
  pools_.clear();
  spatial_requests_.clear();
  hitscan_requests_.clear();
}

std::span<const EffectInstance> EffectPlayer::instances(EffectKind kind, TypeId effect) const {
  const std::size_t pool = find_pool(kind, effect);
  return pool == pools_.size() ? std::span<const EffectInstance>() : pools_[pool].instances;
}

std::uint32_t EffectPlayer::playing_count() const {
  std::uint32_t count = 0;
  for (const Pool& pool : pools_) {
    count += static_cast<std::uint32_t>(
        std::ranges::count(pool.instances, true, &EffectInstance::is_playing));
  }
  return count;
}

// Returns the index of a pool, or the number of pools if the effect has no pool. The pools are
// sorted by kind and type id, like the effects of the catalog.
std::size_t EffectPlayer::find_pool(EffectKind kind, TypeId effect) const {
  const auto key = [](const Pool& pool) { return std::pair(pool.kind, pool.effect); };
  const auto found = std::ranges::lower_bound(pools_, std::pair(kind, effect), {}, key);
  if (found == pools_.end() || key(*found) != std::pair(kind, effect)) return pools_.size();
  return static_cast<std::size_t>(found - pools_.begin());
}

EffectVerdict EffectPlayer::verdict(EffectKind kind, TypeId effect, std::size_t waiting,
                                    bool is_finite, const std::optional<EffectCause>& cause) {
  ++counters_.requested;
  EffectVerdict result = EffectVerdict::accepted;
  const std::size_t pool = find_pool(kind, effect);
  if (pool == pools_.size()) {
    result = EffectVerdict::unknown_effect;
  } else if (pools_[pool].instances.empty()) {
    result = EffectVerdict::missing;
  } else if (!is_finite) {
    result = EffectVerdict::not_finite;
  } else if (waiting >= kMaxEffectRequests) {
    result = EffectVerdict::queue_full;
  }
  if (result != EffectVerdict::accepted) {
    ++counters_.refused;
  } else if (cause && !triggers_[static_cast<std::size_t>(kind)].fires(cause->key, cause->tick)) {
    ++counters_.repeated;
    result = EffectVerdict::repeated;
  }
  return result;
}

// A reload sets the active flag of each instance to the flag of its prefab. This function makes the
// playing instances active and all other instances inactive.
void EffectPlayer::follow_reload() {
  if (std::exchange(reloads_, spawner_->reload_count()) == spawner_->reload_count()) return;
  for (const Pool& pool : pools_) {
    for (const EffectInstance& instance : pool.instances) {
      world_->set_active(instance.root, instance.is_playing);
    }
  }
}

void EffectPlayer::advance(Pool& pool, Time now) {
  for (EffectInstance& instance : pool.instances) {
    if (!instance.is_playing) continue;
    const bool is_over = now >= instance.ends_at;
    if (pool.kind == EffectKind::hitscan) {
      const auto whole = static_cast<float>((instance.ends_at - instance.started_at).count());
      const auto gone = static_cast<float>((now - instance.started_at).count());
      instance.position =
          is_over ? instance.end
                  : between(instance.start, instance.end, std::clamp(gone / whole, 0.0F, 1.0F));
    }
    if (!is_over) continue;
    instance.is_playing = false;
    world_->set_active(instance.root, false);
    ++counters_.ended;
  }
}

// Returns the first free instance after the last used instance, or else the oldest instance.
std::size_t EffectPlayer::free_or_oldest(const Pool& pool) {
  const std::size_t count = pool.instances.size();
  std::size_t best = pool.next;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (pool.next + i) % count;
    if (!pool.instances[at].is_playing) return at;
    if (pool.instances[at].started_at < pool.instances[best].started_at) best = at;
  }
  return best;
}

// Returns null if the request is too old, or if `retry` has emptied the pool.
EffectInstance* EffectPlayer::begin(Pool& pool, Time happened_at, Time now) {
  if (pool.instances.empty()) return nullptr;
  if (happened_at <= now - expiry_) {
    ++counters_.too_late;
    return nullptr;
  }
  const std::size_t index = free_or_oldest(pool);
  EffectInstance& instance = pool.instances[index];
  pool.next = (index + 1) % pool.instances.size();
  if (instance.is_playing) ++counters_.stolen;
  instance.is_playing = true;
  instance.started_at = now;
  world_->set_active(instance.root, true);
  ++counters_.played;
  return &instance;
}

}  // namespace muster
