#include "tests/support/bundle_samples.h"

#include <algorithm>
#include <array>

#include "registry/vocabulary/seed.h"

namespace muster::samples {
namespace {

struct Health {
  float current = 100;
  float maximum = 100;
  std::uint8_t team = 1;
};

struct Weapon {
  AssetReference projectile;
  EntityReference holder;
  std::array<Vec3, 2> muzzles{};
  FixedText<12> label;
  bool is_automatic = true;
};

BundleName prefab_bundle(std::uint64_t number) { return BundleName::of_prefab(guid(number)); }

BundleName shared_bundle() { return BundleName::of_shared(hash_bytes(as_bytes("shared"))); }

PrefabComponent cooked(const ComponentDescription& description, std::int64_t source_id,
                       std::uint32_t document) {
  return {.type = description.name,
          .source_id = source_id,
          .document = document,
          .cooked = CookedComponent{description.hash(), description.default_value}};
}

PrefabComponent other(std::string type, std::int64_t source_id, std::uint32_t document) {
  return {.type = std::move(type), .source_id = source_id, .document = document, .cooked = {}};
}

}  // namespace

Guid guid(std::uint64_t number) {
  Random random(number);
  ByteWriter bytes;
  bytes.u64(random.next());
  bytes.u64(random.next());
  return Guid::from_bytes(bytes.view());
}

ByteVector compressible(std::size_t size, std::uint64_t seed) {
  constexpr std::array<std::string_view, 6> kWords = {
      "m_LocalPosition: ", "{x: 0, y: 1, z: 0}\n",
      "--- !u!4 &",        "m_Father: {fileID: 0}\n",
      "0.7071068",         "\n  "};
  Random random(seed);
  ByteVector bytes;
  while (bytes.size() < size) {
    const Bytes word = as_bytes(kWords.at(random.below(kWords.size())));
    bytes.insert(bytes.end(), word.begin(), word.end());
  }
  bytes.resize(size);
  return bytes;
}

ByteVector noise(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  ByteVector bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

BundleSample bundle() {
  BundleSample sample;
  sample.options.block_plain_bytes = 4096;
  sample.plain = {
      compressible(700, 1), compressible(300, 2), noise(100, 3), compressible(9000, 4), {},
      noise(4096 + 1, 5),   compressible(40, 6)};
  const auto add = [&](std::uint64_t asset, std::int64_t local_id, EntryKind kind) {
    const Bytes plain = sample.plain.at(sample.entries.size());
    sample.entries.push_back({guid(asset), local_id, kind, plain});
  };
  add(1, kMainPayload, EntryKind::object);
  add(1, kFlattenedPrefab, EntryKind::prefab);
  add(2, kMainPayload, EntryKind::raw);
  add(3, kMainPayload, EntryKind::raw);
  add(3, -7, EntryKind::raw);
  add(4, kMainPayload, EntryKind::raw);
  add(3, kImportSettings, EntryKind::import_settings);
  return sample;
}

BundleSample stored_bundle() {
  BundleSample sample;
  sample.options.block_plain_bytes = 4096;
  sample.plain = {noise(64, 1), noise(5000, 2), {}};
  sample.entries = {{guid(1), kMainPayload, EntryKind::object, sample.plain[0]},
                    {guid(2), kMainPayload, EntryKind::raw, sample.plain[1]},
                    {guid(2), -1, EntryKind::text, sample.plain[2]}};
  return sample;
}

std::vector<ComponentDescription> components() {
  return {Describe<Weapon>("Weapon")
              .field("projectile", &Weapon::projectile)
              .field("holder", &Weapon::holder, {.receivers = Receivers::owner})
              .field("muzzles", &Weapon::muzzles, {.unit = "m", .resolution = 0.001})
              .field("label", &Weapon::label)
              .field("is_automatic", &Weapon::is_automatic)
              .done(),
          Describe<Health>("Health")
              .field("current", &Health::current, {.unit = "hp", .tolerance = 0.01})
              .field("maximum", &Health::maximum, {.unit = "hp"})
              .field("team", &Health::team)
              .done()};
}

CatalogData catalog() {
  CatalogData data;
  data.target = Target::server;
  data.agreement = hash_bytes(as_bytes("agreement"));
  data.bundles = {
      {prefab_bundle(1), hash_bytes(as_bytes("one")), 4000, {shared_bundle()}},
      {shared_bundle(), hash_bytes(as_bytes("two")), 90000, {}},
      {prefab_bundle(2), hash_bytes(as_bytes("three")), 100, {shared_bundle(), prefab_bundle(1)}}};
  data.assets = {{guid(1), "Prefabs/Hero.prefab", prefab_bundle(1)},
                 {guid(2), "Prefabs/Hero_1P.prefab", prefab_bundle(2)},
                 {guid(3), "Textures/Hero Größe.png", shared_bundle()},
                 {guid(4), "Scripts/Hero.cs", std::nullopt}};
  data.registries = {{"ReplicatedEntity",
                      guid(50),
                      "Registries/ReplicatedEntity.asset",
                      {{TypeId(5), guid(2), Guid(), "factory", TargetSet::both(), true},
                       {TypeId(1), guid(1), Guid(), "prefab", Target::server, false}}},
                     {"Item",
                      guid(51),
                      "Registries/Item.asset",
                      {{TypeId(0), guid(1), guid(60), "prefabServer", Target::server, false},
                       {TypeId(0), guid(2), guid(60), "prefab1P", Target::client, false},
                       {TypeId(2), guid(99), guid(61), "", TargetSet::both(), false}}},
                     {"HeroType", guid(52), "", {}}};
  data.effects = {{EffectKind::hitscan, TypeId(3), 8, guid(2)},
                  {EffectKind::spatial, TypeId(3), 16, guid(1)},
                  {EffectKind::spatial, TypeId(1), 16, guid(98)}};
  data.presentations = {{{guid(1), kPlatformClient, 0, 0}, guid(2)},
                        {{guid(1), kPlatformClient | kPlatformServer, 0, 1}, guid(1)},
                        {{guid(1), kPlatformServer, 7, 0}, guid(97)},
                        {{guid(2), kPlatformClient, 0, 0}, guid(2)}};
  data.components = components();
  return data;
}

PrefabData prefab() {
  const std::vector<ComponentDescription> known = components();
  PrefabData data;
  data.entities = {
      {"Hero", 100, std::nullopt, true, {other("Transform", 101, 1), cooked(known[1], 102, 2)}},
      {"Body", 200, 0, true, {other("Transform", 201, 4)}},
      {"Hand", -300, 1, false, {cooked(known[0], -301, 6), cooked(known[1], -302, 7)}},
      {"", 0, 0, true, {}},
      {"Größe", 500, 3, true, {other("MeshRenderer", 501, 9)}}};
  return data;
}

void fix_hash(std::span<std::byte> file) {
  const ContentHash hash = hash_bytes(file.subspan(32));
  std::ranges::copy(std::as_bytes(std::span(hash.bytes)), file.begin() + 16);
}

std::string hex(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto value = std::to_integer<unsigned>(bytes[i]);
    text.push_back(kDigits[value >> 4U]);
    text.push_back(kDigits[value & 15U]);
    if (i % 16 == 15) text.push_back('\n');
  }
  return text;
}

}  // namespace muster::samples
