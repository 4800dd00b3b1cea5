#include "tests/support/bundle_samples.h"

#include <algorithm>
#include <array>

#include "bundler/cook/object_writer.h"
#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "registry/base/seed.h"
#include "registry/components/describe.h"
#include "registry/yaml/reader.h"

namespace muster::samples {
namespace {

struct Health {
  float current = 100;
  float maximum = 100;
  std::uint8_t team = 1;
};

enum class Trigger : std::uint8_t { single, burst };
constexpr std::array<std::string_view, 2> kTriggers = {"single", "burst"};

struct Weapon {
  AssetReference projectile;
  EntityReference holder;
  std::array<Vec3, 2> muzzles{};
  FixedText<12> label;
  bool is_automatic = true;
  Trigger trigger = Trigger::burst;
};

BundleName prefab_bundle(std::uint64_t number) { return BundleName::of_prefab(guid(number)); }

BundleName shared_bundle() { return BundleName::of_shared(hash_bytes(as_bytes("shared"))); }

PrefabComponent cooked(const ComponentDescription& description, std::uint32_t document) {
  return {.type = description.name,
          .document = document,
          .cooked = CookedComponent{description.hash(), description.default_value}};
}

PrefabComponent other(std::string type, std::uint32_t document) {
  return {.type = std::move(type), .document = document, .cooked = {}};
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

ByteVector dictionary(std::uint64_t number) {
  constexpr std::size_t kSampleBytes = 600;
  constexpr std::uint64_t kSamples = 40;
  ByteVector bytes;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const ByteVector sample = compressible(kSampleBytes, 100 + number * kSamples + i);
    bytes.insert(bytes.end(), sample.begin(), sample.end());
  }
  std::vector<Bytes> samples;
  for (std::size_t at = 0; at < bytes.size(); at += kSampleBytes) {
    samples.push_back(Bytes(bytes).subspan(at, kSampleBytes));
  }
  return train_dictionary(samples, 1000, {.samples_min = 8, .dictionary_bytes_min = 1024})
      .value()
      .bytes;
}

std::shared_ptr<const DictionarySet> dictionaries() {
  auto set = std::make_shared<DictionarySet>();
  const ByteVector bytes = dictionary();
  if (!set->add(hash_bytes(bytes), bytes)) std::abort();
  return set;
}

DictionarySample dictionary_bundle() {
  DictionarySample sample;
  sample.dictionary = std::make_unique<CompressionDictionary>(dictionary(), kDefaultLevel);
  sample.bundle.options.block_plain_bytes = 4096;
  sample.bundle.plain = {compressible(700, 1), compressible(300, 2), noise(64, 3),
                         compressible(9000, 4)};
  for (std::size_t i = 0; i < sample.bundle.plain.size(); ++i) {
    sample.bundle.entries.push_back({guid(i + 1), kMainPayload, EntryKind::object,
                                     sample.bundle.plain[i], std::nullopt,
                                     sample.dictionary.get()});
  }
  return sample;
}

std::vector<ComponentDescription> components() {
  return {Describe<Weapon>("Weapon")
              .field<&Weapon::projectile>("projectile")
              .field<&Weapon::holder>("holder", {.receivers = Receivers::owner})
              .field<&Weapon::muzzles>("muzzles", {.unit = "m", .resolution = 0.001})
              .field<&Weapon::label>("label")
              .field<&Weapon::is_automatic>("is_automatic")
              .field<&Weapon::trigger>("trigger", {.names = kTriggers})
              .description(),
          Describe<Health>("Health")
              .field<&Health::current>("current", {.unit = "hp", .tolerance = 0.01})
              .field<&Health::maximum>("maximum", {.unit = "hp"})
              .field<&Health::team>("team")
              .description()};
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
  data.presentations = {
      {{guid(1), kPlatformClient, PresentationType::shared, 0}, guid(2)},
      {{guid(1), kPlatformClient | kPlatformServer, PresentationType::shared, 1}, guid(1)},
      {{guid(1), kPlatformServer, PresentationType{7}, 0}, guid(97)},
      {{guid(2), kPlatformClient, PresentationType::shared, 0}, guid(2)}};
  data.components = components();
  data.variant_values = {{"platform", "linux", false, true},
                         {"language", "en", false, false},
                         {"language", "de", false, false},
                         {"quality", "low", false, false},
                         {"quality", "high", true, false}};
  const auto add = [&](std::string_view keys, std::vector<std::uint32_t> values) {
    const BundleName name = BundleName::of_variant(guid(3), keys);
    data.bundles.push_back({name, hash_bytes(as_bytes(keys)), 500 + keys.size(), {}});
    data.alternatives.push_back({shared_bundle(), name, std::move(values)});
  };
  add("quality=low", {3});
  add("language=de", {2});
  add("language=de,quality=low", {2, 3});
  data.dictionaries = {{hash_bytes(as_bytes("dictionary")), 65536, EntryKind::object},
                       {hash_bytes(as_bytes("another")), 8192, EntryKind::import_settings}};
  return data;
}

PrefabData prefab() {
  const std::vector<ComponentDescription> known = components();
  PrefabData data;
  data.entities = {{"Hero", 100, std::nullopt, true, {other("Transform", 1), cooked(known[1], 2)}},
                   {"Body", 200, 0, true, {other("Transform", 4)}},
                   {"Hand", -300, 1, false, {cooked(known[0], 6), cooked(known[1], 7)}},
                   {"", 0, 0, true, {}},
                   {"Größe", 500, 3, true, {other("MeshRenderer", 9)}}};
  return data;
}

std::string_view object_source() {
  return R"(%YAML 1.1
%TAG !u! tag:unity3d.com,2011:
--- !u!1 &100
GameObject:
  m_Name: Hero
  m_Component:
  - component: {fileID: 101}
  - component: {fileID: -9223372036854775808}
  - component: {fileID: 0}
  m_Empty:
  m_EmptyText: ''
  m_Quoted: "Gr\xF6\xDFe\n"
  m_Number: 3
  m_Negative: -9223372036854775808
  m_TooLarge: 9223372036854775809
  m_LeadingZero: 007
  m_Real: 0.70710677
  m_Double: 0.1234567890123456
  m_Small: 1e-05
  m_Fixed: 1.50
  m_MinusZero: -0
  m_NotANumber: nan
  m_Flow: {x: 0, y: -1.5, z: 2}
  m_List: [1, two, '3', {a: 4}, []]
  m_Long:
  - [zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen]
  - [fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty, twenty-one, twenty-two]
  - [twenty-three, twenty-four, twenty-five, twenty-six, twenty-seven, twenty-eight]
  m_NoMapping: {}
  m_Script: {fileID: 11500000, guid: 0123456789abcdef0123456789abcdef, type: 3}
  m_Other: {fileID: 11500000, guid: 0123456789abcdef0123456789abcdef, type: 2}
  m_UpperCase: {fileID: 1, guid: 0123456789ABCDEF0123456789ABCDEF, type: 3}
  m_OtherOrder: {guid: 0123456789abcdef0123456789abcdef, fileID: 1, type: 3}
  m_Weak:
    guid: fedcba9876543210fedcba9876543210
  m_WeakEmpty:
    guid:
  m_Words:
    val0: 1122867
    val1: 1719092309
    val2: -1146447480
    val3: -1122868
  m_NoWords: {val0: 1, val1: 2, val2: 3, val3: 4294967295}
  m_Map:
    0: zero
    '1': one
    0: again
--- !u!114 &101 stripped
MonoBehaviour:
  m_Script: {fileID: 0}
--- !u!4 &-7
)";
}

namespace {

// Returns an object with enough documents for a mark.
ByteVector many_documents() {
  yaml::Tree tree;
  for (std::int64_t i = 0; i < 18; ++i) {
    yaml::Document document;
    document.class_id = i;
    document.file_id = 1000 - i;
    tree.documents.push_back(document);
  }
  return encode_object(tree).value();
}

}  // namespace

std::vector<SampleFile> files() {
  const BundleSample all = bundle();
  const BundleSample stored = stored_bundle();
  const ByteVector sample = pack_bundle(all.entries, all.options).value();
  const ByteVector sample_stored = pack_bundle(stored.entries, stored.options).value();
  const ByteVector sample_catalog = encode_catalog(catalog()).value();
  const ByteVector sample_prefab = encode_prefab(prefab()).value();
  const ByteVector sample_object = encode_object(yaml::read(object_source()).tree()).value();
  const PrefabData factory{{{.name = "Factory", .components = {cooked(components()[1], 0)}}}};
  const DictionarySample with = dictionary_bundle();
  const ByteVector sample_with = pack_bundle(with.bundle.entries, with.bundle.options).value();
  const Bytes trained = with.dictionary->bytes();
  std::vector<SampleFile> files = {
      {"golden/bundle/bundles/with_dictionary.mbundle", sample_with, true},
      {"golden/bundle/" + dictionary_path(with.dictionary->hash()),
       ByteVector(trained.begin(), trained.end()), true},
      {"fuzz/corpus/bundle/with_dictionary", sample_with, true},
      {"golden/bundle/sample.mbundle", sample, true},
      {"golden/bundle/stored.mbundle", sample_stored},
      {"golden/bundle/sample.mcat", sample_catalog},
      {"golden/bundle/sample.prefab_form", sample_prefab},
      {"golden/bundle/sample.object_form", sample_object},
      {"fuzz/corpus/bundle/empty", pack_bundle({}).value()},
      {"fuzz/corpus/bundle/sample", sample, true},
      {"fuzz/corpus/bundle/stored", sample_stored},
      {"fuzz/corpus/catalog/empty", encode_catalog({}).value()},
      {"fuzz/corpus/catalog/sample", sample_catalog},
      {"fuzz/corpus/object/empty", encode_object({}).value()},
      {"fuzz/corpus/object/many", many_documents()},
      {"fuzz/corpus/object/plain",
       encode_object(yaml::read("a: [1, b, {c: 0.5}]\n").tree()).value()},
      {"fuzz/corpus/object/sample", sample_object},
      {"fuzz/corpus/prefab/factory", encode_prefab(factory).value()},
      {"fuzz/corpus/prefab/sample", sample_prefab},
  };
  return files;
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
