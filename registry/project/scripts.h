// The classes of script assets, and their base classes.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "registry/project/asset_index.h"

namespace muster {

/// Names of script classes. A `.cs` asset contains the class with the name of its file (Unity's
/// rule); classes in assemblies are known only if the project declares their guid. Safe to use from
/// several threads.
class Scripts {
 public:
  Scripts(const FileReader& files, const AssetIndex& index);

  /// Declares the class of the script with this guid, independently of its file name.
  void declare(const Guid& script, std::string class_name);

  /// The class for an `m_Script` guid; empty if unknown.
  std::string class_of(const Guid& script) const;

  /// True if `class_name` is `base` or derives from it, as far as the project's sources show:
  /// searches `class X : Base` in `X.cs`, and continues with the base.
  bool derives_from(std::string_view class_name, std::string_view base) const;

  /// True if the project's sources show all base classes of `class_name`, and `base` is not one of
  /// them. A class that is neither in the tree nor in the engine may have any base.
  bool is_surely_no(std::string_view class_name, std::string_view base) const;

  /// The guids of all scripts whose class is `base` or derives from it, sorted.
  std::vector<Guid> scripts_deriving_from(std::string_view base) const;

  /// The sources that could not be read so far; their base classes are unknown. Unordered.
  std::vector<ReadFailure> read_failures() const;

 private:
  const std::set<std::string>& bases_of(const std::string& class_name) const;

  const FileReader& files_;
  const AssetIndex& index_;
  std::unordered_map<Guid, std::string> declared_;
  std::multimap<std::string, AssetNumber, std::less<>> by_stem_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::set<std::string>> bases_;
  mutable std::vector<ReadFailure> read_failures_;
};

/// The base classes and interfaces after `class NAME ... :` in C# source, without namespaces and
/// type arguments. Ignores comments and strings.
std::set<std::string> base_classes_in(std::string_view source, std::string_view class_name);

}  // namespace muster
