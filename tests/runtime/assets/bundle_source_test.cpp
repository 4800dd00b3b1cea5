#include "runtime/assets/bundle_source.h"

#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <map>
#include <thread>

#include <catch2/catch.hpp>

#include "registry/base/mapped_file.h"
#include "registry/base/mapping_guard.h"
#include "registry/base/seed.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/disk_source.h"
#include "runtime/assets/memory_source.h"
#include "runtime/assets/stacked_source.h"
#include "runtime/assets/uring_source.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

using samples::guid;

constexpr std::uint64_t kReadBytesMax = std::uint64_t{1} << 30U;

std::string text_of(const Result<std::unique_ptr<BundleFile>>& file) {
  return file ? std::string(as_text(file.value()->bytes())) : "no file";
}

ByteVector bytes_of(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

std::unique_ptr<MemorySource> layer_of(const std::string& name,
                                       const std::map<std::string, std::string>& files) {
  auto layer = std::make_unique<MemorySource>(name);
  for (const auto& [path, text] : files) layer->put(path, bytes_of(text));
  return layer;
}

// A source whose files cannot be opened, with an error other than "not found".
class BrokenSource final : public BundleSource {
 public:
  Result<std::unique_ptr<BundleFile>> open(std::string_view path, std::uint64_t) const override {
    return fail(ErrorCode::io, std::string(path));
  }
  std::string name() const override { return "broken"; }
};

// Returns the sample build's client files in memory.
std::unique_ptr<MemorySource> client_in_memory(const std::string& name,
                                               const MemoryFileSystem& files) {
  auto source = std::make_unique<MemorySource>(name);
  for (const auto& [path, bytes] : files.files()) {
    if (path.text().starts_with("client/")) source->put(path.text().substr(7), bytes);
  }
  return source;
}

// Returns a source of this kind; null if this machine does not support it.
std::unique_ptr<BundleSource> disk_source(const std::string& folder, SourceKind kind) {
  Result<DiskSource> opened = open_disk_source(folder, kind);
  if (!opened) {
    CHECK(kind == SourceKind::uring);
    CHECK(opened.error().code == ErrorCode::unsupported);
    WARN(opened.error().message);
    return nullptr;
  }
  CHECK((kind == SourceKind::automatic || opened.value().kind == kind));
  CHECK(opened.value().kind != SourceKind::automatic);
  return std::move(opened.value().source);
}

SourceKind any_kind() {
  return GENERATE(SourceKind::automatic, SourceKind::mapped, SourceKind::pread, SourceKind::uring);
}

TEST_CASE("Files in memory are opened without a copy", "[runtime][assets][source]") {
  MemorySource source("ram");
  source.put("a/b", bytes_of("12345"));
  CHECK(text_of(source.open("a/b", 5)) == "12345");
  CHECK(source.open("a/b", 5).value()->bytes().data() ==
        source.open("a/b", 9).value()->bytes().data());
  CHECK(source.open("a/b", 4).error().code == ErrorCode::limit_exceeded);
  CHECK(source.open("a", 9).error().code == ErrorCode::not_found);
  CHECK(source.open("../a", 9).error().code == ErrorCode::invalid_argument);
  source.put("a/b", bytes_of("x"));
  CHECK(text_of(source.open("a/b", 5)) == "x");
  source.remove("a/b");
  source.remove("a/b");
  CHECK(source.open("a/b", 5).error().code == ErrorCode::not_found);
  CHECK(source.full_path("a/b") == "ram/a/b");
}

TEST_CASE("Files in memory are found under their paths after random changes",
          "[runtime][assets][source][property]") {
  const auto seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  Random random(seed);
  MemorySource source;
  std::map<std::string, std::string> known;
  for (std::size_t step = 0; step < 600; ++step) {
    const std::string path = "bundles/" + std::to_string(random.below(90));
    if (random.below(3) == 0) {
      source.remove(path);
      known.erase(path);
    } else {
      known[path] = std::to_string(step);
      source.put(path, bytes_of(known[path]));
    }
    const std::string other = "bundles/" + std::to_string(random.below(90));
    const auto found = known.find(other);
    CAPTURE(other, step);
    REQUIRE(text_of(source.open(other, 9)) == (found == known.end() ? "no file" : found->second));
  }
}

TEST_CASE("Files in memory are found together as well as one by one", "[runtime][assets][source]") {
  MemorySource source;
  const OpenRequest nowhere{.path = "nowhere", .max_bytes = 1};
  CHECK(source.open_all({&nowhere, 1}).front().error().code == ErrorCode::not_found);
  constexpr std::size_t kCount = 100;
  std::vector<std::string> paths = {"../out", ""};
  for (std::size_t i = 0; i < kCount; ++i) {
    paths.push_back("bundles/" + std::to_string(i));
    if (i % 7 != 3) source.put(paths.back(), samples::noise(i * 5, i));
  }
  std::vector<OpenRequest> requests;
  for (const std::string& path : paths) requests.push_back({.path = path, .max_bytes = 400});
  CHECK(source.open_all({}).empty());
  const auto together = source.open_all(requests);
  REQUIRE(together.size() == requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CAPTURE(paths[i]);
    const auto alone = source.open(requests[i].path, requests[i].max_bytes);
    REQUIRE(together[i].has_value() == alone.has_value());
    if (alone) {
      CHECK(together[i].value()->bytes().data() == alone.value()->bytes().data());
    } else {
      CHECK(together[i].error().code == alone.error().code);
      CHECK(together[i].error().message == alone.error().message);
    }
  }
}

TEST_CASE("A file is read from the topmost layer that has it", "[runtime][assets][source]") {
  StackedSource stack;
  CHECK(stack.open("base", 9).error().code == ErrorCode::not_found);
  stack.push(layer_of("base", {{"base", "base"}, {"both", "base"}, {"all", "base"}}));
  stack.push(layer_of("patch", {{"both", "patch"}, {"all", "patch"}}));
  stack.push(layer_of("mod", {{"all", "mod"}, {"new", "mod"}}));
  CHECK(text_of(stack.open("base", 9)) == "base");
  CHECK(text_of(stack.open("both", 9)) == "patch");
  CHECK(text_of(stack.open("all", 9)) == "mod");
  CHECK(text_of(stack.open("new", 9)) == "mod");
  CHECK(stack.open("none", 9).error().code == ErrorCode::not_found);
  CHECK(stack.name() == "mod over patch over base");
  CHECK(stack.full_path("both") == "patch/both");
  CHECK(stack.full_path("none") == "base/none");
  const std::vector<OpenRequest> requests = {{"all", 9},  {"none", 9},   {"both", 2},
                                             {"base", 9}, {"../all", 9}, {"new", 9}};
  const auto opened = stack.open_all(requests);
  REQUIRE(opened.size() == requests.size());
  CHECK(text_of(opened[0]) == "mod");
  CHECK(opened[1].error().code == ErrorCode::not_found);
  CHECK(opened[2].error().code == ErrorCode::limit_exceeded);
  CHECK(text_of(opened[3]) == "base");
  CHECK(opened[4].error().code == ErrorCode::invalid_argument);
  CHECK(text_of(opened[5]) == "mod");
}

TEST_CASE("A broken layer is not skipped", "[runtime][assets][source]") {
  StackedSource stack;
  stack.push(layer_of("base", {{"file", "base"}}));
  stack.push(std::make_unique<BrokenSource>());
  CHECK(stack.open("file", 9).error().code == ErrorCode::io);
  CHECK(stack.full_path("file") == "broken/file");
  CHECK_FALSE(stack.file_bytes("file"));  // The size of the file in the lower layer is not used.
  stack.push(layer_of("top", {{"file", "top"}}));
  CHECK(text_of(stack.open("file", 9)) == "top");
  CHECK(stack.file_bytes("file") == 3U);
}

TEST_CASE("A patch consists of a catalog and the changed bundles", "[runtime][assets][source]") {
  const MemoryFileSystem old_build = samples::build();
  MemoryFileSystem new_build;
  samples::build_target(new_build, {.components = {}});
  const auto was = client_in_memory("old", old_build);
  const auto is = client_in_memory("new", new_build);
  const CatalogReader catalog =
      CatalogReader::open(is->open(kCatalogFile, kReadBytesMax).value()->bytes()).value();
  auto patch = std::make_unique<MemorySource>("patch");
  const auto copy = [&](std::string_view path) {
    const Bytes bytes = is->open(path, kReadBytesMax).value()->bytes();
    patch->put(std::string(path), {bytes.begin(), bytes.end()});
  };
  std::size_t equal = 0;
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
    const std::string path = catalog.bundle(i).name.path();
    const auto before = was->open(path, kReadBytesMax);
    if (before && std::ranges::equal(before.value()->bytes(),
                                     is->open(path, kReadBytesMax).value()->bytes())) {
      ++equal;
    } else {
      copy(path);
    }
  }
  REQUIRE(equal > 0);
  copy(kCatalogFile);
  StackedSource stack;
  stack.push(client_in_memory("base", old_build));
  stack.push(std::move(patch));
  BundleStore store = BundleStore::open(stack).value();
  CHECK(store.catalog().fingerprint() == catalog.fingerprint());
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) all.push_back(i);
  CHECK(store.open_bundles(all));
}

