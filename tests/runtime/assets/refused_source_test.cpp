// Sources to which the system refuses memory or io_uring.
#include <cerrno>
#include <filesystem>

#include <catch2/catch.hpp>

#include "registry/base/mapping_guard.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/disk_source.h"
#include "runtime/assets/stacked_source.h"
#include "runtime/assets/uring_source.h"
#include "tests/support/child_process.h"
#include "tests/support/process_limits.h"
#include "tests/support/sample_build.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

constexpr std::uint64_t kAnySize = std::uint64_t{1} << 40U;
constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

std::string text_of(const Result<std::unique_ptr<BundleFile>>& file) {
  return file ? std::string(as_text(file.value()->bytes())) : "no file";
}

// Writes a sparse file, which uses no space on the disk.
void put_sparse(const TemporaryFolder& folder, const std::string& name, std::size_t size_bytes) {
  folder.put(name, "");
  std::filesystem::resize_file(folder.path() + "/" + name, size_bytes);
}

TEST_CASE("Other kinds of sources work without io_uring", "[runtime][assets][source]") {
  const int refusal = GENERATE(ENOSYS, EPERM);
  const ChildEnd end = run_in_child([refusal] {
    forbid_call(SYS_io_uring_setup, refusal);
    const TemporaryFolder folder;
    folder.put("file", "12345");
    const Result<DiskSource> ring = open_disk_source(folder.path(), SourceKind::uring);
    if (ring || ring.error().code != ErrorCode::unsupported) return 1;
    const Result<DiskSource> other = open_disk_source(folder.path(), SourceKind::automatic);
    return other && text_of(other.value().source->open("file", 9)) == "12345" ? 0 : 2;
  });
  CHECK(end.exit_code == 0);
}

TEST_CASE("A ring that the kernel stops serving is replaced by plain reads",
          "[runtime][assets][source]") {
  const int refusal = GENERATE(EPERM, EAGAIN, EBUSY, ENOMEM);
  CAPTURE(refusal);
  const ChildEnd end = run_in_child([refusal] {
    const TemporaryFolder folder;
    folder.put("one", "11111");
    folder.put("two", "22222");
    const auto source = UringSource::open(folder.path());
    if (!source) return 0;
    forbid_call(SYS_io_uring_enter, refusal);
    const std::vector<OpenRequest> requests = {{"one", 9}, {"none", 9}, {"two", 9}, {"two", 1}};
    for (int round = 0; round < 2; ++round) {
      const auto opened = source.value()->open_all(requests);
      if (text_of(opened[0]) != "11111" || text_of(opened[2]) != "22222") return 1;
      if (opened[1].error().code != ErrorCode::not_found) return 2;
      if (opened[3].error().code != ErrorCode::limit_exceeded) return 3;
    }
    return 0;
  });
  CHECK(end.exit_code == 0);
}

TEST_CASE("If a file does not fit into memory, only this file fails", "[runtime][assets][source]") {
  if (!kCanLimitMemory) return;
  const auto kind = GENERATE(SourceKind::mapped, SourceKind::pread, SourceKind::uring);
  CAPTURE(to_string(kind));
  const ChildEnd end = run_in_child([kind] {
    const MappingGuard guard;
    const TemporaryFolder folder;
    const std::string small(5000, 'a');
    folder.put("small", small);
    folder.put("last", std::string(7000, 'b'));
    put_sparse(folder, "huge", 1024 * kMegabyte);
    const Result<DiskSource> opened = open_disk_source(folder.path(), kind);
    if (!opened) return 0;
    limit_memory_to(256 * kMegabyte);
    const BundleSource& source = *opened.value().source;
    const std::vector<OpenRequest> requests = {
        {"small", kAnySize}, {"huge", kAnySize}, {"last", kAnySize}};
    for (int round = 0; round < 3; ++round) {
      const auto files = source.open_all(requests);
      if (text_of(files[0]) != small || text_of(files[2]) != std::string(7000, 'b')) return 1;
      if (files[1] || files[1].error().code != ErrorCode::limit_exceeded) return 2;
      if (files[1].error().message.find("huge") == std::string::npos) return 3;
    }
    return 0;
  });
  CHECK(end.exit_code == 0);
}

TEST_CASE("A stack finds a file without reading it", "[runtime][assets][source]") {
  if (!kCanLimitMemory) return;
  const ChildEnd end = run_in_child([] {
    const TemporaryFolder folder;
    put_sparse(folder, "top/catalog.mcat", 4096 * kMegabyte);
    StackedSource stack;
    stack.push(std::make_unique<PreadSource>(folder.path() + "/base"));
    stack.push(std::make_unique<PreadSource>(folder.path() + "/top"));
    limit_memory_to(256 * kMegabyte);
    if (stack.full_path(kCatalogFile) != folder.path() + "/top/catalog.mcat") return 1;
    const Result<BundleStore> store = BundleStore::open(stack);
    if (store || store.error().code != ErrorCode::limit_exceeded) return 2;
    return store.error().message.find("/top/catalog.mcat") != std::string::npos ? 0 : 3;
  });
  CHECK(end.exit_code == 0);
}

/// Counts how often files are opened.
class CountingSource final : public BundleSource {
 public:
  CountingSource(const BundleSource& source, int& openings)
      : source_(source), openings_(openings) {}
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    ++openings_;
    return source_.open(path, max_bytes);
  }
  std::string name() const override { return source_.name(); }

 private:
  const BundleSource& source_;
  int& openings_;
};

TEST_CASE("A store reads its catalog once, with any number of layers",
          "[runtime][assets][source]") {
  const MemoryFileSystem files = samples::build();
  const FileSystemSource build(files, AssetPath::parse("client").value());
  int openings = 0;
  StackedSource stack;
  stack.push(std::make_unique<CountingSource>(build, openings));
  CHECK(BundleStore::open(stack).has_value());
  CHECK(openings == 1);
}

}  // namespace
}  // namespace muster
