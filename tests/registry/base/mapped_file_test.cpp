#include "registry/base/mapped_file.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGBUS with its info is POSIX.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4096;

AssetPath path_of(const std::string& text) { return AssetPath::parse(text).value(); }

// A file that tests truncate. Each page contains one letter.
struct Victim {
  explicit Victim(std::size_t pages) {
    std::string text;
    for (std::size_t i = 0; i < pages; ++i) text.append(kPage, static_cast<char>('a' + i % 26));
    folder.put("file", text);
  }
  std::string path() const { return folder.path() + "/file"; }
  void truncate(std::size_t bytes) const { fs::resize_file(path(), bytes); }

  TemporaryFolder folder;
};

// Reads a mapped page beyond the end of an empty file, without MappedFile.
int fault_elsewhere() {
  const int file = ::memfd_create("unrelated", MFD_CLOEXEC);
  const void* const address = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) return 99;
  return *static_cast<const volatile unsigned char*>(address);
}

TEST_CASE("The lost pages of a file that is truncated while it is mapped are read as zeros",
          "[registry][mapped]") {
  const MappingGuard guard;
  const Victim victim(5);
  const MappedFile file = MappedFile::open(victim.path()).value();
  CHECK(file.bytes()[4 * kPage] == std::byte{'e'});
  CHECK_FALSE(file.is_damaged());
  victim.truncate(2 * kPage + 10);
  CHECK(file.bytes()[kPage] == std::byte{'b'});
  CHECK_FALSE(file.is_damaged());
  CHECK(file.bytes()[3 * kPage + 17] == std::byte{0});
  CHECK(file.is_damaged());
  CHECK(file.bytes()[4 * kPage] == std::byte{0});
  CHECK(file.bytes()[kPage] == std::byte{'b'});
  victim.truncate(0);
  CHECK(std::ranges::all_of(file.bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST_CASE("Damage of one file does not affect another", "[registry][mapped]") {
  const MappingGuard guard;
  const Victim lost(2);
  const Victim kept(2);
  const MappedFile before = MappedFile::open(kept.path()).value();
  MappedFile file = MappedFile::open(lost.path()).value();
  const MappedFile after = MappedFile::open(kept.path()).value();
  lost.truncate(0);
  CHECK(file.bytes()[0] == std::byte{0});
  CHECK_FALSE(before.is_damaged());
  CHECK_FALSE(after.is_damaged());
  const MappedFile moved = std::move(file);
  CHECK(moved.is_damaged());
  file = MappedFile::open(kept.path()).value();
  CHECK_FALSE(file.is_damaged());
  CHECK(file.bytes()[kPage] == std::byte{'b'});
}

TEST_CASE("A mapped file that is replaced by a rename keeps its content", "[registry][mapped]") {
  const MappingGuard guard;
  const Victim victim(2);
  const MappedFile file = MappedFile::open(victim.path()).value();
  victim.folder.put("other", "x");
  fs::rename(victim.folder.path() + "/other", victim.path());
  CHECK(file.bytes()[kPage] == std::byte{'b'});
  fs::remove(victim.path());
  CHECK(file.bytes()[0] == std::byte{'a'});
  CHECK_FALSE(file.is_damaged());
}

TEST_CASE("Threads that read a truncated file do not crash", "[registry][mapped]") {
  const MappingGuard guard;
  const Victim victim(64);
  const MappedFile file = MappedFile::open(victim.path()).value();
  std::atomic<std::ptrdiff_t> letters{0};  // Prevents the compiler from removing the read.
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!file.is_damaged()) {
        letters += std::ranges::count(file.bytes(), std::byte{'c'});
        (void)MappedFile::open(victim.path()).has_value();
      }
    });
  }
  victim.truncate(kPage);
  readers.clear();
  CHECK(file.is_damaged());
}

TEST_CASE("Without a guard, a lost page ends the program", "[registry][mapped]") {
  const ChildEnd end = run_in_child([] {
    ::signal(SIGBUS, SIG_DFL);
    const Victim victim(1);
    const MappedFile file = MappedFile::open(victim.path()).value();
    victim.truncate(0);
    return static_cast<int>(file.bytes()[0]);
  });
  CHECK(end.signal == SIGBUS);
}

