// Bundles whose entries need a dictionary.
#include <catch2/catch.hpp>

#include "bundler/pack/catalog_writer.h"
#include "registry/base/memory_file_system.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/stacked_source.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

using samples::guid;

// A sample bundle with a dictionary, and a catalog of both.
struct DictionaryBuild {
  explicit DictionaryBuild(std::uint64_t number = 0) {
    const ByteVector dictionary = samples::dictionary(number);
    const CompressionDictionary digested(dictionary, kDefaultLevel);
    const ContentHash hash = hash_bytes(dictionary);
    path = dictionary_path(hash);
    const std::vector<PackEntry> entries = {
        {guid(1), kMainPayload, EntryKind::object, text, std::nullopt, &digested},
        {guid(2), kMainPayload, EntryKind::object, noise, std::nullopt, &digested}};
    const ByteVector bytes = pack_bundle(entries).value();
    const BundleName name = BundleName::of_prefab(guid(1));
    CatalogData data;
    data.bundles.push_back(
        {name, BundleReader::open(bytes).value().bundle_hash(), bytes.size(), {}});
    data.assets = {{guid(1), "Text.asset", name}, {guid(2), "Noise.asset", name}};
    data.dictionaries = {{hash, static_cast<std::uint32_t>(dictionary.size()), EntryKind::object}};
    files.add(name.path(), as_text(bytes));
    files.add(path, as_text(dictionary));
    files.add(std::string(kCatalogFile), as_text(encode_catalog(data).value()));
  }

  ByteVector text = samples::compressible(700, 1);
  ByteVector noise = samples::noise(300, 2);
  std::string path;
  MemoryFileSystem files;
};

TEST_CASE("Store and loader load entries with a dictionary", "[runtime][dictionary]") {
  DictionaryBuild build;
  const FileSystemSource source(build.files);
  auto store = BundleStore::open(source);
  REQUIRE(store.has_value());
  REQUIRE(store.value().dictionaries() != nullptr);
  const auto loaded = store.value().load(guid(1), kMainPayload);
  REQUIRE(loaded.has_value());
  CHECK(std::ranges::equal(loaded.value().bytes, build.text));
  CHECK(store.value().reader(0).find(guid(1), kMainPayload)->dictionary_id != 0);
  CHECK(store.value().reader(0).find(guid(2), kMainPayload)->dictionary_id == 0);

  // Loads on other threads, with the store's dictionaries or with separate dictionaries.
  for (const auto& shared :
       {store.value().dictionaries(), decltype(store.value().dictionaries()){}}) {
    ThreadedLoads loads(source, store.value().catalog(), 2, nullptr, shared);
    const LoadOrder order{.bundle = 0};
    loads.start({&order, 1});
    loads.wait();
    std::vector<FinishedLoad> finished;
    loads.collect(finished);
    REQUIRE(finished.size() == 1);
    REQUIRE(finished[0].result.has_value());
    CHECK(std::ranges::equal(finished[0].result.value().plain[0].bytes, build.text));
  }
}

TEST_CASE("A missing or damaged dictionary is named", "[runtime][dictionary]") {
  DictionaryBuild build;
  const FileSystemSource source(build.files);
  const AssetPath path = AssetPath::parse(build.path).value();
  const std::string good(as_text(build.files.files().at(path)));
  const auto [damage, code] = GENERATE(table<std::string, ErrorCode>({
      {"missing", ErrorCode::not_found},
      {"shorter", ErrorCode::hash_mismatch},
      {"longer", ErrorCode::hash_mismatch},
      {"another byte", ErrorCode::hash_mismatch},
      {"no dictionary", ErrorCode::malformed},
  }));
  CAPTURE(damage);
  std::string bad = good;
  if (damage == "shorter") bad.pop_back();
  if (damage == "longer") bad += "x";
  if (damage == "another byte") bad.back() = static_cast<char>(bad.back() + 1);
  if (damage == "no dictionary") bad.assign(good.size(), 'x');
  if (damage == "missing") {
    REQUIRE(build.files.remove(path).has_value());
  } else {
    build.files.add(build.path, bad);
  }
  const auto store = BundleStore::open(source);
  REQUIRE_FALSE(store.has_value());
  CHECK(store.error().code == code);
  CHECK(store.error().message.find(build.path) != std::string::npos);

  // Without a store, every entry that needs the dictionary fails.
  ByteVector buffer;
  const Bytes catalog =
      read_whole(build.files, AssetPath().child(kCatalogFile), 1U << 20U, buffer).value();
  SteppedLoads loads(source, CatalogReader::open(catalog).value());
  const LoadOrder order{.bundle = 0};
  loads.start({&order, 1});
  std::vector<FinishedLoad> finished;
  loads.collect(finished);
  REQUIRE(finished.size() == 1);
  REQUIRE_FALSE(finished[0].result.has_value());
  CHECK(finished[0].result.error().code == ErrorCode::not_found);
}

TEST_CASE("Every flipped byte of a dictionary is detected", "[runtime][dictionary]") {
  const ByteVector good = samples::dictionary();
  const ContentHash hash = hash_bytes(good);
  for (std::size_t i = 0; i < good.size(); ++i) {
    ByteVector bad = good;
    bad[i] ^= std::byte{1};
    DictionarySet set;
    CHECK_FALSE(set.add(hash, bad).has_value());
    // The changed bytes may be another valid dictionary, with another hash.
    (void)Dictionary::open(bad).has_value();
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    DictionarySet set;
    CHECK_FALSE(set.add(hash, Bytes(good).first(size)).has_value());
  }
  DictionarySet set;
  REQUIRE(set.add(hash, good).has_value());
  CHECK(set.add(hash, good).has_value());
  REQUIRE(set.find(dictionary_id(hash)) != nullptr);
  CHECK(set.find(dictionary_id(hash))->hash() == hash);
  CHECK(set.find(dictionary_id(hash) + 1) == nullptr);
  CHECK(Dictionary::open(ByteVector((1U << 20U) + 1)).error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("A layer on top of other layers can have other dictionaries", "[runtime][dictionary]") {
  DictionaryBuild base(0);
  DictionaryBuild mod(1);
  REQUIRE(base.path != mod.path);
  StackedSource stack;
  stack.push(std::make_unique<FileSystemSource>(base.files));
  stack.push(std::make_unique<FileSystemSource>(mod.files));
  auto store = BundleStore::open(stack);
  REQUIRE(store.has_value());
  const auto loaded = store.value().load(guid(1), kMainPayload);
  REQUIRE(loaded.has_value());
  CHECK(std::ranges::equal(loaded.value().bytes, mod.text));
  // A file that the layer lacks is read from the layer below.
  REQUIRE(mod.files.remove(AssetPath::parse(mod.path).value()).has_value());
  CHECK(BundleStore::open(stack).error().code == ErrorCode::not_found);
  base.files.add(mod.path, as_text(samples::dictionary(1)));
  CHECK(BundleStore::open(stack).has_value());
}

}  // namespace
}  // namespace muster
