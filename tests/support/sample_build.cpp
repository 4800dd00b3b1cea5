#include "tests/support/sample_build.h"

#include <cassert>

#include "bundler/cook/object_writer.h"
#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "registry/components/describe.h"
#include "registry/yaml/reader.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/spawn/prefab_link.h"
#include "tests/support/bundle_samples.h"

namespace muster::samples {
namespace {

constexpr std::string_view kHeroDefinition = "class: HeroType\nhealth: 120\n";

class TargetBuilder {
 public:
  explicit TargetBuilder(const TargetOptions& options) : components_(options.components) {
    data_.target = options.target;
    data_.agreement = hash_bytes(as_bytes("sample build"));
    data_.components = components_;
  }

  template <typename T>
  PrefabComponent cooked(std::string_view type, const T& value) const {
    for (const ComponentDescription& description : components_) {
      if (description.name != type) continue;
      const Bytes bytes = std::as_bytes(std::span<const T, 1>(&value, 1));
      return {.type = std::string(type),
              .document = {},
              .cooked = CookedComponent{description.hash(), {bytes.begin(), bytes.end()}}};
    }
    return {.type = std::string(type), .document = {}, .cooked = {}};
  }

  static PrefabComponent other(std::string type) {
    return {.type = std::move(type), .document = {}, .cooked = {}};
  }

  void add_prefab(std::uint64_t asset, const std::string& path, std::vector<PrefabEntity> entities,
                  bool needs_picture = false) {
    const ByteVector bytes = encode_prefab({std::move(entities)}).value();
    const std::vector<PackEntry> entries = {
        {guid(asset), kFlattenedPrefab, EntryKind::prefab, bytes}};
    add_bundle(BundleName::of_prefab(guid(asset)), pack_bundle(entries).value(), needs_picture);
    add_asset(asset, path, BundleName::of_prefab(guid(asset)));
  }

  void add_picture() {
    const ByteVector picture = compressible(20000, 7);
    const std::vector<PackEntry> entries = {
        {guid(kPicture), kMainPayload, EntryKind::raw, picture}};
    picture_ = BundleName::of_shared(hash_bytes(picture));
    add_bundle(picture_, pack_bundle(entries).value(), false);
    add_asset(kPicture, "Textures/Crate.png", picture_);
  }

  void add_definition(std::uint64_t asset, const std::string& path, const std::string& text) {
    const ByteVector bytes = encode_object(yaml::read_plain(text).tree()).value();
    const std::vector<PackEntry> entries = {{guid(asset), kMainPayload, EntryKind::object, bytes}};
    const BundleName name = BundleName::of_prefab(guid(asset));
    add_bundle(name, pack_bundle(entries).value(), false);
    add_asset(asset, path, name);
  }

  CatalogData& data() { return data_; }
  std::vector<std::pair<BundleName, ByteVector>> drain_bundles() { return std::move(bundles_); }

 private:
  void add_bundle(const BundleName& name, ByteVector bytes, bool needs_picture) {
    const BundleReader reader = BundleReader::open(bytes).value();
    BundleData& row = data_.bundles.emplace_back();
    row.name = name;
    row.hash = reader.bundle_hash();
    row.file_bytes = bytes.size();
    if (needs_picture) row.dependencies.push_back(picture_);
    bundles_.emplace_back(name, std::move(bytes));
  }

  void add_asset(std::uint64_t asset, const std::string& path, const BundleName& bundle) {
    data_.assets.push_back({guid(asset), path, bundle});
  }

