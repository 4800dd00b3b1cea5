#include "registry/base/counted.h"

namespace muster {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + "s" : text.append(many);
}

std::string with_article(std::string_view noun) {
  // Words such as "unit" begin with a vowel letter but are spoken with a consonant, so the article
  // is "a".
  const bool sounds_otherwise =
      noun.starts_with("Uni") || noun.starts_with("Use") || noun.starts_with("Eu");
  const bool is_vowel = !noun.empty() && !sounds_otherwise &&
                        std::string_view("AEIOUaeiou").find(noun[0]) != std::string_view::npos;
  return (is_vowel ? "an " : "a ") + std::string(noun);
}

}  // namespace muster
