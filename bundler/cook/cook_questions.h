// The dependencies of an asset's cooked bytes. Each dependency is a question about the project. If
// the answers are equal to the answers in an earlier build, the cooked bytes are also equal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/content_hash.h"
#include "registry/model/project.h"

namespace muster {

/// The kinds of questions. The numbers are stored in the state of builds.
enum class CookQuestionKind : std::uint8_t {
  content = 1,           ///< The bytes of the file with a guid.
  sidecar = 2,           ///< The bytes of the sidecar of the file.
  extension = 3,         ///< The extension of the file, which determines its kind.
  name = 4,              ///< The name of the file, which becomes the name of an entity.
  script = 5,            ///< The class of the script with a guid.
  component = 6,         ///< The description of a component, by its name; it may be missing.
  factory = 7,           ///< Whether a class is a factory class.
  stripping = 8,         ///< Whether the target leaves out components of an engine class.
  script_stripping = 9,  ///< Whether the target leaves out components of a script's class. An
                         ///< engine class can have the same name.
  packed_guid = 10,      ///< The guid under which the file with a guid is packed.
};
inline constexpr CookQuestionKind kFirstQuestionKind = CookQuestionKind::content;
inline constexpr CookQuestionKind kLastQuestionKind = CookQuestionKind::packed_guid;

/// A question about `guid`, or about `text` for components and classes. The unused member is empty.
struct CookQuestion {
  CookQuestionKind kind = CookQuestionKind::content;
  Guid guid{};
  std::string text{};
  friend auto operator<=>(const CookQuestion&, const CookQuestion&) = default;
};

/// A question with its answer. The answer is the hash of the data that the question asks for; all
/// zero if there is no such data.
struct CookFact {
  CookQuestion question;
  ContentHash answer{};
  friend auto operator<=>(const CookFact&, const CookFact&) = default;
};

/// Whether the answer may differ between client and server.
constexpr bool depends_on_target(CookQuestionKind kind) {
  return kind == CookQuestionKind::stripping || kind == CookQuestionKind::script_stripping;
}
/// Whether a target leaves out components of a class.
CookQuestion question_of_stripping(std::string_view class_name, ClassOwner owner);

/// Adds the questions about a text asset and all sources of its flattened form: contents, sidecars,
/// names and the classes of scripts. `prefab` is null if the asset is not a prefab.
void add_text_questions(const Project& project, AssetNumber asset, const SourcePrefab* prefab,
                        std::vector<CookQuestion>& questions);
/// Adds the questions whether a target leaves out component classes, for all components in the file
/// of a prefab or level.
void add_stripping_questions(const Project& project, const SourceFile& source,
                             std::vector<CookQuestion>& questions);
/// Adds the questions about an asset that is packed byte for byte.
void add_raw_questions(const Guid& guid, std::vector<CookQuestion>& questions);

/// The answer whose data is a text; all zero if the text is empty.
ContentHash hash_of_text(std::string_view text);
/// The answer to a question about the extension or the name of a file with this path.
ContentHash answer_for_path(CookQuestionKind kind, const AssetPath& path);

}  // namespace muster