TEST_CASE("A layer with bundles of another build is refused, and the error names it",
          "[runtime][assets][source]") {
  const MemoryFileSystem files = samples::build();
  auto mod = std::make_unique<MemorySource>("mod");
  mod->put(samples::bundle_path(samples::kCrate),
           files.files().at(
               AssetPath::parse("client/" + samples::bundle_path(samples::kFactory)).value()));
  StackedSource stack;
  stack.push(client_in_memory("base", files));
  stack.push(std::move(mod));
  BundleStore store = BundleStore::open(stack).value();
  const Error error = store.load(guid(samples::kCrate), kFlattenedPrefab).error();
  CAPTURE(error.message);
  CHECK(error.code == ErrorCode::hash_mismatch);
  CHECK(error.message.find("mod/bundles/") != std::string::npos);
  CHECK(store.load(guid(samples::kFactory), kFlattenedPrefab));
}

TEST_CASE("Every kind of source reads the same files", "[runtime][assets][source]") {
  const MappingGuard guard;
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  folder.put("build/empty", "");
  folder.put("build/sub/small", "12345");
  folder.put("outside", "x");
  std::filesystem::create_symlink("../outside", folder.path() + "/build/escape");
  const ByteVector large = samples::noise(3'000'001, 5);
  folder.put("build/large", as_text(large));
  const auto source = disk_source(folder.path() + "/build", kind);
  if (!source) return;
  CHECK(text_of(source->open("empty", 0)).empty());
  CHECK(text_of(source->open("sub/small", 5)) == "12345");
  CHECK(text_of(source->open("large", kReadBytesMax)) == as_text(large));
  CHECK(source->open("sub/small", 4).error().code == ErrorCode::limit_exceeded);
  CHECK(source->open("none", 9).error().code == ErrorCode::not_found);
  CHECK(source->open("sub", 9).error().code == ErrorCode::invalid_argument);
  CHECK(source->open("../outside", 9).error().code == ErrorCode::invalid_argument);
  CHECK(source->open("escape", 9).error().code == ErrorCode::permission_denied);
  CHECK(source->full_path("none") == folder.path() + "/build/none");
  const auto nowhere = disk_source(folder.path() + "/nowhere", kind);
  CHECK(nowhere->open("file", 9).error().code == ErrorCode::not_found);
  // A file outlives its source.
  const auto kept = disk_source(folder.path() + "/build", kind)->open("large", kReadBytesMax);
  CHECK(text_of(kept) == as_text(large));
}

