// Writes prefabs in Unity's dialect, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"

namespace muster::testing {

/// Collects the documents of one `.prefab` file.
class PrefabText {
 public:
  PrefabText& object(std::int64_t id, std::string_view name,
                     const std::vector<std::int64_t>& components, bool active = true) {
    begin(1, id, "GameObject");
    text_ += "  m_Component:\n";
    for (const std::int64_t component : components) {
      text_ += "  - component: {fileID: " + std::to_string(component) + "}\n";
    }
    text_ += "  m_Name: " + std::string(name) + "\n  m_IsActive: " + (active ? "1" : "0") + "\n";
    return *this;
  }
  PrefabText& transform(std::int64_t id, std::int64_t object, std::int64_t father,
                        const std::vector<std::int64_t>& children = {}) {
    begin(4, id, "Transform");
    text_ += "  m_GameObject: {fileID: " + std::to_string(object) +
             "}\n  m_LocalPosition: {x: 1, y: 2, z: 3}\n  m_Children:\n";
    for (const std::int64_t child : children) {
      text_ += "  - {fileID: " + std::to_string(child) + "}\n";
    }
    text_ += "  m_Father: {fileID: " + std::to_string(father) + "}\n";
    return *this;
  }
  PrefabText& behaviour(std::int64_t id, std::int64_t object, const Guid& script,
                        std::string_view body = {}) {
    begin(114, id, "MonoBehaviour");
    text_ += "  m_GameObject: {fileID: " + std::to_string(object) +
             "}\n  m_Script: {fileID: 11500000, guid: " + script.to_string() + ", type: 3}\n" +
             std::string(body);
    return *this;
  }
  struct Change {
    std::int64_t target = 0;  ///< The id of an object in the source prefab.
    std::string path;
    std::string value;
  };
  struct Instance {
    std::int64_t father = 0;
    std::vector<Change> changes{};
    std::vector<std::int64_t> removed_components{};
    std::vector<std::int64_t> removed_objects{};
  };
  PrefabText& instance(std::int64_t id, const Guid& source, const Instance& instance) {
    const std::string guid = ", guid: " + source.to_string() + ", type: 3}\n";
    begin(1001, id, "PrefabInstance");
    text_ +=
        "  m_Modification:\n    m_TransformParent: {fileID: " + std::to_string(instance.father) +
        "}\n    m_Modifications:\n";
    for (const Change& change : instance.changes) {
      text_ += "    - target: {fileID: " + std::to_string(change.target) + guid +
               "      propertyPath: " + change.path + "\n      value: " + change.value +
               "\n      objectReference: {fileID: 0}\n";
    }
    text_ += "    m_RemovedComponents:\n";
    for (const std::int64_t removed : instance.removed_components) {
      text_ += "    - {fileID: " + std::to_string(removed) + guid;
    }
    text_ += "    m_RemovedGameObjects:\n";
    for (const std::int64_t removed : instance.removed_objects) {
      text_ += "    - {fileID: " + std::to_string(removed) + guid;
    }
    text_ += "  m_SourcePrefab: {fileID: 100100000" + guid;
    return *this;
  }
  /// Adds the placeholder of an object inside an instance.
  PrefabText& stripped(std::int64_t class_id, std::int64_t id, std::int64_t instance,
                       std::int64_t source_id, const Guid& source) {
    begin(class_id, id, class_id == 1 ? "GameObject" : "Transform", " stripped");
    text_ += "  m_CorrespondingSourceObject: {fileID: " + std::to_string(source_id) +
             ", guid: " + source.to_string() +
             ", type: 3}\n  m_PrefabInstance: {fileID: " + std::to_string(instance) + "}\n";
    return *this;
  }
  PrefabText& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void begin(std::int64_t class_id, std::int64_t id, std::string_view type,
             std::string_view flags = {}) {
    text_ += "--- !u!" + std::to_string(class_id) + " &" + std::to_string(id) + std::string(flags) +
             "\n" + std::string(type) + ":\n";
  }

  std::string text_ = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
};

}  // namespace muster::testing
