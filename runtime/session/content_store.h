// The content of a server or client: a store of bundles, and their loader.
#pragma once

#include <cstdint>
#include <memory>

#include "registry/base/result.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/load_executor.h"
#include "runtime/session/build_content.h"

namespace muster {

/// A store with its loader. All assets that were loaded from the store must be released before the
/// store is destroyed. Only one thread at a time may use this object. The loader has additional
/// threads.
class ContentStore {
 public:
  /// If `loading_threads` is 0, `loader().update` loads the bundles itself, in a deterministic
  /// order. Fails if the store cannot be opened, with the code of `BundleStore::open`. Fails with
  /// `io` if the system cannot start more threads.
  static Result<std::unique_ptr<ContentStore>> open(std::shared_ptr<const BuildContent> content,
                                                    std::uint32_t loading_threads,
                                                    std::shared_ptr<MemoryPool> memory);

  const BuildContent& content() const { return *content_; }
  BundleStore& store() { return store_; }
  const BundleStore& store() const { return store_; }
  BundleLoader& loader() { return *loader_; }
  LoadExecutor& loads() { return *loads_; }

 private:
  ContentStore(std::shared_ptr<const BuildContent> content, BundleStore&& store)
      : content_(std::move(content)), store_(std::move(store)) {}

  std::shared_ptr<const BuildContent> content_;
  BundleStore store_;
  std::unique_ptr<LoadExecutor> loads_;
  std::unique_ptr<BundleLoader> loader_;
};

}  // namespace muster
