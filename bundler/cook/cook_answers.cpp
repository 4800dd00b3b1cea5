#include "bundler/cook/cook_answers.h"

#include <utility>

#include "registry/model/open_variants.h"
#include "registry/model/stripped_parts.h"

namespace muster {
namespace {

AssetPath sidecar_of(const AssetPath& path) {
  return path.parent().child(std::string(path.name()) + ".meta");
}

}  // namespace

CookAnswers::CookAnswers(const Project& project,
                         const std::vector<ComponentDescription>& components, ContentOf content_of)
    : project_(project), content_of_(std::move(content_of)) {
  for (const ComponentDescription& component : components) {
    // The default value is not part of the identity of a description, but affects the cooked bytes.
    ContentHasher hasher;
    const ContentHash identity = component.hash();
    hasher.update(std::as_bytes(std::span(identity.bytes)));
    hasher.update(component.default_value);
    components_.emplace(component.name, hasher.finish());
  }
}

ContentHash CookAnswers::answer_of_file(CookQuestionKind kind, const Guid& guid) const {
  const AssetNumber asset = project_.index().find(guid);
  if (asset == kNoAsset) return {};
  const AssetPath& path = project_.index().at(asset).path;
  switch (kind) {
    case CookQuestionKind::sidecar:
      return content_of_(sidecar_of(path));
    case CookQuestionKind::extension:
    case CookQuestionKind::name:
      return answer_for_path(kind, path);
    default:
      return content_of_(path);
  }
}

ContentHash CookAnswers::answer(const CookQuestion& question, Target target) const {
  switch (question.kind) {
    case CookQuestionKind::stripping:
    case CookQuestionKind::script_stripping: {
      const StripRules& rules = project_.config().strip[target_index(target)];
      const bool is_engines = question.kind == CookQuestionKind::stripping;
      const auto owner = is_engines ? ClassOwner::engine : ClassOwner::project;
      return rules.strips_class(question.text, owner) ? hash_of_text("stripped") : ContentHash();
    }
    case CookQuestionKind::script:
      return hash_of_text(project_.scripts().class_of(question.guid));
    case CookQuestionKind::component: {
      const auto found = components_.find(question.text);
      return found == components_.end() ? ContentHash() : found->second;
    }
    case CookQuestionKind::factory: {
      const bool is_factory = project_.scripts().derives_from(question.text, kFactoryClass);
      return is_factory ? hash_of_text("factory") : ContentHash();
    }
    case CookQuestionKind::packed_guid: {
      const AssetNumber asset = project_.index().find(question.guid);
      return asset == kNoAsset ? ContentHash() : hash_bytes(packed_guid(project_, asset).bytes());
    }
    default:
      return answer_of_file(question.kind, question.guid);
  }
}

}  // namespace muster
