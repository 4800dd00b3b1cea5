// C# is not parsed. Comments and strings are replaced by spaces. Then the text from `class NAME` to
// the next `{` contains the base classes.
#include "registry/project/scripts.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace muster {
namespace {

constexpr std::uint64_t kMaxScriptBytes = 16ULL * 1024 * 1024;
// The maximum length of a chain of base classes, so that a search in a cycle ends.
constexpr int kMaxInheritance = 64;

constexpr std::string_view kBlanks = " \t\r\n";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The offset of the next occurrence of a whole word.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

// The offset after the string or character literal that begins at `at`.
std::size_t end_of_literal(std::string_view source, std::size_t at) {
  const char quote = source[at];
  const std::string_view before = source.substr(0, at);
  const bool is_verbatim = quote == '"' && (before.ends_with('@') || before.ends_with("@$"));
  std::size_t end = at + 1;
  while (end < source.size() && (is_verbatim || source[end] != '\n')) {
    if (is_verbatim ? source.substr(end, 2) == "\"\"" : source[end] == '\\') {
      end += 2;
    } else if (source[end++] == quote) {
      break;
    }
  }
  return std::min(end, source.size());
}

// Replaces comments and literals by spaces. Keeps the length of the text.
std::string blank_comments_and_strings(std::string_view source) {
  std::string text(source);
  std::size_t i = 0;
  const auto blank_to = [&](std::size_t end) {
    for (; i < std::min(end, text.size()); ++i) text[i] = ' ';
  };
  while (i < text.size()) {
    if (source.substr(i, 2) == "//") {
      blank_to(std::min(source.find('\n', i), text.size()));
    } else if (source.substr(i, 2) == "/*") {
      const std::size_t end = source.find("*/", i + 2);
      blank_to(end == std::string_view::npos ? text.size() : end + 2);
    } else if (source[i] == '"' || source[i] == '\'') {
      blank_to(end_of_literal(source, i));
    } else {
      ++i;
    }
  }
  return text;
}

// Converts a UTF-16 script to ASCII. Class names with other characters are not found.
std::string narrowed(std::string_view source) {
  std::string text(source);
  if (source.starts_with("\xFF\xFE") || source.starts_with("\xFE\xFF")) std::erase(text, '\0');
  return text;
}

std::string last_name(std::string_view qualified) {
  const std::size_t dot = qualified.rfind('.');
  return std::string(dot == std::string_view::npos ? qualified : qualified.substr(dot + 1));
}

// Parses `A, B.C<D, E>, F` as {A, C, F}.
std::set<std::string> names_in_list(std::string_view list) {
  std::set<std::string> names;
  std::string current;
  int depth = 0;
  const auto finish = [&] {
    if (!current.empty()) names.insert(last_name(current));
    current.clear();
  };
  for (const char c : list) {
    if (c == '<') ++depth;
    if (depth == 0 && (is_word(c) || c == '.')) current.push_back(c);
    if (depth == 0 && c == ':') current.push_back('.');  // `global::Base`
    if (depth == 0 && c == ',') finish();
    if (c == '>') --depth;
  }
  finish();
  return names;
}

}  // namespace

std::set<std::string> base_classes_in(std::string_view source, std::string_view class_name) {
  const std::string blanked = blank_comments_and_strings(source);
  const std::string_view text = blanked;
  std::set<std::string> bases;
  for (std::size_t at = find_word(text, "class", 0); at != std::string_view::npos;
       at = find_word(text, "class", at + 1)) {
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks, at + 5), text.size());
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text.substr(begin, end - begin) != class_name) continue;
    std::string_view head = text.substr(end, std::min(text.find('{', end), text.size()) - end);
    head = head.substr(0, find_word(head, "where", 0));
    const std::size_t colon = head.find(':');
    // Each part of a partial class can name base classes.
    if (colon != std::string_view::npos) bases.merge(names_in_list(head.substr(colon + 1)));
  }
  return bases;
}

Scripts::Scripts(const FileReader& files, const AssetIndex& index) : files_(files), index_(index) {
  for (AssetNumber number = 0; number < index.assets().size(); ++number) {
    const AssetPath& path = index.at(number).path;
    if (has_extension(path, "cs")) by_stem_.emplace(path.stem(), number);
  }
}

void Scripts::declare(const Guid& script, std::string class_name) {
  declared_[script] = std::move(class_name);
}

std::string Scripts::class_of(const Guid& script) const {
  if (const auto found = declared_.find(script); found != declared_.end()) return found->second;
  const AssetNumber number = index_.find(script);
  if (number == kNoAsset || !has_extension(index_.at(number).path, "cs")) return {};
  return std::string(index_.at(number).path.stem());
}

const std::set<std::string>& Scripts::bases_of(const std::string& class_name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = bases_.find(class_name); found != bases_.end()) return found->second;
  std::set<std::string> bases;
  ByteVector buffer;
  for (auto [entry, end] = by_stem_.equal_range(class_name); entry != end; ++entry) {
    const auto bytes = read_whole(files_, index_.at(entry->second).path, kMaxScriptBytes, buffer);
    if (bytes) {
      bases.merge(base_classes_in(narrowed(as_text(bytes.value())), class_name));
    } else {
      read_failures_.push_back({entry->second, bytes.error()});
    }
  }
  return bases_.emplace(class_name, std::move(bases)).first->second;
}

std::vector<ReadFailure> Scripts::read_failures() const {
  const std::lock_guard lock(mutex_);
  return read_failures_;
}

bool Scripts::derives_from(std::string_view class_name, std::string_view base) const {
  std::set<std::string> level{std::string(class_name)};
  std::set<std::string> seen;
  for (int step = 0; step < kMaxInheritance && !level.empty(); ++step) {
    if (level.contains(std::string(base))) return true;
    std::set<std::string> above;
    for (const std::string& name : level) {
      if (!seen.insert(name).second) continue;
      const auto& bases = bases_of(name);
      above.insert(bases.begin(), bases.end());
    }
    level = std::move(above);
  }
  return false;
}

bool Scripts::is_surely_no(std::string_view class_name, std::string_view base) const {
  constexpr std::array<std::string_view, 3> kEngineBases = {"ScriptableObject", "MonoBehaviour",
                                                            "Object"};
  const auto is_interface = [](std::string_view name) {
    return name.size() > 1 && name[0] == 'I' && name[1] >= 'A' && name[1] <= 'Z';
  };
  std::vector<std::string> queue{std::string(class_name)};
  std::set<std::string> seen(queue.begin(), queue.end());
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::string name = queue[i];
    if (name == base) return false;
    if (!by_stem_.contains(name)) {
      const bool is_engine = std::ranges::find(kEngineBases, name) != kEngineBases.end();
      if (!is_engine && (i == 0 || !is_interface(name))) return false;
      continue;
    }
    const auto& bases = bases_of(name);
    // The class may be partial, and another file may name more base classes.
    if (bases.empty() && i == 0) return false;
    for (const std::string& above : bases) {
      if (seen.insert(above).second) queue.push_back(above);
    }
  }
  return true;
}

std::vector<Guid> Scripts::scripts_deriving_from(std::string_view base) const {
  std::vector<Guid> guids;
  for (const auto& [stem, number] : by_stem_) {
    if (derives_from(stem, base)) guids.push_back(index_.at(number).guid);
  }
  for (const auto& [guid, class_name] : declared_) {
    if (derives_from(class_name, base)) guids.push_back(guid);
  }
  std::ranges::sort(guids);
  guids.erase(std::unique(guids.begin(), guids.end()), guids.end());
  return guids;
}

}  // namespace muster
