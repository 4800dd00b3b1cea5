// C# is not parsed: after comments and strings are blanked, `class NAME` up to the next `{` is
// enough to know what a class derives from.
#include "registry/project/scripts.h"

#include <algorithm>
#include <cctype>

namespace muster {
namespace {

constexpr std::uint64_t kMaxScriptBytes = 16 * 1024 * 1024;
// Longer chains of inheritance than this are a circle.
constexpr int kMaxInheritance = 64;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Replaces comments and string contents by blanks, keeping the length.
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
    } else if (source[i] == '"') {
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != '"' && source[end] != '\n') {
        end += source[end] == '\\' ? 2U : 1U;
      }
      blank_to(end + 1);
    } else {
      ++i;
    }
  }
  return text;
}

std::string last_name(std::string_view qualified) {
  const std::size_t dot = qualified.rfind('.');
  return std::string(dot == std::string_view::npos ? qualified : qualified.substr(dot + 1));
}

// Reads `A, B.C<D, E>, F` into {A, C, F}.
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
    if (depth == 0 && c == ',') finish();
    if (c == '>') --depth;
  }
  finish();
  return names;
}

}  // namespace

std::set<std::string> base_classes_in(std::string_view source, std::string_view class_name) {
  const std::string text = blank_comments_and_strings(source);
  constexpr std::string_view kKeyword = "class ";
  for (std::size_t at = text.find(kKeyword); at != std::string::npos;
       at = text.find(kKeyword, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t begin = at + kKeyword.size();
    while (begin < text.size() && text[begin] == ' ') ++begin;
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    if (std::string_view(text).substr(begin, end - begin) != class_name) continue;
    const std::size_t brace = std::min(text.find('{', end), text.size());
    std::string_view head = std::string_view(text).substr(end, brace - end);
    if (const std::size_t where = head.find(" where "); where != std::string_view::npos) {
      head = head.substr(0, where);
    }
    const std::size_t colon = head.find(':');
    if (colon == std::string_view::npos) continue;  // one part of a partial class
    return names_in_list(head.substr(colon + 1));
  }
  return {};
}

Scripts::Scripts(const FileSystem& files, const AssetIndex& index) : files_(files), index_(index) {
  for (AssetNumber number = 0; number < index.assets().size(); ++number) {
    const AssetPath& path = index.at(number).path;
    if (path.extension() == "cs") by_stem_.emplace(path.stem(), number);
  }
}

void Scripts::declare(const Guid& script, std::string class_name) {
  declared_[script] = std::move(class_name);
}

std::string Scripts::class_of(const Guid& script) const {
  if (const auto found = declared_.find(script); found != declared_.end()) return found->second;
  const AssetNumber number = index_.find(script);
  if (number == kNoAsset || index_.at(number).path.extension() != "cs") return {};
  return std::string(index_.at(number).path.stem());
}

const std::set<std::string>& Scripts::bases_of(const std::string& class_name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = bases_.find(class_name); found != bases_.end()) return found->second;
  std::set<std::string> bases;
  ByteVector buffer;
  for (auto [entry, end] = by_stem_.equal_range(class_name); entry != end; ++entry) {
    const auto bytes = read_whole(files_, index_.at(entry->second).path, kMaxScriptBytes, buffer);
    if (bytes) bases.merge(base_classes_in(as_text(bytes.value()), class_name));
  }
  return bases_.emplace(class_name, std::move(bases)).first->second;
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