TEST_CASE("A fault outside mapped files is passed to the previous handler", "[registry][mapped]") {
  const ChildEnd dies = run_in_child([] {
    ::signal(SIGBUS, SIG_DFL);
    const MappingGuard guard;
    return fault_elsewhere();
  });
  CHECK(dies.signal == SIGBUS);
  const ChildEnd is_sent = run_in_child([] {
    ::signal(SIGBUS, SIG_DFL);
    const MappingGuard guard;
    ::raise(SIGBUS);
    return 0;
  });
  CHECK(is_sent.signal == SIGBUS);
  const ChildEnd handled = run_in_child([] {
    ::signal(SIGBUS, [](int) { ::_exit(7); });
    const MappingGuard guard;
    return fault_elsewhere();
  });
  CHECK(handled.exit_code == 7);
  const ChildEnd after = run_in_child([] {
    ::signal(SIGBUS, [](int) { ::_exit(8); });
    { const MappingGuard guard; }
    return fault_elsewhere();
  });
  CHECK(after.exit_code == 8);
}

TEST_CASE("The number of mapped files is limited, and closing a file frees its entry",
          "[registry][mapped]") {
  const Victim victim(1);
  const DiskFile file = DiskFile::open(victim.path()).value();
  std::vector<MappedFile> files;
  for (std::size_t i = 0; i < MappingGuard::kMaxMappings; ++i) {
    files.push_back(MappedFile::map(file).value());
  }
  CHECK(MappedFile::map(file).error().code == ErrorCode::limit_exceeded);
  files.erase(files.begin() + 77);
  files.push_back(MappedFile::map(file).value());
  CHECK(MappedFile::map(file).error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("An empty file gives an empty mapping", "[registry][mapped]") {
  const TemporaryFolder folder;
  folder.put("empty", "");
  const MappedFile file = MappedFile::open(folder.path() + "/empty").value();
  CHECK(file.bytes().empty());
  CHECK_FALSE(file.is_damaged());
  CHECK(MappedFile::open(folder.path() + "/none").error().code == ErrorCode::not_found);
  CHECK(MappedFile::open(folder.path()).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("An empty folder name does not mean the root", "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("file", "12345");
  const AssetPath path = path_of(folder.path().substr(1) + "/file");
  CHECK(DiskFile::open("", path).error().code == ErrorCode::not_found);
  CHECK(DiskFile::open("/", path).value().size_bytes() == 5);
}

TEST_CASE("The expected bytes of a file are read at once", "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("inside/real", "12345");
  folder.put("outside", "x");
  const std::string root = folder.path() + "/inside";
  fs::create_symlink("../outside", root + "/escape");
  ByteVector bytes(6);
  const auto read = [&](const char* name) {
    return DiskFile::read_at_once(root, path_of(name), bytes);
  };
  CHECK(read("real").value() == 5);
  CHECK(bytes[4] == std::byte{'5'});
  bytes.resize(2);
  CHECK(read("real").value() == 2);
  CHECK(read("none").error().code == ErrorCode::not_found);
  CHECK(read("escape").error().code == ErrorCode::permission_denied);
  CHECK(DiskFile::read_at_once(root, {}, bytes).error().code == ErrorCode::io);
}

TEST_CASE("A file can only be opened below its folder", "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("inside/real", "12345");
  folder.put("outside", "x");
  const std::string root = folder.path() + "/inside";
  fs::create_symlink("real", root + "/link");
  fs::create_symlink(root + "/real", root + "/absolute");
  fs::create_symlink("../outside", root + "/escape");
  fs::create_symlink(folder.path() + "/outside", root + "/absolute_escape");
  fs::create_symlink("..", root + "/up");
  fs::create_symlink("circle", root + "/circle");
  for (const char* const name : {"real", "link", "absolute"}) {
    CAPTURE(name);
    const Result<DiskFile> file = DiskFile::open(root, path_of(name));
    REQUIRE(file.has_value());
    CHECK(file.value().size_bytes() == 5);
    ByteVector bytes(5);
    CHECK(file.value().read(bytes));
    CHECK(bytes[4] == std::byte{'5'});
  }
  for (const char* const name : {"escape", "absolute_escape", "up/outside"}) {
    CAPTURE(name);
    CHECK(DiskFile::open(root, path_of(name)).error().code == ErrorCode::permission_denied);
  }
  CHECK(DiskFile::open(root, path_of("circle")).error().code == ErrorCode::io);
  CHECK(DiskFile::open(root, path_of("none")).error().code == ErrorCode::not_found);
  CHECK(DiskFile::open(root, {}).error().code == ErrorCode::invalid_argument);
  CHECK(DiskFile::open(root + "/none", path_of("real")).error().code == ErrorCode::not_found);
  ByteVector more(6);
  CHECK(DiskFile::open(root, path_of("real")).value().read(more).error().code ==
        ErrorCode::truncated);
}

}  // namespace
}  // namespace muster
