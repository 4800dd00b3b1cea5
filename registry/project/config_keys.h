// The keys of `muster.yaml`, for the parser and for the JSON Schema.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "registry/base/file_system.h"
#include "registry/base/result.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The kinds of mappings in `muster.yaml` that have a fixed set of keys.
enum class ConfigPart : std::uint8_t {
  top,
  registry_class,
  reference,
  prepare,
  budget,
  variant_axis,
  strip,
  strip_target,
  compression
};

/// The type of a key's value.
enum class ConfigValue : std::uint8_t {
  version,  ///< The number 1.
  text,     ///< A name, a key, or a path of keys.
  texts,    ///< A list of texts.
  path,     ///< The path of a file in the project.
  paths,    ///< A list of folders.
  guid,     ///< 32 lower-case hex digits.
  guids,    ///< A list of guids.
  zero_or_one,
  strength,  ///< `strong` or `weak`.
  role,      ///< `asset`, `prefab` or `factory`.
  target,    ///< `client` or `server`.
  targets,   ///< A list of targets.
  text_or_texts,
  byte_count,     ///< A number of bytes, for example `4096` or `300 MiB`.
  ready_made,     ///< A list of names of ready-made classes.
  classes,        ///< A mapping from names to `registry_class`.
  references,     ///< A list of `reference`.
  prepare,        ///< One `prepare`.
  budgets,        ///< A list of `budget`.
  truth,          ///< `true` or `false`.
  texts_or_none,  ///< A list of texts, or nothing.
  strip,          ///< A mapping from targets to `strip_target`.
  strip_target,   ///< One `strip_target`, or nothing.
  variants,       ///< A mapping from names to `variant_axis`.
  choose,         ///< `build` or `runtime`.
  compression,    ///< One `compression`.
  plain_level,    ///< 1 to 19.
  kinds,          ///< A mapping from kinds to levels, or `store`.
  rules,  ///< A mapping from rule names to severities, or to mappings from paths to severities.
};

struct ConfigKey {
  std::string_view name;
  ConfigValue value = ConfigValue::text;
  bool is_required = false;
  std::string_view help;  ///< The text that an editor shows.
};

/// The keys of a mapping, in their usual order.
std::span<const ConfigKey> config_keys(ConfigPart part);

/// Fails with `malformed` if the mapping has a key that `part` does not have, naming the line of
/// the first such key.
Result<void> check_config_keys(const yaml::Tree& tree, yaml::NodeIndex mapping, ConfigPart part);

/// Returns a `malformed` error for a position in `muster.yaml`.
tl::unexpected<Error> refuse_config(const yaml::Position& at, const std::string& why);
tl::unexpected<Error> refuse_config(const yaml::Tree& tree, yaml::NodeIndex at,
                                    const std::string& why);

/// Reads an optional settings file, like `read_whole`. Fails with `not_found` only if `path` does
/// not exist. Fails with `io` if `path` or one of its folders is a broken link.
Result<Bytes> read_optional(const FileReader& files, const AssetPath& path, std::uint64_t max_bytes,
                            ByteVector& buffer);

}  // namespace muster
