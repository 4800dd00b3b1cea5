#include "content/arena/game/level_spawn.h"

#include <vector>

namespace arena {
namespace {

using muster::Guid;
using muster::ObjectChild;
using muster::ObjectKind;
using muster::ObjectReader;
using muster::ObjectValue;
using muster::Result;
using muster::Spawned;

// The list of layers: at the top in the plain form, one level below in Unity's.
std::optional<ObjectValue> find_layers(const ObjectReader& level) {
  if (level.document_count() == 0) return std::nullopt;
  const std::optional<ObjectValue> root = level.document(0).root;
  if (!root) return std::nullopt;
  if (const std::optional<ObjectValue> found = root->find("layers")) return found;
  for (const ObjectChild& child : root->children()) {
    if (const std::optional<ObjectValue> found = child.value.find("layers")) return found;
  }
  return std::nullopt;
}

// The prefab of a layer, be the reference strong or weak; null for none.
Guid prefab_of(const ObjectValue& layer) {
  const std::optional<ObjectValue> prefab = layer.find("prefab");
  if (!prefab) return {};
  if (prefab->kind() == ObjectKind::reference) return prefab->reference().guid;
  const std::optional<ObjectValue> weak = prefab->find("guid");
  return weak && weak->kind() == ObjectKind::guid_text ? weak->guid() : Guid();
}

}  // namespace

Result<Spawned> spawn_level(muster::Spawner& spawner, const Guid& level) {
  Result<Spawned> spawned = spawner.spawn(level);
  if (!spawned) return spawned;
  Result<muster::LoadedEntry> entry = spawner.store().load(level, muster::kMainPayload);
  if (!entry) return muster::fail(entry.error());
  Result<ObjectReader> object = ObjectReader::open(entry.value().bytes);
  if (!object) return muster::fail(object.error());
  const std::optional<ObjectValue> layers = find_layers(object.value());
  if (!layers) return spawned;
  Spawned& total = spawned.value();
  for (const ObjectChild& layer : layers->children()) {
    const Guid prefab = prefab_of(layer.value);
    if (!spawner.store().catalog().bundle_of(prefab)) continue;
    Result<Spawned> below = spawner.spawn(prefab, total.root);
    if (!below) return below;
    total.entities += below.value().entities;
    total.components += below.value().components;
    total.other_components += below.value().other_components;
  }
  return spawned;
}

}  // namespace arena
