#include "registry/model/path_query.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

bool is_reference(const SourceNode& at) {
  const yaml::Node& node = at.source->tree.at(at.node);
  return node.kind == yaml::NodeKind::mapping && at.source->tree.find(at.node, "fileID") != kNoNode;
}

}  // namespace

Result<AnyReference> any_reference_at(const SourceNode& at) {
  if (is_reference(at)) {
    const auto strong = yaml::reference_at(at.source->tree, at.node);
    if (!strong) return fail(strong.error());
    return AnyReference{strong.value().guid, strong.value().file_id, true};
  }
  const auto weak = yaml::weak_reference_at(at.source->tree, at.node);
  if (!weak) return fail(weak.error());
  return AnyReference{weak.value(), 0, false};
}

SourceNode PathQuery::follow(const SourceNode& at) {
  if (!at.exists() || !is_reference(at)) return at;
  const auto reference = yaml::reference_at(at.source->tree, at.node);
  if (!reference) {
    problems_.push_back({ModelProblem::Kind::malformed_reference,
                         at.location(),
                         {},
                         kNoAsset,
                         reference.error().message});
    return {};
  }
  if (reference.value().is_null()) return {};
  if (reference.value().guid.is_null()) return object_in(*at.source, reference.value(), at);
  const AssetNumber asset = sources_.index().find(reference.value().guid);
  if (asset == kNoAsset) {
    problems_.push_back({ModelProblem::Kind::unresolved, at.location(), reference.value().guid,
                         kNoAsset, "a definition that does not exist"});
    return {};
  }
  const SourceFile& target = sources_.get(asset);
  if (!target.good()) {
    problems_.push_back(
        {ModelProblem::Kind::unreadable, at.location(), reference.value().guid, asset, {}});
    return {};
  }
  return object_in(target, reference.value(), at);
}

SourceNode PathQuery::object_in(const SourceFile& file, const yaml::Reference& reference,
                                const SourceNode& user) {
  const SourceNode object{&file, file.fields_of(file.document_of(reference.file_id))};
  if (object.exists()) return object;
  problems_.push_back(
      {ModelProblem::Kind::wrong_target, user.location(), reference.guid, kNoAsset,
       "'" + file.path.text() + "' has no object " + std::to_string(reference.file_id)});
  return {};
}

std::vector<SourceNode> PathQuery::find(const SourceNode& start, std::string_view path) {
  std::vector<SourceNode> found;
  if (start.exists()) found.push_back(start);
  while (!path.empty() && !found.empty()) {
    const std::size_t dot = path.find('.');
    std::string_view key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    const bool each = key.ends_with("[]");
    if (each) key.remove_suffix(2);
    std::vector<SourceNode> next;
    for (const SourceNode& at : found) {
      const SourceNode holder = follow(at);
      if (!holder.exists()) continue;
      const SourceNode value{holder.source, holder.source->tree.find(holder.node, key)};
      if (!value.exists()) continue;
      const yaml::Tree& tree = value.source->tree;
      if (!each) {
        next.push_back(value);
      } else if (tree.at(value.node).kind == yaml::NodeKind::sequence) {
        for (const NodeIndex item : Children(tree, value.node)) {
          next.push_back({value.source, item});
        }
      }
    }
    found = std::move(next);
  }
  return found;
}

SourceNode PathQuery::find_one(const SourceNode& start, std::string_view path) {
  const auto found = find(start, path);
  return found.empty() ? SourceNode{} : found.front();
}

bool PathQuery::has(const SourceNode& start, std::string_view key) {
  const bool as_list = key.ends_with("[]");
  if (as_list) key.remove_suffix(2);
  const SourceNode value = find_one(start, key);
  if (!value.exists()) return false;
  return !as_list || value.source->tree.at(value.node).kind == yaml::NodeKind::sequence;
}

}  // namespace muster
