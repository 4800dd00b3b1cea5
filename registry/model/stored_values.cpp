// Verifies each edit: parses the project's files again with the new text, and compares the values.
#include "registry/model/stored_values.h"

#include <algorithm>
#include <functional>

#include "registry/model/membership.h"
#include "registry/model/text_edit.h"

namespace muster {
namespace {

using yaml::kNoNode;
using yaml::NodeIndex;

// The project's files, with new text for some of them.
class Changed final : public FileReader {
 public:
  Changed(const FileReader& files, const std::map<AssetPath, FileWrite>& writes)
      : files_(files), writes_(writes) {}

  Result<FileInfo> stat(const AssetPath& path) const override {
    auto info = files_.stat(path);
    const auto changed = writes_.find(path);
    if (info && changed != writes_.end()) info.value().size_bytes = changed->second.text.size();
    return info;
  }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    return files_.list(folder);
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    const auto changed = writes_.find(path);
    if (changed == writes_.end()) return files_.read(path, offset, max_bytes, buffer);
    const Bytes all = as_bytes(changed->second.text);
    const Bytes rest = all.subspan(std::min<std::uint64_t>(offset, all.size()));
    const Bytes wanted = rest.first(std::min<std::uint64_t>(max_bytes, rest.size()));
    if (buffer.size() < wanted.size()) buffer.resize(wanted.size());
    std::ranges::copy(wanted, buffer.begin());
    return Bytes(buffer).first(wanted.size());
  }

 private:
  const FileReader& files_;
  const std::map<AssetPath, FileWrite>& writes_;
};

using HasScalar = std::function<bool(const std::string& path)>;
// Returns the scalars that store a guid at `path`, as pairs of path and text. The scalars have the
// spelling that the file uses for guids at this path.
std::vector<std::pair<std::string, std::string>> guid_values(const std::string& path,
                                                             const Guid& guid,
                                                             const HasScalar& has) {
  if (has(path + ".guid")) return {{path + ".guid", guid.to_string()}};
  if (!has(path + ".val0")) return {{path, guid.to_string()}};
  std::vector<std::pair<std::string, std::string>> values;
  const WeakReferenceWords words = words_from_guid(guid);
  for (std::size_t i = 0; i < words.size(); ++i) {
    values.emplace_back(path + ".val" + std::to_string(i), std::to_string(words[i]));
  }
  return values;
}

// Whether a stored id must be corrected.
bool is_wrong(const RequiredId& wanted, std::string_view stored) {
  if (stored == std::to_string(wanted.id.value())) return false;
  return !wanted.only_if_unassigned || stored == "0" || stored == "-1";
}

// The document of the instance that is the base of a variant. -1 if the file is not a variant, or
// has two such instances.
int variant_instance(const SourceFile& source) {
  constexpr std::int64_t kPrefabInstanceClass = 1001;
  int found = -1;
  for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
    const int document = static_cast<int>(i);
    if (source.tree.documents[i].class_id != kPrefabInstanceClass ||
        source.type_name_of(document) != "PrefabInstance") {
      continue;
    }
    const NodeIndex parent = source.tree.find_path(source.fields_of(document),
                                                   "m_Modification.m_TransformParent.fileID");
    if (source.tree.scalar(parent) != "0") continue;
    if (found >= 0) return -1;
    found = document;
  }
  return found;
}

// The lines of one override, in the editor's form.
std::vector<std::string> override_lines(std::int64_t target, const Guid& base,
                                        const std::pair<std::string, std::string>& value) {
  constexpr std::size_t kFoldedAt = 80;
  constexpr std::size_t kTypicalIndent = 4;
  std::string first =
      "- target: {fileID: " + std::to_string(target) + ", guid: " + base.to_string() + ",";
  std::vector<std::string> lines{std::move(first)};
  const std::string last = "type: 3}";
  if (kTypicalIndent + lines[0].size() + 1 + last.size() > kFoldedAt) {
    lines.push_back("    " + last);
  } else {
    lines[0] += " " + last;
  }
  lines.push_back("  propertyPath: " + value.first);
  lines.push_back("  value: " + value.second);
  lines.push_back("  objectReference: {fileID: 0}");
  return lines;
}

}  // namespace

void StoredValues::require_prefab(const ClassDeclaration& declaration, AssetNumber prefab,
                                  const std::optional<RequiredId>& id) {
  if (declaration.component.empty() || !is_prefab(project_.sources(), prefab)) return;
  for (const VariantFile& form : project_.variants().of(prefab)) {
    require_prefab(declaration, form.file, id);
  }
  const SourceComponent* component = root_component(project_, prefab, declaration.component);
  if (component == nullptr) return;
  const Values values = wrong_values(declaration, prefab, *component, id);
  if (values.empty()) {
    if (variant_instance(project_.sources().get(prefab)) >= 0) {
      variants_.push_back({&declaration, prefab, id});
    }
  } else if (is_new(prefab, values)) {
    write_component(declaration, prefab, values);
  }
}

