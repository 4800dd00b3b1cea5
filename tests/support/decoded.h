// Converts the data of a reader to the writer's input. Encoding this input must give the same
// bytes.
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
/// Decodes an object to a tree and encodes the tree, with the documents' type names.
Result<ByteVector> encode_again(const ObjectReader& object);

/// The number of distinct guids in the values of an object.
std::size_t guid_count(const ObjectReader& object);

/// The first difference between two trees in documents, kinds, keys, styles or texts; nothing if
/// they are equal. Positions and block or flow style are ignored.
std::optional<std::string> difference(const yaml::Tree& a, const yaml::Tree& b);

}  // namespace muster::samples
