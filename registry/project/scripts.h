// Which class a script asset holds, and what it derives from.
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

/// Names of script classes. A `.cs` asset holds the class that its file is named after (Unity's own
/// rule); classes inside assemblies are known only when the project declares their guid. Safe to
/// use from several threads.
class Scripts {
 public:
  Scripts(const FileReader& files, const AssetIndex& index);

  /// Declares that the script with this guid is this class, whatever its file is called.
  void declare(const Guid& script, std::string class_name);

  /// The class behind an `m_Script` guid; empty when it is not known.
  std::string class_of(const Guid& script) const;

  /// True when `class_name` is `base` or derives from it, as far as the project's own sources show:
  /// `class X : Base` is looked for in `X.cs`, and so on upwards.
  bool derives_from(std::string_view class_name, std::string_view base) const;

  /// True when the project's own sources show all that `class_name` derives from, and `base` is not
  /// among it. A class that is neither in the tree nor one of the engine's may derive from
  /// anything.
  bool is_surely_no(std::string_view class_name, std::string_view base) const;

  /// The guids of all scripts whose class is `base` or derives from it, sorted.
  std::vector<Guid> scripts_deriving_from(std::string_view base) const;

  /// The sources that could not be read so far: what they derive from is not known. In no order.
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

/// The base classes and interfaces named after `class NAME ... :` in C# source, without namespaces
/// and type arguments. Comments and strings are passed over.
std::set<std::string> base_classes_in(std::string_view source, std::string_view class_name);

}  // namespace muster
