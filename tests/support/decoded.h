// Converts the data of a reader to the input of a writer, which must then produce the same bytes.
#pragma once

#include <optional>
#include <string>

#include "bundler/cook/prefab_data.h"
#include "bundler/pack/catalog_data.h"
#include "registry/yaml/tree.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/bundle/object_reader.h"
#include "runtime/bundle/prefab_reader.h"

namespace muster::samples {

PrefabData decode(const PrefabReader& prefab);
CatalogData decode(const CatalogReader& catalog);
/// Decodes an object to a tree, and encodes the tree and the type names of its documents.
Result<ByteVector> encode_again(const ObjectReader& object);

/// Returns the number of distinct guids in the values of an object.
std::size_t guid_count(const ObjectReader& object);

/// Returns the first difference between two trees in documents, kinds, keys, styles or texts;
/// nothing if they are equal. Ignores positions and the difference between block and flow style.
std::optional<std::string> difference(const yaml::Tree& a, const yaml::Tree& b);

}  // namespace muster::samples
