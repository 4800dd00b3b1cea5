#include "tests/support/unity_project.h"

#include <cassert>

#include "registry/base/content_hash.h"

namespace muster::testing {
namespace {

constexpr std::string_view kHead = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";

Guid guid_of(std::string_view path) {
  const ContentHash hash = hash_bytes(as_bytes(path));
  return Guid::from_bytes(std::as_bytes(std::span(hash.bytes)));
}

AssetPath parsed(std::string_view path) {
  const auto result = AssetPath::parse(path);
  assert(result.has_value());
  return result.value();
}

}  // namespace

Guid UnityProject::file(std::string_view path, std::string_view text) {
  const Guid guid = guid_of(path);
  files.add(path, text);
  files.add(std::string(path) + ".meta", "fileFormatVersion: 2\nguid: " + guid.to_string() + "\n");
  return guid;
}

Guid UnityProject::script(std::string_view name, std::string_view base) {
  const std::string text =
      "public class " + std::string(name) + " : " + std::string(base) + "\n{\n}\n";
  return file("Assets/Scripts/" + std::string(name) + ".cs", text);
}

Guid UnityProject::asset(std::string_view path, const Guid& script, std::string_view body) {
  return file(path, std::string(kHead) +
                        "--- !u!114 &11400000\nMonoBehaviour:\n  m_Script: {fileID: 11500000, "
                        "guid: " +
                        script.to_string() + ", type: 3}\n" + std::string(body));
}

Guid UnityProject::prefab(std::string_view path,
                          const std::vector<std::pair<Guid, std::string>>& components) {
  std::string text = std::string(kHead) +
                     "--- !u!1 &100\nGameObject:\n  m_Name: Thing\n  m_IsActive: 1\n"
                     "  m_Component:\n  - component: {fileID: 400}\n";
  for (std::size_t i = 0; i < components.size(); ++i) {
    text += "  - component: {fileID: " + std::to_string(11400 + i) + "}\n";
  }
  text +=
      "--- !u!4 &400\nTransform:\n  m_GameObject: {fileID: 100}\n  m_Children: []\n"
      "  m_Father: {fileID: 0}\n";
  for (std::size_t i = 0; i < components.size(); ++i) {
    text += "--- !u!114 &" + std::to_string(11400 + i) +
            "\nMonoBehaviour:\n  m_GameObject: {fileID: 100}\n  m_Script: {fileID: 11500000, "
            "guid: " +
            components[i].first.to_string() + ", type: 3}\n" + components[i].second;
  }
  return file(path, text);
}

void UnityProject::move(std::string_view from, std::string_view to) {
  for (const std::string suffix : {"", ".meta"}) {
    const auto moved =
        commit_move(files, parsed(std::string(from) + suffix), parsed(std::string(to) + suffix));
    assert(moved.has_value());
    (void)moved;
  }
}

void UnityProject::remove(std::string_view path) {
  for (const std::string suffix : {"", ".meta"}) {
    const auto removed = files.remove(parsed(std::string(path) + suffix));
    assert(removed.has_value());
    (void)removed;
  }
}

std::string UnityProject::strong(const Guid& guid) {
  return "{fileID: 11400000, guid: " + guid.to_string() + ", type: 2}";
}

std::string UnityProject::words(const Guid& guid, std::size_t indent) {
  std::string text;
  const WeakReferenceWords values = words_from_guid(guid);
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += std::string(indent, ' ') + "val" + std::to_string(i) + ": " +
            std::to_string(values[i]) + "\n";
  }
  return text;
}

}  // namespace muster::testing
