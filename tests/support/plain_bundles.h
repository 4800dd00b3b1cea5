// Builds whose bundles contain only raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/memory_source.h"
#include "tests/support/bundle_samples.h"

namespace muster::samples {

/// Returns the asset of the n-th plain bundle, counted from zero.
inline Guid plain_asset(std::size_t index) { return guid(1 + index); }
inline std::string plain_path(std::size_t index) {
  return BundleName::of_prefab(plain_asset(index)).path();
}

enum class PlainBytes : std::uint8_t { equal, noise };

/// Returns a catalog, and for each size a bundle with one raw entry. The contents are equal bytes,
/// which compress very well, or noise, which does not compress.
inline MemorySource plain_bundles(const std::vector<std::size_t>& sizes,
                                  PlainBytes kind = PlainBytes::equal) {
  MemorySource source;
  CatalogData data;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ByteVector plain = kind == PlainBytes::noise
                                 ? noise(sizes[i], i)
                                 : ByteVector(sizes[i], static_cast<std::byte>(i + 1));
    const std::vector<PackEntry> entries = {{plain_asset(i), kMainPayload, EntryKind::raw, plain}};
    ByteVector bytes = pack_bundle(entries, {.level = 1}).value();
    const BundleName name = BundleName::of_prefab(plain_asset(i));
    data.bundles.push_back(
        {name, BundleReader::open(bytes).value().bundle_hash(), bytes.size(), {}});
    data.assets.push_back({plain_asset(i), std::to_string(i) + ".bytes", name});
    source.put(name.path(), std::move(bytes));
  }
  source.put(std::string(kCatalogFile), encode_catalog(data).value());
  return source;
}

}  // namespace muster::samples
