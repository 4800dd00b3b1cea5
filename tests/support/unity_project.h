// Small Unity projects in memory, for tests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// A project to which a test adds files with sidecars. A guid is derived from the first path of a
/// file, and does not change when the file moves.
class UnityProject {
 public:
  UnityProject() { files.add("Assets/.keep", ""); }

  /// Adds `Assets/Scripts/<name>.cs`, with a class that derives from `base`.
  Guid script(std::string_view name, std::string_view base = "MonoBehaviour");
  /// Adds a ScriptableObject of a script's class. `body` is the indented YAML below
  /// `MonoBehaviour:`.
  Guid asset(std::string_view path, const Guid& script, std::string_view body);
  /// Adds a prefab with one game object and these components. Each component is a script and its
  /// indented fields.
  Guid prefab(std::string_view path,
              const std::vector<std::pair<Guid, std::string>>& components = {});
  /// Adds any file with a sidecar.
  Guid file(std::string_view path, std::string_view text);

  void move(std::string_view from, std::string_view to);
  void remove(std::string_view path);

  /// Returns `{fileID: 11400000, guid: ..., type: 2}`.
  static std::string strong(const Guid& guid);
  /// Returns four lines `val0: ...` to `val3: ...` with this indentation.
  static std::string words(const Guid& guid, std::size_t indent);

  MemoryFileSystem files;
};

}  // namespace muster::testing
