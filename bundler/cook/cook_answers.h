// Answers the questions on which the cooked bytes of an asset depend.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bundler/cook/cook_questions.h"
#include "registry/base/content_hash.h"
#include "registry/components/component.h"
#include "registry/model/project.h"

namespace muster {

/// Answers questions about a project. If the answers to all questions of an asset are equal, its
/// cooked bytes are equal. Several threads may use this object.
class CookAnswers {
 public:
  /// Returns the hash of a file's bytes; all zero if the file cannot be read.
  using ContentOf = std::function<ContentHash(const AssetPath&)>;

  CookAnswers(const Project& project, const std::vector<ComponentDescription>& components,
              ContentOf content_of);

  /// Answers a question. `target` is used only if the question `depends_on_target`.
  ContentHash answer(const CookQuestion& question, Target target) const;

 private:
  ContentHash answer_of_file(CookQuestionKind kind, const Guid& guid) const;

  const Project& project_;
  std::map<std::string, ContentHash, std::less<>> components_;
  ContentOf content_of_;
};

}  // namespace muster
