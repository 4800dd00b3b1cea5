#include "registry/rules/packing.h"

#include <algorithm>
#include <array>

#include "registry/project/serialized_guids.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

using yaml::Dialect;

// The extensions of other text formats, which may be YAML. A file with such an extension is packed
// unchanged if the file is not YAML.
constexpr std::array<std::string_view, 7> kForeignExtensions = {
    "asmdef", "asmref", "shadergraph", "shadersubgraph", "tss", "uss", "uxml"};

bool is_foreign(const AssetPath& path) {
  return std::ranges::find(kForeignExtensions, lower_ascii(path.extension())) !=
         kForeignExtensions.end();
}

// True for JSON, which is also YAML, but is packed unchanged.
bool is_json(const SourceFile& source) {
  const std::string_view text = as_text(source.bytes);
  const std::size_t first = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Packing failed(std::string_view rule, Location location, std::string message) {
  return {false, PackingFault{rule, std::move(location), std::move(message)}};
}

Packing refused(const AssetPath& path, const Error& error) {
  return failed(read_error_rule(error), {path, {}}, error.message);
}

Packing raw_packing(const Project& project, const AssetPath& path) {
  ByteVector buffer;
  const auto head = project.files().read(path, 0, yaml::kPointerBytesMax, buffer);
  if (!head) return refused(path, head.error());
  if (yaml::detect_dialect(as_text(head.value())) == Dialect::lfs_pointer) {
    return failed("lfs-pointer", {path, {1, 1}}, yaml::read(as_text(head.value())).error().message);
  }
  const auto info = project.files().stat(path);
  if (!info) return refused(path, info.error());
  if (info.value().size_bytes > kRawBytesMax) {
    return failed("file-too-large", {path, {}},
                  "a bundle cannot contain a file of more than 2 GiB");
  }
  return {};
}

Packing sidecar_packing(const Project& project, const AssetPath& path) {
  ByteVector buffer;
  const AssetPath meta = path.parent().child(std::string(path.name()) + ".meta");
  const auto text = read_whole(project.files(), meta, kSidecarBytesMax, buffer);
  // If the sidecar is missing, it was removed after the index was built.
  if (!text)
    return text.error().code == ErrorCode::not_found ? Packing{} : refused(meta, text.error());
  const auto read = yaml::read_unity(as_text(text.value()));
  if (!read.good())
    return failed("yaml-syntax", {meta, read.error().position}, read.error().message);
  return {};
}

Packing prefab_packing(const Project& project, AssetNumber asset, const AssetPath& path) {
  if (!is_prefab(project.sources(), asset)) return {true, {}};
  const SourcePrefab& prefab = project.prefabs().flatten(asset);
  if (prefab.entities.empty()) {
    return failed("prefab-without-root", {path, {}}, "this prefab has no root");
  }
  for (const PrefabProblem& problem : prefab.problems) {
    if (problem.path != path) continue;
    if (problem.kind == PrefabProblem::Kind::cut_short) {
      return failed("cut-short", {path, problem.position}, problem.detail);
    }
    const bool is_missing_base = problem.kind == PrefabProblem::Kind::missing_source &&
                                 prefab.is_incomplete && !project.is_known_elsewhere(problem.guid);
    if (is_missing_base) {
      return failed("prefab-without-root", {path, problem.position},
                    "its base, " + problem.guid.to_string() +
                        ", is not in the project, so nothing of the base would be packed");
    }
  }
  return {true, {}};
}

Packing text_packing(const Project& project, AssetNumber asset, const AssetPath& path) {
  const SourceFile& source = project.sources().get(asset);
  if (source.read_error) return refused(path, *source.read_error);
  if (source.dialect == Dialect::lfs_pointer) {
    return failed("lfs-pointer", {path, {1, 1}}, source.error->message);
  }
  const bool is_plain = source.dialect == Dialect::plain;
  const bool is_text = source.dialect == Dialect::unity || is_plain;
  if (is_foreign(path) && (!is_text || (is_plain && source.error))) {
    return raw_packing(project, path);
  }
  // A file with a `class` is a plain file, even if it is JSON.
  if (is_plain && is_json(source) && project.sources().plain_class(asset).empty()) {
    return raw_packing(project, path);
  }
  if (is_foreign_text(source)) {
    return failed("text-encoding", {path, source.error->position}, source.error->message);
  }
  if (source.dialect == Dialect::binary) {
    // Unity always stores lighting, terrain and navigation in binary form.
    const bool is_own = (has_extension(path, "asset") || has_extension(path, "mesh")) &&
                        is_whole_serialized_file(as_text(source.bytes));
    if (is_own) return raw_packing(project, path);
    return failed("binary-asset", {path, {}}, source.error->message);
  }
  if (source.dialect == Dialect::empty) {
    return failed("yaml-syntax", {path, {}}, source.error->message);
  }
  if (source.error)
    return failed("yaml-syntax", {path, source.error->position}, source.error->message);
  if (source.tree.documents.empty()) {
    return failed("yaml-syntax", {path, {}}, "this file has no objects");
  }
  if (is_plain && !is_foreign(path) && !is_plain_path(path)) {
    return failed("yaml-syntax", {path, {1, 1}}, "this is not a text file of the engine");
  }
  return prefab_packing(project, asset, path);
}

}  // namespace

Packing packing_but_sidecar(const Project& project, AssetNumber asset) {
  const AssetPath& path = project.index().at(asset).path;
  if (!holds_references(path)) return raw_packing(project, path);
  Packing packing = text_packing(project, asset, path);
  if (!packing.fault) return packing;
  // A file that the engine would not parse is packed unchanged.
  const bool is_form = packing.fault->rule == "yaml-syntax" ||
                       packing.fault->rule == "binary-asset" ||
                       packing.fault->rule == "text-encoding";
  const bool is_foreign_text = is_form && project.sources().plain_class(asset).empty() &&
                               has_foreign_importer(project.files(), path);
  return is_foreign_text ? raw_packing(project, path) : packing;
}

Packing packing_of(const Project& project, AssetNumber asset) {
  Packing packing = packing_but_sidecar(project, asset);
  if (packing.is_text || packing.fault) return packing;
  return sidecar_packing(project, project.index().at(asset).path);
}

}  // namespace muster
