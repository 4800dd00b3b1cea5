// A project with random edits, for tests of incremental builds.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// A project with assets of every kind, in both dialects: prefabs with bases, variants and nested
/// prefabs; factories, models, materials and pictures, some with variants; registries, scripts and
/// component descriptions. Equal seeds give equal projects. An edit writes only the files that it
/// changes, so that all other files keep their stamps.
class EditedProject {
 public:
  explicit EditedProject(std::uint32_t seed);

  /// Makes one random edit and returns the name of the edit.
  std::string edit();

  MemoryFileSystem files;

 private:
  enum class Kind : std::uint8_t {
    unity,
    variant,
    plain,
    plain_variant,
    factory,
    model,
    material,
    picture,
    count
  };
  struct Item {
    Kind kind = Kind::unity;
    std::uint64_t guid = 0;
    std::string name;
    std::string folder = "a";
    int value = 0;
    int settings = 0;
    int damage = 0;                   // 0: none; otherwise a kind of damage that the checks report
    std::uint64_t base = 0;           // 0 for none
    std::vector<std::uint64_t> uses;  // guids
    std::map<std::string, std::pair<std::uint64_t, int>> forms;  // guid and value, by variant keys
    int sides = 0;  // bit 0 client, bit 1 server; 0 if not registered
    std::uint32_t type_id = 0;
  };
  struct Model {
    std::vector<Item> items;
    int health_default = 100;
    bool knows_armor = false;
    bool is_factory_class = true;
    bool has_axes = true;
    std::string script_name = "Health";
    std::string project_name = "edited";
    std::size_t strip = 0;  // index of the used stripping rules
    std::uint64_t next_guid = 1;
    std::uint32_t next_type_id = 0;
  };

  std::uint32_t below(std::size_t count) {
    return static_cast<std::uint32_t>(random_() % static_cast<std::uint32_t>(count));
  }
  Item& any() { return model_.items[below(model_.items.size())]; }
  Item make();
  std::uint64_t any_of(std::initializer_list<Kind> kinds);
  std::string text_of(const Item& item) const;
  std::string path_of(const Item& item, const std::string& keys = {}) const;
  void change_form(Item& item);
  std::map<std::string, std::string> render() const;
  void apply();

  std::mt19937 random_;
  Model model_;
  std::vector<Model> past_;
};

}  // namespace muster::testing
