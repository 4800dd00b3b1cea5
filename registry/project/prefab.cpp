#include "registry/project/prefab.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "registry/project/prefab_build.h"

namespace muster {
namespace {

using prefab_build::kHashedModelRoot;

// Real projects nest below ten levels.
constexpr std::size_t kMaxNesting = 64;

// The transform's id where ids are hashes; the object's is `kHashedModelRoot`.
constexpr std::int64_t kHashedRootTransform = -8679921383154817045;
constexpr std::int64_t kIdsPerClass = 100000;
constexpr std::uint64_t kMaxMetaBytes = 16 * 1024 * 1024;

// Reads the number that ends at `end`, or -1.
std::int64_t number_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::int64_t value = -1;
  std::from_chars(text.data() + begin, text.data() + end, value);
  return value;
}

// The ids of an imported model's root. Until 2019 the sidecar maps ids to names, and the root is
// called `//RootNode` there; since then ids are hashes of names. A sidecar that says neither
// (another importer's) leaves them 0: whoever mentions the model has to tell.
void find_root_ids(std::string_view meta, SourceEntity& root) {
  constexpr std::string_view kRootName = "//RootNode";
  if (meta.find("fileIdsGeneration: 2") != std::string_view::npos) {
    root.file_id = kHashedModelRoot;
    root.transform_id = kHashedRootTransform;
  }
  for (std::size_t at = meta.find(kRootName); at != std::string_view::npos;
       at = meta.find(kRootName, at + 1)) {
    // `100000: //RootNode`, or `1: 100000` on the line before `second: //RootNode`.
    std::size_t end = meta.substr(0, at).find_last_of("0123456789");
    if (end == std::string_view::npos) continue;
    const std::int64_t id = number_before(meta, ++end);
    if (id / kIdsPerClass == 1) root.file_id = id;
    if (id / kIdsPerClass == 4) root.transform_id = id;
  }
}

SourcePrefab model_of(const FileSystem& files, const Asset& asset) {
  SourcePrefab model;
  model.is_model = true;
  SourceEntity& root = model.entities.emplace_back();
  root.name = asset.path.stem();
  ByteVector buffer;
  const AssetPath meta = asset.path.parent().child(std::string(asset.path.name()) + ".meta");
  const auto bytes = read_whole(files, meta, kMaxMetaBytes, buffer);
  find_root_ids(bytes ? as_text(bytes.value()) : std::string_view{}, root);
  return model;
}

// One flattening, with the chain of prefabs that are being flattened around it.
class Flattening {
 public:
  Flattening(const SourceCache& sources, const Scripts& scripts,
             const std::unordered_map<AssetNumber, std::unique_ptr<SourcePrefab>>& known)
      : sources_(sources), scripts_(scripts), known_(known) {}

  const SourcePrefab& flatten(AssetNumber asset) {
    if (const auto found = known_.find(asset); found != known_.end()) return *found->second;
    if (const auto found = fresh_.find(asset); found != fresh_.end()) return *found->second;
    chain_.push_back(asset);
    auto result = std::make_unique<SourcePrefab>(build(asset));
    chain_.pop_back();
    return *fresh_.emplace(asset, std::move(result)).first->second;
  }

  std::unordered_map<AssetNumber, std::unique_ptr<SourcePrefab>> take() {
    return std::move(fresh_);
  }

 private:
  SourcePrefab build(AssetNumber asset) {
    const Asset& entry = sources_.index().at(asset);
    if (is_model_path(entry.path)) return model_of(sources_.files(), entry);
    const SourceFile& source = sources_.get(asset);
    if (!source.good()) {
      SourcePrefab nothing;
      nothing.is_incomplete = true;
      nothing.problems.push_back({PrefabProblem::Kind::not_readable,
                                  entry.path,
                                  {},
                                  entry.guid,
                                  source.error ? source.error->message : source.read_error->message,
                                  {}});
      return nothing;
    }
    const prefab_build::Nested nested = [&](const yaml::Reference& reference,
                                            std::vector<PrefabProblem>& problems) {
      return resolve(entry, reference, problems);
    };
    return source.dialect == yaml::Dialect::plain
               ? prefab_build::flatten_plain(source, nested)
               : prefab_build::flatten_unity(source, scripts_, nested);
  }