TEST_CASE("A folder in place of a bundle or catalog is malformed, and the error names it",
          "[runtime][assets][source]") {
  const MappingGuard guard;
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  const MemoryFileSystem files = samples::build();
  for (const auto& [path, bytes] : files.files()) {
    folder.put(path.text(), as_text(bytes));
  }
  const auto source = disk_source(folder.path() + "/client", kind);
  if (!source) return;
  const auto replace_by_folder = [&](const std::string& path) {
    const std::string file = folder.path() + "/client/" + path;
    REQUIRE(std::filesystem::remove(file));
    REQUIRE(std::filesystem::create_directory(file));
  };
  replace_by_folder(samples::bundle_path(samples::kCrate));
  BundleStore store = BundleStore::open(*source).value();
  const Error error = store.load(guid(samples::kCrate), kFlattenedPrefab).error();
  CAPTURE(error.message);
  CHECK(error.code == ErrorCode::malformed);
  CHECK(error.message.find(samples::bundle_path(samples::kCrate)) != std::string::npos);
  CHECK(error.message.find("folder") != std::string::npos);
  CHECK(store.load(guid(samples::kFactory), kFlattenedPrefab));
  replace_by_folder(std::string(kCatalogFile));
  const Error no_catalog = BundleStore::open(*source).error();
  CAPTURE(no_catalog.message);
  CHECK(no_catalog.code == ErrorCode::malformed);
  CHECK(no_catalog.message.find("folder") != std::string::npos);
}