StoredValues::Values StoredValues::wrong_values(const ClassDeclaration& declaration,
                                                AssetNumber prefab,
                                                const SourceComponent& component,
                                                const std::optional<RequiredId>& id) const {
  const Guid& guid = guid_to_store(prefab);
  Values values;
  for (const std::string& path : declaration.component_guid_paths) {
    const auto stored = component.weak_reference(path);
    if (!stored) continue;
    const auto has = [&](const std::string& leaf) { return component.scalar(leaf).has_value(); };
    if (*stored != guid) values = guid_values(path, guid, has);
    break;
  }
  const auto stored_id = component.scalar("registryId");
  if (id && stored_id && is_wrong(*id, *stored_id)) {
    values.emplace_back("registryId", std::to_string(id->id.value()));
  }
  return values;
}

const Guid& StoredValues::guid_to_store(AssetNumber asset) const {
  const VariantFile* form = project_.variants().find(asset);
  return project_.index().at(form == nullptr ? asset : form->base).guid;
}

// Checks the variants again, because a variant may inherit a value that was corrected in its base.
void StoredValues::fix_variants() {
  for (bool has_grown = !writes_.empty() && !variants_.empty(); has_grown;) {
    has_grown = false;
    const Changed files(project_.files(), writes_);
    const SourceCache sources(files, project_.index());
    const PrefabFlattener prefabs(sources, project_.scripts());
    for (const Variant& variant : variants_) {
      const auto& [declaration, prefab, id] = variant;
      if (required_.contains(prefab)) continue;
      const SourceComponent* after =
          root_component(prefabs.flatten(prefab), project_.scripts(), declaration->component);
      if (after == nullptr) continue;
      const Values values = wrong_values(*declaration, prefab, *after, id);
      if (!is_new(prefab, values)) continue;
      write_component(*declaration, prefab, values);
      has_grown = true;
      break;  // The cache still contains the old texts.
    }
  }
}

void StoredValues::require_factory(AssetNumber factory, const std::optional<RequiredId>& id) {
  require_asset(factory, id, true);
}

void StoredValues::require_definition(const ClassDeclaration& declaration, AssetNumber definition,
                                      const std::optional<RequiredId>& id) {
  require_asset(definition, id, declaration.definitions_store_guid);
}

void StoredValues::require_asset(AssetNumber asset, const std::optional<RequiredId>& id,
                                 bool has_guid) {
  for (const VariantFile& form : project_.variants().of(asset)) {
    require_asset(form.file, id, has_guid);
  }
  const SourceFile& source = project_.sources().get(asset);
  if (!source.good()) return;
  const NodeIndex fields = source.fields_of(source.document_of(0));
  const auto has = [&](const std::string& leaf) {
    return source.tree.find_path(fields, leaf) != kNoNode;
  };
  Values values;
  const auto guid = yaml::weak_reference_at(source.tree, source.tree.find(fields, "guid"));
  if (has_guid && guid && guid.value() != guid_to_store(asset)) {
    values = guid_values("guid", guid_to_store(asset), has);
  }
  for (const std::string key : {"registryId", "typeId"}) {
    const NodeIndex stored = source.tree.find(fields, key);
    if (!id || !source.tree.integer(stored)) continue;
    if (is_wrong(*id, source.tree.scalar(stored))) {
      values.emplace_back(key, std::to_string(id->id.value()));
    }
    break;
  }
  if (is_new(asset, values)) write_fields(asset, values);
}

// Records the values of an asset. Returns false if another registry has already requested values
// for the asset.
bool StoredValues::is_new(AssetNumber asset, const Values& values) {
  if (values.empty()) return false;
  const auto [known, fresh] = required_.try_emplace(asset, values);
  if (!fresh && known->second != values) {
    finish(asset, fail(ErrorCode::malformed, "two registries differ"), values,
           {project_.index().at(asset).path, {}});
  }
  return fresh;
}