  const SourcePrefab* resolve(const Asset& user, const yaml::Reference& reference,
                              std::vector<PrefabProblem>& problems) {
    const AssetNumber target = sources_.index().find(reference.guid);
    if (target == kNoAsset) {
      problems.push_back({PrefabProblem::Kind::missing_source,
                          user.path,
                          reference.position,
                          reference.guid,
                          {},
                          {}});
      return nullptr;
    }
    if (const auto at = std::ranges::find(chain_, target); at != chain_.end()) {
      problems.push_back({PrefabProblem::Kind::cycle,
                          user.path,
                          reference.position,
                          reference.guid,
                          {},
                          {at, chain_.end()}});
      return nullptr;
    }
    if (chain_.size() >= kMaxNesting) {
      problems.push_back(
          {PrefabProblem::Kind::too_deep, user.path, reference.position, reference.guid, {}, {}});
      return nullptr;
    }
    const SourcePrefab& inner = flatten(target);
    // A circle is everybody's problem who is drawn into it: without this, whoever is flattened
    // first would look clean.
    for (const PrefabProblem& problem : inner.problems) {
      const bool spreads = problem.kind == PrefabProblem::Kind::cycle ||
                           problem.kind == PrefabProblem::Kind::too_deep;
      // Once is enough: copies would double with every level of nesting.
      const bool known = std::ranges::any_of(problems, [&](const PrefabProblem& other) {
        return other.kind == problem.kind && other.path == problem.path &&
               other.position == problem.position && other.chain == problem.chain;
      });
      if (spreads && !known) problems.push_back(problem);
    }
    return &inner;
  }

  const SourceCache& sources_;
  const Scripts& scripts_;
  const std::unordered_map<AssetNumber, std::unique_ptr<SourcePrefab>>& known_;
  std::unordered_map<AssetNumber, std::unique_ptr<SourcePrefab>> fresh_;
  std::vector<AssetNumber> chain_;
};

bool has_cycle(const SourcePrefab& prefab) {
  return std::ranges::any_of(prefab.problems, [](const PrefabProblem& problem) {
    return problem.kind == PrefabProblem::Kind::cycle;
  });
}

}  // namespace

SourceComponent::Place SourceComponent::find(std::string_view path) const {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const yaml::NodeIndex node = layer->source->tree.find_path(layer->fields, path);
    if (node != yaml::kNoNode) return {layer->source, node};
  }
  return {};
}

std::optional<std::string_view> SourceComponent::scalar(std::string_view path) const {
  for (auto change = overrides.rbegin(); change != overrides.rend(); ++change) {
    if (change->path == path) return change->value;
  }
  const Place place = find(path);
  if (place.source == nullptr) return std::nullopt;
  return place.source->tree.scalar(place.node);
}

std::optional<Guid> SourceComponent::weak_reference(std::string_view path) const {
  const std::string prefix(path);
  if (const auto text = scalar(prefix + ".guid"); text) {
    const auto guid = text->empty() ? Result<Guid>(Guid()) : Guid::parse_any_case(*text);
    return guid ? std::optional(guid.value()) : std::nullopt;
  }
  if (scalar(prefix + ".val0")) {
    WeakReferenceWords words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto text = scalar(prefix + ".val" + std::to_string(i));
      if (!text) return std::nullopt;
      words[i] = static_cast<std::int32_t>(std::strtol(std::string(*text).c_str(), nullptr, 10));
    }
    return guid_from_words(words);
  }
  const auto text = scalar(path);
  if (!text) return std::nullopt;
  if (text->empty()) return Guid();
  const auto guid = Guid::parse_any_case(*text);
  return guid ? std::optional(guid.value()) : std::nullopt;
}

const SourceComponent* SourceEntity::find(std::string_view class_name) const {
  const auto found = std::ranges::find(components, class_name, &SourceComponent::class_name);
  return found == components.end() ? nullptr : &*found;
}

const SourcePrefab& PrefabFlattener::flatten(AssetNumber prefab) const {
  const std::lock_guard lock(mutex_);
  Flattening flattening(sources_, scripts_, known_);
  (void)flattening.flatten(prefab);
  // What was flattened inside a circle depends on where the circle was entered: only the prefab
  // that was asked for is remembered then.
  for (auto& [asset, flat] : flattening.take()) {
    if (asset == prefab || !has_cycle(*flat)) known_.emplace(asset, std::move(flat));
  }
  return *known_.at(prefab);
}

bool is_model_path(const AssetPath& path) {
  constexpr std::array<std::string_view, 11> kExtensions = {
      "fbx", "obj", "dae", "3ds", "dxf", "blend", "max", "ma", "mb", "skp", "gltf"};
  std::string extension(path.extension());
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(kExtensions, extension) != kExtensions.end() || extension == "glb";
}

bool is_prefab(const SourceCache& sources, AssetNumber asset) {
  const Asset& entry = sources.index().at(asset);
  if (entry.path.extension() == "prefab") return true;
  return sources.plain_class(asset) == "Prefab";
}

}  // namespace muster
