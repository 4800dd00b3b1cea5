#include "runtime/session/content_store.h"

#include <string>
#include <system_error>
#include <utility>

namespace muster {

Result<std::unique_ptr<ContentStore>> ContentStore::open(
    std::shared_ptr<const BuildContent> content, std::uint32_t loading_threads,
    std::shared_ptr<MemoryPool> memory) {
  Result<BundleStore> store = content->open_store(std::move(memory));
  if (!store) return fail(store.error());
  const BuildOpenOptions& options = content->options();
  std::unique_ptr<ContentStore> opened(
      new ContentStore(std::move(content), std::move(store.value())));
  BundleStore& own = opened->store_;
  if (loading_threads == 0) {
    opened->loads_ = std::make_unique<SteppedLoads>(own.source(), own.catalog(), false,
                                                    own.memory(), own.dictionaries());
  } else {
    try {
      opened->loads_ = std::make_unique<ThreadedLoads>(own.source(), own.catalog(), loading_threads,
                                                       own.memory(), own.dictionaries());
    } catch (const std::system_error& error) {
      return fail(ErrorCode::io,
                  std::string("cannot start the threads that load: ") + error.what());
    }
  }
  opened->loader_ = std::make_unique<BundleLoader>(
      own, *opened->loads_, LoaderOptions{.memory_budget_bytes = options.memory_bytes_max});
  return opened;
}

}  // namespace muster
