// What a reader says, in the form that the writer takes: encoding it again must give the same
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
/// Decodes to a tree and encodes that, with the documents' type names.
Result<ByteVector> encode_again(const ObjectReader& object);

/// How many guids the values of an object name, each counted once.
std::size_t guid_count(const ObjectReader& object);

/// Where two trees differ in documents, kinds, keys, styles or texts; nothing when they are equal.
/// Positions and block or flow style do not count.
std::optional<std::string> difference(const yaml::Tree& a, const yaml::Tree& b);

}  // namespace muster::samples
