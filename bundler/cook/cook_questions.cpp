// Only real dependencies become questions, so that a renamed file, or a change in another file,
// does not cause cooking again. The dependencies come from the flattener and from the documents of
// each source. The name of a file is a dependency only if it becomes the name of an entity: for
// plain prefabs without a `name`, for factories, and for imported models.
#include "bundler/cook/cook_questions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "registry/model/open_variants.h"
#include "registry/model/plain_components.h"
#include "registry/model/stripped_parts.h"

namespace muster {
namespace {

AssetPath sidecar_of(const AssetPath& path) {
  return path.parent().child(std::string(path.name()) + ".meta");
}

ContentHash hash_of_text(std::string_view text) {
  return text.empty() ? ContentHash() : hash_bytes(as_bytes(text));
}

void add_file_questions(const Guid& guid, CookQuestionKind name,
                        std::vector<CookQuestion>& questions) {
  questions.push_back({.kind = CookQuestionKind::content, .guid = guid});
  questions.push_back({.kind = CookQuestionKind::sidecar, .guid = guid});
  questions.push_back({.kind = name, .guid = guid});
}

// Adds the questions about one source. If the source is part of a flattened prefab, its file name
// can become the name of an entity.
void add_source_questions(const Project& project, AssetNumber asset, bool is_flattened,
                          std::vector<CookQuestion>& questions) {
  const SourceFile& source = project.sources().get(asset);
  const bool is_named =
      is_flattened && source.dialect == yaml::Dialect::plain && is_named_by_file(source);
  add_file_questions(source.guid, is_named ? CookQuestionKind::name : CookQuestionKind::extension,
                     questions);
  for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
    const yaml::NodeIndex fields = source.fields_of(static_cast<int>(i));
    const auto script = yaml::reference_at(source.tree, source.tree.find(fields, "m_Script"));
    if (script)
      questions.push_back({.kind = CookQuestionKind::script, .guid = script.value().guid});
  }
}

}  // namespace

void add_raw_questions(const Guid& guid, std::vector<CookQuestion>& questions) {
  add_file_questions(guid, CookQuestionKind::extension, questions);
}

void add_stripping_questions(const Project& project, const SourceFile& source,
                             std::vector<CookQuestion>& questions) {
  std::set<std::pair<std::string, ClassOwner>> classes;
  for (StrippedPart& part : component_parts(source, project.scripts())) {
    classes.emplace(std::move(part.class_name), part.owner);
  }
  for (const auto& [name, owner] : classes) {
    questions.push_back(question_of_stripping(name, owner));
  }
}

CookQuestion question_of_stripping(std::string_view class_name, ClassOwner owner) {
  const bool is_engines = owner == ClassOwner::engine;
  return {.kind = is_engines ? CookQuestionKind::stripping : CookQuestionKind::script_stripping,
          .guid = {},
          .text = std::string(class_name)};
}

void add_text_questions(const Project& project, AssetNumber asset, const SourcePrefab* prefab,
                        std::vector<CookQuestion>& questions) {
  add_source_questions(project, asset, prefab != nullptr, questions);
  if (prefab == nullptr) return;
  for (const Guid& guid : prefab->sources) {
    const AssetNumber nested = project.index().find(guid);
    if (nested == kNoAsset) {
      // The question about the content also covers whether the file exists.
      questions.push_back({.kind = CookQuestionKind::content, .guid = guid});
    } else if (is_model_path(project.index().at(nested).path)) {
      // Cooking does not read the content of a model.
      questions.push_back({.kind = CookQuestionKind::sidecar, .guid = guid});
      questions.push_back({.kind = CookQuestionKind::name, .guid = guid});
    } else {
      add_source_questions(project, nested, true, questions);
    }
  }
}

ContentHash answer_for_path(CookQuestionKind kind, const AssetPath& path) {
  return hash_of_text(kind == CookQuestionKind::extension ? path.extension() : path.name());
}

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
