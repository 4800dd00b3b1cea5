#include "registry/base/asset_path.h"

#include <cassert>

namespace muster {

Result<AssetPath> AssetPath::parse(std::string_view text) {
  if (!text.empty() && text.front() == '/') {
    return fail(ErrorCode::invalid_argument,
                "'" + std::string(text) + "' is absolute; give a path inside the project");
  }
  if (text.find('\0') != std::string_view::npos || text.find('\\') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument, "a path has no NUL and no backslash");
  }
  AssetPath path;
  while (!text.empty()) {
    const std::size_t slash = text.find('/');
    const std::string_view part = text.substr(0, slash);
    text = slash == std::string_view::npos ? std::string_view{} : text.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      path = path.child(part);
      continue;
    }
    if (path.empty()) {
      return fail(ErrorCode::invalid_argument, "a path must not leave the project ('..')");
    }
    path = path.parent();
  }
  return path;
}

AssetPath AssetPath::child(std::string_view name) const {
  assert(!name.empty() && name.find('/') == std::string_view::npos);
  AssetPath result;
  result.text_.reserve(text_.size() + 1 + name.size());
  result.text_ = text_;
  if (!result.text_.empty()) result.text_.push_back('/');
  result.text_.append(name);
  return result;
}

AssetPath AssetPath::parent() const {
  AssetPath result;
  const std::size_t slash = text_.rfind('/');
  if (slash != std::string::npos) result.text_ = text_.substr(0, slash);
  return result;
}

std::string_view AssetPath::name() const {
  const std::size_t slash = text_.rfind('/');
  return slash == std::string::npos ? std::string_view(text_)
                                    : std::string_view(text_).substr(slash + 1);
}

std::string_view AssetPath::extension() const {
  const std::string_view last = name();
  const std::size_t dot = last.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : last.substr(dot + 1);
}

std::string_view AssetPath::stem() const {
  const std::string_view last = name();
  return last.substr(0, last.rfind('.'));
}

bool AssetPath::is_within(const AssetPath& folder) const {
  if (folder.empty()) return true;
  if (!text_.starts_with(folder.text_)) return false;
  return text_.size() == folder.text_.size() || text_[folder.text_.size()] == '/';
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool has_extension(const AssetPath& path, std::string_view extension) {
  return lower_ascii(path.extension()) == extension;
}

}  // namespace muster