/// Records the maximum size that a store accepts for a file.
class LimitNotingSource final : public BundleSource {
 public:
  explicit LimitNotingSource(const BundleSource& source) : source_(source) {}
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    if (path != kCatalogFile) bytes_max_ = std::max(bytes_max_, max_bytes);
    return source_.open(path, max_bytes);
  }
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override {
    return source_.file_bytes(path);
  }
  std::string name() const override { return source_.name(); }
  std::uint64_t bytes_max() const { return bytes_max_; }

 private:
  const BundleSource& source_;
  mutable std::uint64_t bytes_max_ = 0;
};

TEST_CASE("A bundle that is much larger than the catalog states is detected by its size",
          "[runtime][assets][source]") {
  const MappingGuard guard;
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  const MemoryFileSystem files = samples::build();
  for (const auto& [path, bytes] : files.files()) folder.put(path.text(), as_text(bytes));
  const auto source = disk_source(folder.path() + "/client", kind);
  if (!source) return;
  const std::string path = samples::bundle_path(samples::kCrate);
  const std::uint64_t size = source->file_bytes(path).value();
  CHECK(size == files.files().at(AssetPath::parse("client/" + path).value()).size());
  CHECK_FALSE(source->file_bytes("bundles/none").has_value());
  CHECK_FALSE(source->file_bytes("../outside").has_value());
  // A sparse file of zeros.
  std::filesystem::resize_file(folder.path() + "/client/" + path, std::uint64_t{3} << 30U);
  const LimitNotingSource noting(*source);
  BundleStore store = BundleStore::open(noting).value();
  const Error error = store.load(guid(samples::kCrate), kFlattenedPrefab).error();
  CAPTURE(error.message);
  CHECK(error.code == ErrorCode::hash_mismatch);
  CHECK(noting.bytes_max() < 1U << 20U);
}

