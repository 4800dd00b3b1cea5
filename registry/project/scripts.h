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

/// Finds the class of a script, and the base classes of a class. By Unity's rule, a `.cs` asset
/// contains the class with the name of its file. A class in an assembly is known only if the
/// project declares its guid. Safe to use from several threads after all `declare` calls.
class Scripts {
 public:
  Scripts(const FileReader& files, const AssetIndex& index);

  /// Declares the class of the script with this guid, independently of its file name.
  void declare(const Guid& script, std::string class_name);

  /// The class of the script with this guid (from `m_Script`); empty if unknown.
  std::string class_of(const Guid& script) const;

  /// True if `class_name` is `base`, or if the project's sources show that it derives from `base`.
  /// Reads `class X : Base` in `X.cs`, and continues with the base class.
  bool derives_from(std::string_view class_name, std::string_view base) const;

  /// True if all base classes of `class_name` are known and `base` is not one of them. The base
  /// classes of a class that is neither in the project nor in the engine are unknown.
  bool is_surely_no(std::string_view class_name, std::string_view base) const;

  /// The guids of all scripts whose class is `base` or derives from it, sorted.
  std::vector<Guid> scripts_deriving_from(std::string_view base) const;

  /// The script files that could not be read until now. The base classes of their classes are
  /// unknown. Unsorted.
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

/// The base classes and interfaces after `class NAME ... :` in C# source. Namespaces and type
/// arguments are removed. Ignores comments and strings.
std::set<std::string> base_classes_in(std::string_view source, std::string_view class_name);

}  // namespace muster
