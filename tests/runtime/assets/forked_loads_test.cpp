// Loaders in a child of `fork`, which has no loading threads.
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/assets/bundle_loader.h"
#include "tests/support/plain_bundles.h"

namespace muster {
namespace {

using samples::plain_asset;
using samples::plain_bundles;

constexpr Time kStart{};

/// A source that opens no bundle until `release`.
class BlockedSource final : public BundleSource {
 public:
  explicit BlockedSource(const BundleSource& source) : source_(source) {}
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    if (path != kCatalogFile) {
      std::unique_lock lock(mutex_);
      is_opening_ = true;
      signal_.notify_all();
      signal_.wait(lock, [this] { return is_released_; });
    }
    return source_.open(path, max_bytes);
  }
  std::string name() const override { return source_.name(); }

  void wait_for_opening() {
    std::unique_lock lock(mutex_);
    signal_.wait(lock, [this] { return is_opening_; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    signal_.notify_all();
  }

 private:
  const BundleSource& source_;
  mutable std::mutex mutex_;
  mutable std::condition_variable signal_;
  mutable bool is_opening_ = false;
  bool is_released_ = false;
};

bool has_failed(const BundleHandle& handle, BundleLoader& loader) {
  return loader.finish(handle, kStart) == LoadState::failed &&
         handle.error().code == ErrorCode::unsupported &&
         handle.error().message.find("forked") != std::string::npos;
}

/// Uses a copy of a loader in a child process. Returns its exit code.
int use_in_child(std::optional<ThreadedLoads>& executor, std::optional<BundleLoader>& loader,
                 BundleHandle& first, BundleHandle& second) {
  ::alarm(60);  // Ends the child if a call waits for threads of the parent.
  executor->wait();
  if (!has_failed(first, *loader) || !has_failed(second, *loader)) return 1;
  BundleHandle third = loader->request_asset(plain_asset(2)).value();
  if (!has_failed(third, *loader)) return 2;
  first.release();
  second.release();
  third.release();
  loader.reset();
  executor.reset();
  return 0;
}

TEST_CASE("In a child of fork loads fail with a reason, and no call waits for threads",
          "[runtime][assets][threads]") {
  const MemorySource files = plain_bundles({100, 200, 300});
  BlockedSource source(files);
  const BundleStore::Catalogs catalogs = BundleStore::Catalogs::built;
  BundleStore store = BundleStore::open(source, catalogs).value();
  std::optional<ThreadedLoads> executor(std::in_place, source, store.catalog(), 2);
  std::optional<BundleLoader> loader(std::in_place, store, *executor, LoaderOptions{});
  BundleHandle first = loader->request_asset(plain_asset(0)).value();
  BundleHandle second = loader->request_asset(plain_asset(1)).value();
  loader->update(kStart);
  source.wait_for_opening();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(use_in_child(executor, loader, first, second));
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  // The loads of the parent continue.
  source.release();
  CHECK(loader->finish(first, kStart) == LoadState::ready);
  CHECK(loader->finish(second, kStart) == LoadState::ready);
}

}  // namespace
}  // namespace muster