  const std::vector<ComponentDescription>& components_;
  CatalogData data_;
  BundleName picture_;
  std::vector<std::pair<BundleName, ByteVector>> bundles_;
};

PrefabEntity entity(std::string name, std::optional<std::uint32_t> parent,
                    std::vector<PrefabComponent> components, bool is_active = true,
                    std::int64_t source_id = 0) {
  return {.name = std::move(name),
          .source_id = source_id,
          .parent = parent,
          .is_active = is_active,
          .components = std::move(components)};
}

std::string layer(std::uint64_t prefab, const std::string& more = {}) {
  return "- prefab: {guid: " + guid(prefab).to_string() + "}\n" + more;
}

void add_shared_content(TargetBuilder& builder, const TargetOptions& options) {
  builder.add_picture();
  builder.add_definition(kDefinition, "Heroes/Hero.asset", std::string(kHeroDefinition));
  builder.add_definition(kLevel, "Levels/Yard.asset",
                         "class: Level\nlayers:\n" + layer(kYard, "  name: main\n") +
                             layer(kCrate) + layer(kSky, "  name: sky\n") +
                             layer(kFlash, "  name: fireworks\n  onDemand: 1\n") +
                             layer(kYard, "  name: crowd\n  onDemand: true\n"));
  // Two nested instances of the same prefab.
  std::vector<PrefabEntity> yard = {entity("Yard", {}, {})};
  for (std::size_t i = 0; i < options.values.yard_posts; ++i) {
    const std::vector<float>& lives = options.values.yard_lives;
    const Life life{i < lives.size() ? lives[i] : 10 * static_cast<float>(i + 1), 0};
    const std::string& name = options.values.yard_name;
    yard.push_back(entity(name, 0, {builder.cooked("Life", life)}, true, 500));
  }
  yard.push_back(entity("Gate", 0, {builder.cooked("Life", Life{30, 0})}, true, 77));
  builder.add_prefab(kYard, "Levels/Yard.prefab", std::move(yard));
  std::vector<PrefabComponent> crate = {TargetBuilder::other("Rigidbody"),
                                        builder.cooked("Body", Body{{1, 2, 3}, 20}),
                                        builder.cooked("Life", Life{options.values.crate_life, 2})};
  crate.insert(crate.end(), options.crate.begin(), options.crate.end());
  std::vector<PrefabEntity> entities = {entity("Crate", {}, std::move(crate))};
  for (std::size_t i = 0; i < options.values.crate_lids; ++i) {
    entities.push_back(entity("Lid", 0, {builder.cooked("Body", Body{{0, 1, 0}, 2})}, false));
  }
  builder.add_prefab(kCrate, "Prefabs/Crate.prefab", std::move(entities), true);
  builder.add_prefab(kFactory, "Factories/Spectator.asset",
                     {entity("Spectator", {}, {builder.cooked("Life", Life{1, 1})})});
}

void add_server_content(TargetBuilder& builder) {
  builder.add_prefab(
      kHeroServer, "Prefabs/Hero_Server.prefab",
      {entity("Hero", {},
              {builder.cooked("Body", Body{{0, 0, 0}, 80}), builder.cooked("Life", Life{120, 0})}),
       entity("Hand", 0, {builder.cooked("Body", Body{{0, 1, 0}, 1})}), entity("Ring", 1, {})},
      true);
}

void add_client_content(TargetBuilder& builder, const SampleValues& values) {
  builder.add_prefab(kSky, "Levels/Sky.prefab", {entity("Sky", {}, {})});
  builder.add_prefab(kHeroClient, "Prefabs/Hero_Client.prefab",
                     {entity("Hero", {},
                             {TargetBuilder::other("Animator"), TargetBuilder::other("Light"),
                              builder.cooked("Body", Body{})})},
                     true);
  builder.add_prefab(kCrateLook, "Looks/Crate.prefab",
                     {entity("CrateLook", {}, {TargetBuilder::other("MeshRenderer")})});
  builder.add_prefab(kCrateBroken, "Looks/CrateBroken.prefab",
                     {entity("CrateBroken", {}, {TargetBuilder::other("MeshRenderer")})});
  const SpatialEffect explosion{values.explosion_seconds};
  builder.add_prefab(kExplosion, "Effects/Explosion.prefab",
                     {entity("Explosion", {}, {builder.cooked("SpatialEffect", explosion)},
                             values.is_explosion_active),
                      entity("Sparks", 0, {})});
  const HitscanEffect tracer{values.tracer_speed};
  builder.add_prefab(kTracer, "Effects/Tracer.prefab",
                     {entity("Tracer", {}, {builder.cooked("HitscanEffect", tracer)})});
  std::vector<PrefabComponent> flash;
  if (values.flash_lives) flash.push_back(builder.cooked("Life", Life{1, 0}));
  builder.add_prefab(kFlash, "Effects/Flash.prefab", {entity("Flash", {}, std::move(flash))});
  builder.data().effects = {{EffectKind::spatial, TypeId(1), 3, guid(kExplosion)},
                            {EffectKind::spatial, TypeId(2), 1, guid(kFlash)},
                            {EffectKind::hitscan, TypeId(1), 2, guid(kTracer)}};
  builder.data().presentations = {
      {{guid(kCrate), kPlatformClient, PresentationType::shared, 0}, guid(kCrateLook)},
      {{guid(kCrate), kPlatformClient, PresentationType::shared, 1}, guid(kCrateBroken)},
      {{guid(kCrate), kPlatformClient, PresentationType::own, 0}, guid(kHeroClient)}};
}

}  // namespace

std::vector<ComponentDescription> game_components() {
  return {Describe<Body>("Body")
              .field<&Body::position>("position", {.unit = "m"})
              .field<&Body::mass>("mass", {.unit = "kg"})
              .description(),
          Describe<HitscanEffect>("HitscanEffect")
              .field<&HitscanEffect::speed>("speed", {.unit = "m/s"})
              .description(),
          Describe<Life>("Life")
              .field<&Life::current>("current", {.unit = "hp"})
              .field<&Life::team>("team")
              .description(),
          Describe<SpatialEffect>("SpatialEffect")
              .field<&SpatialEffect::duration_seconds>("durationSeconds", {.unit = "s"})
              .description()};
}

std::vector<ComponentDescription> game_components_with_links() {
  std::vector<ComponentDescription> components = game_components();
  components.push_back(description_of<PrefabLink>());
  return components;
}

std::string bundle_path(std::uint64_t asset) { return BundleName::of_prefab(guid(asset)).path(); }

void build_target(MemoryFileSystem& files, const TargetOptions& options) {
  TargetBuilder builder(options);
  const bool is_client = options.target == Target::client;
  add_shared_content(builder, options);
  if (is_client) {
    add_client_content(builder, options.values);
  } else {
    add_server_content(builder);
  }
  CatalogData& data = builder.data();
  data.registries = {{"HeroType",
                      guid(200),
                      "Registries/Heroes.asset",
                      {{TypeId(0), guid(kDefinition), Guid(), "asset", TargetSet::both(), false}}},
                     {"ReplicatedEntity",
                      guid(201),
                      "Registries/Replicated.asset",
                      {{TypeId(3), guid(kFactory), Guid(), "factory", TargetSet::both(), true},
                       {TypeId(1), guid(is_client ? kHeroClient : kHeroServer), Guid(), "prefab",
                        options.target, false},
                       {TypeId(2), guid(kCrate), Guid(), "prefab", TargetSet::both(), false}}}};
  if (options.change != nullptr) options.change(data);
  const std::string folder = is_client ? "client/" : "server/";
  const auto write = [&](const std::string& path, Bytes bytes) {
    const Result<void> written = files.write(AssetPath::parse(folder + path).value(), bytes);
    assert(written.has_value());
    (void)written;
  };
  for (const auto& [name, bytes] : builder.drain_bundles()) write(name.path(), bytes);
  write("catalog.mcat", encode_catalog(data).value());
}

MemoryFileSystem build() {
  MemoryFileSystem files;
  TargetOptions options;
  build_target(files, options);
  options.target = Target::server;
  build_target(files, options);
  return files;
}

}  // namespace muster::samples
