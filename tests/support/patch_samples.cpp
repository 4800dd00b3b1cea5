#include "tests/support/patch_samples.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "bundler/pack/catalog_writer.h"
#include "bundler/plan/output_names.h"
#include "runtime/bundle/build_signature.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/bundle_samples.h"

namespace muster::samples {
namespace {

constexpr std::uint32_t kBlockBytes = 4096;
constexpr std::uint64_t kGuids = 40;  ///< The number of guids; small, so that guids repeat.
constexpr int kSampleLevels[] = {1, 6, 6, 6, 19};

BundleName name_of(std::uint64_t number) {
  if (number % 3 != 0) return BundleName::of_prefab(guid(number));
  return BundleName::of_shared(hash_bytes(as_bytes(std::to_string(number))));
}

bool is_before(const ModelEntry& a, const ModelEntry& b) {
  return std::pair(a.guid, a.local_id) < std::pair(b.guid, b.local_id);
}

void put(std::vector<ModelEntry>& entries, ModelEntry entry) {
  const auto at = std::ranges::lower_bound(entries, entry, is_before);
  if (at != entries.end() && !is_before(entry, *at)) {
    *at = std::move(entry);
  } else {
    entries.insert(at, std::move(entry));
  }
}

// Cached, because training is slow.
const ByteVector& dictionary_of(std::uint64_t number) {
  static const std::array<ByteVector, BuildModel::kDictionaries> kAll = {dictionary(0),
                                                                         dictionary(1)};
  return kAll.at(number - 1);
}

ByteVector pack(const ModelBundle& bundle, std::uint64_t dictionary) {
  std::optional<CompressionDictionary> digested;
  if (dictionary > 0) digested.emplace(dictionary_of(dictionary), bundle.options.level);
  std::vector<PackEntry> entries;
  for (const ModelEntry& each : bundle.entries) {
    const bool is_offered = digested && each.kind <= EntryKind::prefab;
    entries.push_back({each.guid, each.local_id, each.kind, each.plain, std::nullopt,
                       is_offered ? &*digested : nullptr});
  }
  return pack_bundle(entries, bundle.options).value();
}

void change_bytes(ByteVector& plain, Random& random) {
  if (plain.empty() || random.below(6) == 0) {
    const ByteVector more = compressible(1 + random.below(300), random.next());
    const auto at = static_cast<std::ptrdiff_t>(random.below(plain.size() + 1));
    plain.insert(plain.begin() + at, more.begin(), more.end());
    return;
  }
  for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
    plain[random.below(plain.size())] = static_cast<std::byte>(random.below(256));
  }
}

void write(MemoryFileSystem& files, const std::string& path, Bytes bytes) {
  if (!files.write(AssetPath::parse(path).value(), bytes)) std::abort();
}

}  // namespace

ModelEntry BuildModel::new_entry(Random& random) const {
  constexpr std::uint64_t kSizes[] = {0, 1, 100, 3000, 4096, 9000, 20000};
  const std::uint64_t size = kSizes[random.below(std::size(kSizes))];
  const std::uint64_t seed = random.below(50);  // small, so that some contents are equal
  return {.guid = guid(random.below(kGuids)),
          .local_id = static_cast<std::int64_t>(random.below(3)),
          .kind = static_cast<EntryKind>(1 + random.below(5)),
          .plain = random.below(5) == 0 ? noise(size, seed) : compressible(size, seed)};
}

BuildModel BuildModel::random(Random& random) {
  BuildModel model;
  for (const Target target : {Target::client, Target::server}) {
    for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
      ModelBundle& bundle = model.targets[target].emplace_back();
      bundle.name = name_of(100 + i);
      bundle.options.block_plain_bytes = kBlockBytes;
      for (std::uint64_t n = random.below(6); n > 0; --n) {
        put(bundle.entries, model.new_entry(random));
      }
    }
  }
  model.is_signed = random.below(2) == 0;
  model.dictionary = random.below(1 + kDictionaries);
  return model;
}