void StoredValues::write_component(const ClassDeclaration& declaration, AssetNumber prefab,
                                   const Values& values) {
  const SourceFile& source = project_.sources().get(prefab);
  const SourceComponent& component = *root_component(project_, prefab, declaration.component);
  std::vector<ScalarChange> changes;
  AddedItems added;
  Location location{source.path, {}};
  const int instance = variant_instance(source);
  for (const auto& [path, value] : values) {
    bool is_overridden = false;
    for (const PropertyOverride& change : component.overrides) {
      if (change.path != path || change.source->guid != source.guid) continue;
      changes.push_back({change.position, change.value, value});
      is_overridden = true;
    }
    const SourceComponent::FieldNode found = component.find(path);
    if (is_overridden) continue;
    if (found.source != nullptr && found.source->guid == source.guid) {
      const yaml::Node& node = source.tree.at(found.node);
      changes.push_back({node.position, node.text, value});
    } else if (instance >= 0) {
      const NodeIndex fields = source.fields_of(instance);
      const auto base = yaml::reference_at(source.tree, source.tree.find(fields, "m_SourcePrefab"));
      const AssetNumber from = base ? project_.index().find(base.value().guid) : kNoAsset;
      const SourceComponent* inherited =
          from == kNoAsset ? nullptr : root_component(project_, from, declaration.component);
      if (inherited == nullptr) continue;
      added.list = source.tree.find_path(fields, "m_Modification.m_Modifications");
      location.position = source.tree.at(fields).position;
      if (added.list == kNoNode) continue;
      added.items.push_back(override_lines(inherited->file_id, base.value().guid, {path, value}));
      location.position = source.tree.at(added.list).key_position;
    }
  }
  if (!changes.empty()) location.position = changes.front().position;
  const bool is_none = changes.empty() && added.items.empty();
  Result<std::string> text = edited_text(source, std::move(changes), added);
  if (is_none) text = fail(ErrorCode::malformed, "the file has no value that can be changed");
  if (text) {
    const std::map<AssetPath, FileWrite> changed{{source.path, {source.path, text.value()}}};
    const Changed before(project_.files(), writes_);
    const Changed files(before, changed);
    const SourceCache sources(files, project_.index());
    const PrefabFlattener prefabs(sources, project_.scripts());
    const SourceComponent* after =
        root_component(prefabs.flatten(prefab), project_.scripts(), declaration.component);
    const bool is_right = after != nullptr && std::ranges::all_of(values, [&](const auto& wanted) {
                            return after->scalar(wanted.first) == std::string_view(wanted.second);
                          });
    if (!is_right)
      text = fail(ErrorCode::malformed, "parsing the new text does not give this value");
  }
  finish(prefab, std::move(text), values, location);
}

void StoredValues::write_fields(AssetNumber asset, const Values& values) {
  const SourceFile& source = project_.sources().get(asset);
  const NodeIndex fields = source.fields_of(source.document_of(0));
  std::vector<ScalarChange> changes;
  for (const auto& [path, value] : values) {
    const yaml::Node& node = source.tree.at(source.tree.find_path(fields, path));
    changes.push_back({node.position, node.text, value});
  }
  const Location location{source.path, changes.front().position};
  Result<std::string> text = edited_text(source, std::move(changes));
  if (text) {
    const std::map<AssetPath, FileWrite> changed{{source.path, {source.path, text.value()}}};
    const Changed files(project_.files(), changed);
    const SourceCache sources(files, project_.index());
    const SourceFile& after = sources.get(asset);
    const NodeIndex top = after.good() ? after.fields_of(after.document_of(0)) : kNoNode;
    const bool is_right = std::ranges::all_of(values, [&](const auto& wanted) {
      return after.tree.scalar(after.tree.find_path(top, wanted.first)) == wanted.second;
    });
    if (!is_right)
      text = fail(ErrorCode::malformed, "parsing the new text does not give this value");
  }
  finish(asset, std::move(text), values, location);
}

void StoredValues::finish(AssetNumber asset, Result<std::string> text, const Values& values,
                          const Location& location) {
  const AssetPath& path = project_.index().at(asset).path;
  std::string what;
  std::string wanted;
  for (const auto& [key, value] : values) {
    const bool is_id = key == "registryId" || key == "typeId";
    const std::string kind = is_id ? "type id" : "own guid";
    if (what.find(kind) == std::string::npos) what += (what.empty() ? "" : " and ") + kind;
    wanted += (wanted.empty() ? "" : ", ") + key + ": " + value;
  }
  if (text) {
    writes_.insert_or_assign(path, FileWrite{path, std::move(text).value(), what});
    return;
  }
  std::string line;
  if (location.position.line != 0) line = ":" + std::to_string(location.position.line);
  remaining_.push_back(path.text() + line + ": the " + what +
                       " stored here is wrong and cannot be rewritten safely; it should be '" +
                       wanted + "'");
}

std::vector<FileWrite> StoredValues::finish_writes() {
  fix_variants();
  std::vector<FileWrite> writes;
  for (auto& [path, write] : writes_) writes.push_back(std::move(write));
  writes_.clear();
  return writes;
}

std::vector<std::string> StoredValues::drain_remaining() { return std::move(remaining_); }

}  // namespace muster
