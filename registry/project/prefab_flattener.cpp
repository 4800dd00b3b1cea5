#include "registry/project/prefab_flattener.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "registry/project/prefab_build.h"

namespace muster {
namespace {

using prefab_build::kHashedModelRoot;

// The maximum number of nesting levels. Real projects have fewer than 10 levels.
constexpr std::size_t kMaxNesting = 64;

// The id of the root's transform in models with hashed ids. The id of the root object is
// `kHashedModelRoot`.
constexpr std::int64_t kHashedRootTransform = -8679921383154817045;
constexpr std::int64_t kIdsPerClass = 100000;
constexpr std::uint64_t kMaxMetaBytes = 16ULL * 1024 * 1024;

// Parses the decimal number that ends at `end`; -1 if none exists.
std::int64_t number_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::int64_t value = -1;
  std::from_chars(text.data() + begin, text.data() + end, value);
  return value;
}

// Sets the ids of an imported model's root. Until Unity 2019 the sidecar maps ids to names, and the
// root has the name `//RootNode`. Later versions use hashes of names as ids. If another importer
// wrote the sidecar, the ids stay 0.
void find_root_ids(std::string_view meta, SourceEntity& root) {
  constexpr std::string_view kRootName = "//RootNode";
  if (meta.find("fileIdsGeneration: 2") != std::string_view::npos) {
    root.file_id = kHashedModelRoot;
    root.transform_id = kHashedRootTransform;
  }
  for (std::size_t at = meta.find(kRootName); at != std::string_view::npos;
       at = meta.find(kRootName, at + 1)) {
    // The text is `100000: //RootNode`, or it is `1: 100000` with `second: //RootNode` in the next
    // line.
    std::size_t end = meta.substr(0, at).find_last_of("0123456789");
    if (end == std::string_view::npos) continue;
    const std::int64_t id = number_before(meta, ++end);
    if (id / kIdsPerClass == 1) root.file_id = id;
    if (id / kIdsPerClass == 4) root.transform_id = id;
  }
}

SourcePrefab model_of(const FileReader& files, const Asset& asset) {
  SourcePrefab model;
  model.is_model = true;
  model.has_unknown_objects = true;
  SourceEntity& root = model.entities.emplace_back();
  root.name = asset.path.stem();
  ByteVector buffer;
  const AssetPath meta = asset.path.parent().child(std::string(asset.path.name()) + ".meta");
  const auto bytes = read_whole(files, meta, kMaxMetaBytes, buffer);
  find_root_ids(bytes ? as_text(bytes.value()) : std::string_view{}, root);
  return model;
}

using Flat = PrefabFlattener::Flat;
using FlatPrefabs = std::unordered_map<AssetNumber, std::unique_ptr<const Flat>>;
// Returns the result of an earlier flattening, or null.
using Known = std::function<const Flat*(AssetNumber)>;

// Flattens one prefab and the prefabs that it nests. Reuses only earlier results that do not depend
// on the prefab at which flattening began, so that the order of calls has no effect.
class Flattening {
 public:
  Flattening(const SourceCache& sources, const Scripts& scripts, Known known)
      : sources_(sources), scripts_(scripts), known_(std::move(known)) {}

  const Flat& flatten(AssetNumber asset) {
    if (const auto found = fresh_.find(asset); found != fresh_.end()) return *found->second;
    if (const Flat* known = known_(asset); known != nullptr && !known->is_bent) return *known;
    chain_.push_back({.asset = asset});
    SourcePrefab prefab = build(asset);
    if (!prefab.entities.empty()) {
      prefab.entities.front().prefab = sources_.index().at(asset).guid;
    }
    Step step = std::move(chain_.back());
    chain_.pop_back();
    std::ranges::sort(step.sources);
    step.sources.erase(std::unique(step.sources.begin(), step.sources.end()), step.sources.end());
    prefab.sources = std::move(step.sources);
    if (step.levels > kMaxNesting) keep_only_depth(prefab);
    auto flat = std::make_unique<const Flat>(Flat{std::move(prefab), step.levels, step.is_bent});
    return *fresh_.emplace(asset, std::move(flat)).first->second;
  }

  FlatPrefabs release() { return std::move(fresh_); }

 private:
  SourcePrefab build(AssetNumber asset) {
    const Asset& entry = sources_.index().at(asset);
    if (is_model_path(entry.path)) return model_of(sources_.files(), entry);
    const SourceFile& source = sources_.get(asset);
    if (!source.good()) {
      return unreadable(entry, source.error ? source.error->message : source.read_error->message);
    }
    if (source.tree.documents.empty()) return unreadable(entry, "this file has no objects");
    const prefab_build::Nested nested = [&](const yaml::Reference& reference,
                                            std::vector<PrefabProblem>& problems) {
      return resolve(entry, reference, problems);
    };
    return source.dialect == yaml::Dialect::plain
               ? prefab_build::flatten_plain(source, nested)
               : prefab_build::flatten_unity(source, scripts_, nested);
  }