void BuildModel::edit_bundle(ModelBundle& bundle, Random& random) const {
  const std::uint64_t choice = random.below(10);
  if (choice < 5 && !bundle.entries.empty()) {
    change_bytes(bundle.entries[random.below(bundle.entries.size())].plain, random);
  } else if (choice == 5 && !bundle.entries.empty()) {
    bundle.entries.erase(bundle.entries.begin() +
                         static_cast<std::ptrdiff_t>(random.below(bundle.entries.size())));
  } else if (choice == 6 && !bundle.entries.empty()) {
    ModelEntry entry = bundle.entries[random.below(bundle.entries.size())];
    entry.guid = guid(random.below(kGuids));
    put(bundle.entries, std::move(entry));
  } else if (choice == 7) {
    bundle.options.level = kSampleLevels[random.below(std::size(kSampleLevels))];
  } else if (choice == 8 && random.below(4) == 0) {
    bundle.options.block_plain_bytes = kBlockBytes << random.below(2);
  } else {
    put(bundle.entries, new_entry(random));
  }
}

void BuildModel::edit(Random& random) {
  const Target target = random.below(2) == 0 ? Target::client : Target::server;
  if (random.below(30) == 0) {
    const bool is_last = targets.size() < 2;
    if (targets.contains(target) && !is_last) {
      targets.erase(target);
    } else if (!targets.contains(target)) {
      targets[target] = targets.begin()->second;
    }
  }
  std::vector<ModelBundle>& bundles = targets.begin()->first == target || targets.size() < 2
                                          ? targets.begin()->second
                                          : targets.rbegin()->second;
  const std::uint64_t choice = random.below(13);
  if (choice == 12) {
    dictionary = random.below(1 + kDictionaries);
  } else if (choice == 0) {
    is_signed = !is_signed;
  } else if (choice == 1 && bundles.size() > 1) {
    bundles.erase(bundles.begin() + static_cast<std::ptrdiff_t>(random.below(bundles.size())));
  } else if (choice <= 3 && !bundles.empty()) {
    // Renames a bundle, or copies it.
    const BundleName name = name_of(200 + random.below(1000));
    ModelBundle& renamed = bundles[random.below(bundles.size())];
    if (std::ranges::find(bundles, name, &ModelBundle::name) != bundles.end()) return;
    if (choice == 2) {
      renamed.name = name;
    } else {
      ModelBundle copy = renamed;
      copy.name = name;
      bundles.push_back(std::move(copy));
    }
  } else if (!bundles.empty()) {
    edit_bundle(bundles[random.below(bundles.size())], random);
  }
  ++number;
}

MemoryFileSystem BuildModel::files() const {
  MemoryFileSystem files;
  const SigningKeys keys = signing_keys({});
  write(files, "build.json",
        as_bytes("{\n  \"format\": 1,\n  \"muster\": \"test\",\n  \"options\": {\"level\": 6},\n"
                 "  \"number\": " +
                 std::to_string(number) + "\n}\n"));
  for (const auto& [target, bundles] : targets) {
    const std::string folder(folder_of(target));
    CatalogData data;
    data.target = target;
    for (const ModelBundle& bundle : bundles) {
      const ByteVector bytes = pack(bundle, dictionary);
      write(files, folder + "/" + bundle.name.path(), bytes);
      BundleData& row = data.bundles.emplace_back();
      row.name = bundle.name;
      row.hash = BundleReader::open(bytes).value().bundle_hash();
      row.file_bytes = bytes.size();
    }
    if (dictionary > 0) {
      const ByteVector& bytes = dictionary_of(dictionary);
      const ContentHash hash = hash_bytes(bytes);
      write(files, folder + "/" + dictionary_path(hash), bytes);
      data.dictionaries = {{hash, static_cast<std::uint32_t>(bytes.size()), EntryKind::object}};
    }
    const ByteVector catalog = encode_catalog(data).value();
    write(files, folder + "/catalog.mcat", catalog);
    if (!is_signed) continue;
    const BuildSignature signature = sign_file(keys.secret, folder + "/catalog.mcat", catalog);
    write(files, folder + "/" + std::string(kCatalogSignatureFile), signature);
  }
  return files;
}

}  // namespace muster::samples
