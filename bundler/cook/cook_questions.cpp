// Only real dependencies become questions, so that a renamed file, or a change in another file,
// does not cause cooking again. The dependencies come from the flattener and from the documents of
// each source. The name of a file is a dependency only if it becomes the name of an entity: for
// plain prefabs without a `name`, for factories, and for imported models.
#include "bundler/cook/cook_questions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "registry/model/plain_components.h"
#include "registry/model/stripped_parts.h"

namespace muster {
namespace {

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

ContentHash hash_of_text(std::string_view text) {
  return text.empty() ? ContentHash() : hash_bytes(as_bytes(text));
}

ContentHash answer_for_path(CookQuestionKind kind, const AssetPath& path) {
  return hash_of_text(kind == CookQuestionKind::extension ? path.extension() : path.name());
}

}  // namespace muster
