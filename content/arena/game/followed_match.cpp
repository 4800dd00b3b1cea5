#include "content/arena/game/followed_match.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

void Durations::add(Duration one) {
  ++count;
  sum += one;
  longest = std::max(longest, one);
}

Result<std::unique_ptr<FollowedMatch>> FollowedMatch::open(BundleStore& store,
                                                           BundleLoader& loader) {
  const std::optional<std::uint32_t> registry = find_registry(store.catalog(), kReplicatedRegistry);
  if (!registry) {
    return fail(ErrorCode::not_found, "the build has no " + std::string(kReplicatedRegistry));
  }
  std::unique_ptr<FollowedMatch> match(new FollowedMatch(store, loader, *registry));
  Result<EffectPlayer> effects =
      EffectPlayer::create(match->views_, {.placeholder = placeholder()});
  if (!effects) return fail(effects.error());
  match->effects_.emplace(std::move(effects.value()));
  match->cues_.emplace(match->world_, match->collection_, *match->effects_);
  if (const std::optional<Guid> level = find_level(store.catalog())) match->level_.load(*level);
  return match;
}

FollowedMatch::FollowedMatch(BundleStore& store, BundleLoader& loader, std::uint32_t registry)
    : store_(store),
      loader_(loader),
      registry_(registry),
      world_(session_components()),
      view_(session_components()),
      spawner_(store, world_),
      views_(store, view_),
      deferred_(spawner_, loader, {}),
      collection_(world_),
      level_(spawner_, loader),
      looks_(views_, loader, world_, collection_),
      receiver_(spawner_, deferred_, collection_, {.registry = registry}) {}

bool FollowedMatch::load(Time now) {
  if (stands_) return true;
  loader_.update(now);
  level_.update();
  if (level_.state() == LevelState::loading) return false;
  stands_ = true;
  if (level_.state() == LevelState::failed) {
    ++summary_.failed_loads;
    problems_.push_back("the level is not shown: " + level_.error().message);
  } else if (level_.state() == LevelState::ready) {
    [[maybe_unused]] const CollectionVerdict placed = level_.register_placed(collection_);
    assert(placed == CollectionVerdict::accepted);  // Nothing had an id.
  }
  return true;
}

void FollowedMatch::wait(Time now) {
  while (!load(now)) loader_.wait(now);
}

void FollowedMatch::agree(std::span<const std::byte> map_info) {
  assert(stands_);
  const ContentHash here = level_.placed_hash();
  const bool is_same =
      std::ranges::equal(placed_in(map_info), std::as_bytes(std::span(here.bytes)));
  if (is_same || level_.placed().empty()) return;
  for (std::int32_t id = 0; id < collection_.placed_count(); ++id) {
    world_.request_despawn(collection_.find({id}));
    (void)collection_.remove({id});
  }
  collection_.set_placed_count(0);
  lines_.emplace_back("the match has another level: what is placed in this one goes");
}

void FollowedMatch::set_player(PlayerId player) {
  player_ = player;
  receiver_.set_player(player);
}

void FollowedMatch::apply(const WorldSource& source, std::span<const TimedEvent> events, Time now) {
  receiver_.apply(source);
  note_changes(source, now);
  note_events(events);
}

void FollowedMatch::go_on(const WorldSource& source, Tick tick, Time now) {
  loader_.update(now);
  deferred_.update();
  receiver_.complete(source);
  note_completed(now);
  cues_->request(tick, now);
  effects_->update(now);
  looks_.update(player_);
  note_problems();
  world_.process_despawns();
  view_.process_despawns();
}

void FollowedMatch::note_changes(const WorldSource& source, Time now) {
  for (const ReplicatedChange& change : source.changes()) {
    if (change.kind == ReplicatedChange::Kind::updated) continue;
    std::erase_if(loading_, [&](const Loading& one) { return one.id == change.id; });
    const std::string what =
        std::to_string(change.id) + " " + name_of(source.schema(), change.type);
    if (change.kind == ReplicatedChange::Kind::despawned) {
      ++summary_.despawned;
      effects_->forget({static_cast<std::int32_t>(change.id)});
      lines_.push_back("despawned " + what);
      continue;
    }
    ++summary_.spawned;
    loading_.push_back({.id = change.id, .since = now});
    lines_.push_back("spawned   " + what +
                     (change.seen_by == SeenBy::owner ? ", which is mine" : ""));
  }
  for (const EntityReference id : receiver_.untold()) {
    ++summary_.despawned;
    effects_->forget(id);
    lines_.push_back("despawned " + std::to_string(id.network_id) +
                     ", placed in the level: the match has it no more");
  }
  for (std::string& note : receiver_.take_notes()) problems_.push_back(std::move(note));
}

void FollowedMatch::note_events(std::span<const TimedEvent> events) {
  for (const TimedEvent& event : events) {
    // The arena has one kind of events: an announcement.
    std::string text;
    for (const std::byte letter : event.bytes) text += static_cast<char>(letter);
    summary_.is_still = true;
    lines_.push_back("tick " + std::to_string(event.tick) + ": " + text);
  }
}

void FollowedMatch::note_completed(Time now) {
  std::erase_if(loading_, [&](const Loading& one) {
    const EntityId root = collection_.find({static_cast<std::int32_t>(one.id)});
    if (deferred_.is_waiting(root)) return false;
    if (!deferred_.is_placeholder(root)) summary_.completion.add(now - one.since);
    return true;
  });
}

void FollowedMatch::note_problems() {
  for (std::vector<Error> problems :
       {deferred_.take_problems(), looks_.take_problems(), effects_->take_problems()}) {
    for (Error& problem : problems) {
      ++summary_.failed_loads;
      problems_.push_back(std::move(problem.message));
    }
  }
}

std::string FollowedMatch::name_of(const ReplicationSchema* schema, std::uint16_t type) const {
  if (schema == nullptr || type >= schema->types.size()) return "of another map";
  const std::uint32_t id = schema->types[type].id;
  const TypePlace* const place = store_.resolve(registry_, TypeId(id));
  const auto asset = place != nullptr ? store_.catalog().find_asset(place->guid) : std::nullopt;
  return "type " + std::to_string(id) + (asset ? " " + std::string(asset->path) : " (unknown)");
}

WorldValues FollowedMatch::world(const ReplicationSchema& schema) const {
  WorldValues world(schema);
  std::vector<std::int64_t> values;
  receiver_.each([&](EntityReference id, std::uint16_t type, SeenBy seen_by) {
    values.assign(schema.value_count(type), 0);
    const auto number = static_cast<std::uint32_t>(id.network_id);
    std::uint16_t lacking = 0;
    if (receiver_.values(number, values, lacking) != EntityFound::here) return;
    world.add(number, type, seen_by, values);
  });
  return world;
}

std::vector<std::string> FollowedMatch::take_lines() { return std::exchange(lines_, {}); }
std::vector<std::string> FollowedMatch::take_problems() { return std::exchange(problems_, {}); }

}  // namespace arena