TEST_CASE("A file is read with its real size, even if another size is expected",
          "[runtime][assets][source]") {
  const MappingGuard guard;
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder.path(), folder.path() + "_link");
  const std::string root = folder.path() + (GENERATE(false, true) ? "_link" : "");
  const auto source = disk_source(root, kind);
  if (!source) return;
  for (const std::size_t size : {1U, 1023U, 1024U, 65'535U, 65'536U, 65'537U}) {
    CAPTURE(size);
    const ByteVector content = samples::noise(size, size);
    folder.put("sub/file", as_text(content));
    for (const std::uint64_t more : {0U, 1U, 70'000U}) {
      CHECK(text_of(source->open("sub/file", size + more)) == as_text(content));
    }
    CHECK(source->open("sub/file", size - 1).error().code == ErrorCode::limit_exceeded);
    std::filesystem::create_symlink("sub/file", folder.path() + "/link");
    CHECK(text_of(source->open("link", size)) == as_text(content));
    std::filesystem::remove(folder.path() + "/link");
  }
  REQUIRE(::mkfifo((folder.path() + "/pipe").c_str(), 0600) == 0);
  for (const std::uint64_t max_bytes : {std::uint64_t{0}, std::uint64_t{9}, kReadBytesMax}) {
    CHECK(source->open("pipe", max_bytes).error().code == ErrorCode::invalid_argument);
  }
  std::filesystem::remove(folder.path() + "_link");
}

TEST_CASE("Many files are opened together, each with its own result", "[runtime][assets][source]") {
  const MappingGuard guard;
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  constexpr std::size_t kCount = 300;  // This is more than a source opens together.
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCount; ++i) names.push_back("file" + std::to_string(i));
  std::vector<OpenRequest> requests;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string& name = names[i];
    if (i % 10 != 3) folder.put(name, as_text(samples::noise(i * 97, i)));
    requests.push_back({name, i % 10 == 7 ? 5 : kReadBytesMax});
  }
  const auto source = disk_source(folder.path(), kind);
  if (!source) return;
  CHECK(source->open_all({}).empty());
  const auto opened = source->open_all(requests);
  REQUIRE(opened.size() == kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    CAPTURE(i);
    if (i % 10 == 3) {
      CHECK(opened[i].error().code == ErrorCode::not_found);
    } else if (i % 10 == 7) {
      CHECK(opened[i].error().code == ErrorCode::limit_exceeded);
    } else {
      CHECK(text_of(opened[i]) == as_text(samples::noise(i * 97, i)));
    }
  }
}

TEST_CASE("A source is used by several threads at the same time", "[runtime][assets][source]") {
  const MappingGuard guard;
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  for (std::size_t i = 0; i < 20; ++i) {
    folder.put("file" + std::to_string(i), as_text(samples::noise(i * 9000, i)));
  }
  const auto source = disk_source(folder.path(), kind);
  if (!source) return;
  std::array<std::size_t, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : right) {
      threads.emplace_back([&source, &count] {
        for (std::size_t i = 0; i < 100; ++i) {
          const auto file = source->open("file" + std::to_string(i % 20), kReadBytesMax);
          const ByteVector expected = samples::noise(i % 20 * 9000, i % 20);
          if (file && std::ranges::equal(file.value()->bytes(), expected)) ++count;
        }
      });
    }
  }
  for (const std::size_t count : right) CHECK(count == 100);
}

TEST_CASE("Files are read if there is no address space to map them", "[runtime][assets][source]") {
  const TemporaryFolder folder;
  folder.put("file", "12345");
  const DiskFile file = DiskFile::open(folder.path() + "/file").value();
  std::vector<MappedFile> maps;
  while (Result<MappedFile> map = MappedFile::map(file)) maps.push_back(std::move(map.value()));
  const MappingGuard guard;
  const MappedSource source(folder.path());
  const auto read = source.open("file", 9);
  CHECK(text_of(read) == "12345");
  CHECK_FALSE(read.value()->is_shared());
  maps.clear();
  CHECK(source.open("file", 9).value()->is_shared());
}

TEST_CASE("Without a guard, a truncated file does not affect any source",
          "[runtime][assets][source][lost]") {
  const SourceKind kind = any_kind();
  CAPTURE(to_string(kind));
  const TemporaryFolder folder;
  folder.put("file", std::string(70'000, 'a'));
  const auto source = disk_source(folder.path(), kind);
  if (source == nullptr) return;
  const auto file = source->open("file", 70'000);
  REQUIRE(file);
  CHECK_FALSE(file.value()->is_shared());
  std::filesystem::resize_file(folder.path() + "/file", 0);
  CHECK(text_of(file) == std::string(70'000, 'a'));
}

TEST_CASE("The kinds of sources have names", "[runtime][assets][source]") {
  const SourceKind kind = any_kind();
  CHECK(parse_source_kind(to_string(kind)) == kind);
  CHECK_FALSE(parse_source_kind("").has_value());
  CHECK_FALSE(parse_source_kind("Mapped").has_value());
}

}  // namespace
}  // namespace muster
