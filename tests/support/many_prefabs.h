// A project of N small, similar prefabs, and its builds.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "registry/base/content_hash.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/incremental_builds.h"

namespace muster::testing {

inline std::string prefab_text(unsigned number, int version) {
  std::string text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
  for (unsigned part = 0; part < 6; ++part) {
    const std::string id = std::to_string(number * 100 + part * 10 + 1);
    text += "--- !u!1 &" + id + "\nGameObject:\n  m_ObjectHideFlags: 0\n  serializedVersion: 6\n" +
            "  m_Layer: " + std::to_string(part) + "\n  m_Name: part" + std::to_string(number % 7) +
            "\n  m_TagString: Untagged\n  m_IsActive: 1\n  m_Version: " + std::to_string(version) +
            "\n  m_StaticEditorFlags: 0\n  m_NavMeshLayer: 0\n  m_Icon: {fileID: 0}\n";
  }
  return text;
}

// A project whose prefabs are all registered for both targets.
class ManyPrefabs {
 public:
  explicit ManyPrefabs(unsigned count) {
    files.add("muster.yaml",
              "version: 1\nname: many\nfolders: [plain]\nclasses:\n  ThingRegistry:\n"
              "    entries: entries\n    references:\n"
              "    - {path: thing, strength: strong, targets: [client, server]}\n");
    for (unsigned i = 1; i <= count; ++i) add(i);
    write_registry();
  }

  void add(unsigned number) {
    count_ = std::max(count_, number);
    write(number, 1);
    files.add(path_of(number) + ".meta", "fileFormatVersion: 2\nguid: " + guid_text(number) + "\n");
  }
  void write(unsigned number, int version) {
    files.add(path_of(number), prefab_text(number, version));
  }
  void write_registry() {
    std::string text = "class: ThingRegistry\nentries:\n";
    for (unsigned i = 1; i <= count_; ++i) {
      text += "- type_id: " + std::to_string(i) +
              "\n  thing: {fileID: " + std::to_string(i * 100 + 1) + ", guid: " + guid_text(i) +
              "}\n";
    }
    files.add("plain/things.yaml", text);
    files.add("plain/things.yaml.meta",
              "fileFormatVersion: 2\nguid: 000102030405060708090a0b0c0d0e0f\n");
  }
  static Guid guid_of(unsigned number) { return Guid::parse(guid_text(number)).value(); }
  static std::string path_of(unsigned number) {
    return "plain/thing" + std::to_string(number) + ".prefab";
  }

  MemoryFileSystem files;

 private:
  static std::string guid_text(unsigned number) {
    return hash_bytes(as_bytes("asset " + std::to_string(number))).to_string();
  }

  unsigned count_ = 0;
};

inline Outcome build(const ManyPrefabs& project, MemoryFileSystem& output,
                     const Settings& settings = {}) {
  return build(project.files, output, output, settings);
}

inline std::set<std::string> dictionaries_in(const MemoryFileSystem& output) {
  std::set<std::string> names;
  for (const auto& [path, bytes] : output.files()) {
    if (path.text().ends_with(".mdict")) names.insert(path.text());
  }
  return names;
}

}  // namespace muster::testing