  static SourcePrefab unreadable(const Asset& asset, const std::string& why) {
    SourcePrefab nothing;
    nothing.is_incomplete = true;
    nothing.problems.push_back(
        {PrefabProblem::Kind::not_readable, asset.path, {}, asset.guid, why, {}});
    return nothing;
  }

  const SourcePrefab* resolve(const Asset& user, const yaml::Reference& reference,
                              std::vector<PrefabProblem>& problems) {
    chain_.back().sources.push_back(reference.guid);
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
    if (const auto at = std::ranges::find(chain_, target, &Step::asset); at != chain_.end()) {
      std::vector<AssetNumber> circle;
      for (auto step = at; step != chain_.end(); ++step) circle.push_back(step->asset);
      problems.push_back({PrefabProblem::Kind::cycle,
                          user.path,
                          reference.position,
                          reference.guid,
                          {},
                          std::move(circle)});
      chain_.back().is_bent = true;
      return nullptr;
    }
    if (chain_.size() >= kMaxNesting) {
      // The first prefab of the chain has too many levels, and its result reports this.
      chain_.back().is_bent = true;
      chain_.back().levels = std::max<std::size_t>(chain_.back().levels, 2);
      return nullptr;
    }
    const Flat& nested = flatten(target);
    std::ranges::copy(nested.prefab.sources, std::back_inserter(chain_.back().sources));
    chain_.back().is_bent = chain_.back().is_bent || nested.is_bent;
    chain_.back().levels = std::max(chain_.back().levels, nested.levels + 1);
    if (nested.levels >= kMaxNesting) {
      problems.push_back(
          {PrefabProblem::Kind::too_deep, user.path, reference.position, reference.guid, {}, {}});
      return nullptr;
    }
    const SourcePrefab& inner = nested.prefab;
    // A cycle is reported for each prefab that leads into it. Otherwise the result would depend on
    // the prefab that is flattened first.
    for (const PrefabProblem& problem : inner.problems) {
      const bool spreads = problem.kind == PrefabProblem::Kind::cycle ||
                           problem.kind == PrefabProblem::Kind::too_deep;
      // Each problem is added once, because copies would double with each level of nesting.
      const bool known = std::ranges::any_of(problems, [&](const PrefabProblem& other) {
        return other.kind == problem.kind && other.path == problem.path &&
               other.position == problem.position && other.chain == problem.chain;
      });
      if (spreads && !known) problems.push_back(problem);
    }
    return &inner;
  }

  // Keeps only the `too_deep` problem, because the rest of the result depends on the start of
  // flattening.
  static void keep_only_depth(SourcePrefab& prefab) {
    const auto first =
        std::ranges::find(prefab.problems, PrefabProblem::Kind::too_deep, &PrefabProblem::kind);
    std::vector<PrefabProblem> kept;
    if (first != prefab.problems.end()) kept.push_back(*first);
    prefab.problems = std::move(kept);
    prefab.entities.clear();
    prefab.is_incomplete = true;
  }

  struct Step {
    AssetNumber asset = kNoAsset;
    std::size_t levels = 1;
    bool is_bent = false;
    std::vector<Guid> sources{};
  };
  const SourceCache& sources_;
  const Scripts& scripts_;
  Known known_;
  FlatPrefabs fresh_;
  std::vector<Step> chain_;
};

}  // namespace

SourceComponent::FieldNode SourceComponent::find(std::string_view path) const {
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
  const FieldNode found = find(path);
  if (found.source == nullptr) return std::nullopt;
  return found.source->tree.scalar(found.node);
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
      const char* const last = text->data() + text->size();
      const auto [end, error] = std::from_chars(text->data(), last, words[i]);
      if (error != std::errc() || end != last) return std::nullopt;
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

// The mutex is not locked during flattening. Two threads may flatten the same prefab with equal
// results; the first result is kept. No thread waits for another thread, so cycles cannot cause a
// deadlock.
const SourcePrefab& PrefabFlattener::flatten(AssetNumber prefab) const {
  const auto find = [&](AssetNumber asset) -> const Flat* {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(asset);
    return found == known_.end() ? nullptr : found->second.get();
  };
  if (const Flat* known = find(prefab)) return known->prefab;
  Flattening flattening(sources_, scripts_, find);
  (void)flattening.flatten(prefab);
  const std::lock_guard lock(mutex_);
  for (auto& [asset, flat] : flattening.release()) {
    if (asset == prefab || !flat->is_bent) known_.emplace(asset, std::move(flat));
  }
  return known_.at(prefab)->prefab;
}

bool is_model_path(const AssetPath& path) {
  constexpr std::array<std::string_view, 11> kExtensions = {
      "fbx", "obj", "dae", "3ds", "dxf", "blend", "max", "ma", "mb", "skp", "gltf"};
  const std::string extension = lower_ascii(path.extension());
  return std::ranges::find(kExtensions, extension) != kExtensions.end() || extension == "glb";
}

bool is_prefab(const SourceCache& sources, AssetNumber asset) {
  const Asset& entry = sources.index().at(asset);
  if (has_extension(entry.path, "prefab")) return true;
  return sources.plain_class(asset) == "Prefab";
}

}  // namespace muster
