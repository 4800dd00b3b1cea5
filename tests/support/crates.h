// A small project for tests of incremental builds.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/support/incremental_builds.h"
#include "tests/support/unity_project.h"

namespace muster::testing {

/// A project of two crates that share a material, with registries and scripts. One crate is only
/// for clients.
struct Crates {
  Crates() {
    project.files.add("muster.yaml",
                      "version: 1\nfolders: [Assets]\nclasses:\n  CrateRegistry:\n"
                      "    entries: entries\n    references:\n"
                      "    - {path: both, strength: strong, targets: [client, server]}\n"
                      "    - {path: client, strength: strong, targets: [client]}\n");
    health = project.script("Health");
    paint = project.file("Assets/Paint.mat",
                         "%YAML 1.1\n--- !u!21 &2100000\nMaterial:\n  m_Name: Paint\n" +
                             std::string(300, '#') + "\n");
    picture = project.file("Assets/Big.png", picture_text('a'));
    box = project.prefab("Assets/Box.prefab",
                         {{health, "  paint: " + UnityProject::strong(picture) + "\n"}});
    tin = project.prefab("Assets/Tin.prefab", {{health, "  current: 7\n"}});
    registry("both");
  }

  static std::string picture_text(char letter) {
    std::string text = "\x89PNG";
    for (int i = 0; i < 40000; ++i) text += static_cast<char>(letter + (i * i) % 23);
    return text;
  }

  void registry(const std::string& side_of_tin) {
    project.file("Assets/crates.yaml", "class: CrateRegistry\nentries:\n- type_id: 0\n  both: " +
                                           UnityProject::strong(box) + "\n- type_id: 1\n  " +
                                           side_of_tin + ": " + UnityProject::strong(tin) + "\n");
  }

  Outcome make(const Settings& settings = {}) {
    return build(project.files, output, output, settings);
  }
  void edit(std::string_view file, std::string_view old_text, std::string_view new_text) {
    std::string text(as_text(project.files.files().at(AssetPath::parse(file).value())));
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    project.files.add(file, text.replace(at, old_text.size(), new_text));
  }
  MemoryFileSystem clean_build() const {
    MemoryFileSystem clean;
    REQUIRE(build(project.files, clean, clean, {}).is_built);
    return clean;
  }
  bool has(const Outcome& outcome, std::string_view what, std::string_view detail) const {
    for (const BuildReason& reason : outcome.reasons) {
      UNSCOPED_INFO(reason.what << ": " << reason.detail);
    }
    return std::ranges::count(outcome.reasons, BuildReason{what, std::string(detail)}) > 0;
  }

  UnityProject project;
  MemoryFileSystem output;
  Guid health, paint, picture, box, tin;
};

}  // namespace muster::testing
