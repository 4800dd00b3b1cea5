#include "bundler/plan/bundle_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"
#include "registry/base/seed.h"

namespace muster {
namespace {

/// A project whose assets refer to each other. The first `registered` assets are in a registry.
class Graph {
 public:
  Graph(std::size_t count, std::size_t registered) : edges_(count), registered_(registered) {}

  Graph& edge(std::size_t from, std::size_t to) {
    edges_[from].push_back(to);
    return *this;
  }

  void open() {
    files_.add("muster.yaml",
               "version: 1\nfolders: [a]\nclasses:\n  ThingRegistry:\n    entries: entries\n"
               "    references:\n    - {path: thing, strength: strong, "
               "targets: [client, server]}\n");
    add("a/root.yaml", 9000,
        "class: AssetRegistryRoot\nserverBuild: 0\nassetRegistries:\n- {fileID: 1, guid: " +
            guid(9001) + "}\n");
    std::string entries = "class: ThingRegistry\nentries:\n";
    for (std::size_t i = 0; i < registered_; ++i) {
      entries +=
          "- type_id: " + std::to_string(i) + "\n  thing: {fileID: 1, guid: " + guid(i) + "}\n";
    }
    add("a/registry.yaml", 9001, entries);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      std::string text = "class: Thing\nneeds:\n";
      for (const std::size_t to : edges_[i]) text += "- {fileID: 1, guid: " + guid(to) + "}\n";
      add("a/" + name(i) + ".yaml", i, text);
    }
    auto opened = Project::open(files_, 1, {});
    REQUIRE(opened.has_value());
    project_ = std::move(opened).value();
    REQUIRE(project_->model().assets_for(Target::client).size() == registered_);
  }

  const Project& project() const { return *project_; }
  AssetNumber number(std::size_t i) const {
    return project_->index().find(Guid::parse(guid(i)).value());
  }
  std::size_t registered() const { return registered_; }
  BundlePlan plan(Layout layout = Layout::shared, std::uint64_t bytes_each = 1000) const {
    return plan_bundles(*project_, {.layout = layout},
                        std::vector<std::uint64_t>(project_->index().assets().size(), bytes_each));
  }
  std::set<AssetNumber> closure(AssetNumber asset) const {
    const auto found = project_->graph().closure(std::span(&asset, 1), project_->index());
    return {found.begin(), found.end()};
  }

 private:
  static std::string name(std::size_t i) { return "t" + std::to_string(1000 + i); }
  static std::string guid(std::size_t i) {
    Random random(i + 1);
    ByteVector bytes(16);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    return Guid::from_bytes(std::span(bytes).first<16>()).to_string();
  }
  void add(const std::string& path, std::size_t i, const std::string& text) {
    files_.add(path, text);
    files_.add(path + ".meta", "guid: " + guid(i) + "\n");
  }

  std::vector<std::vector<std::size_t>> edges_;
  std::size_t registered_;
  MemoryFileSystem files_;
  std::unique_ptr<Project> project_;
};

std::set<AssetNumber> reachable(const BundlePlan& plan, std::size_t bundle) {
  std::set<AssetNumber> assets(plan.bundles[bundle].assets.begin(),
                               plan.bundles[bundle].assets.end());
  for (const std::size_t needed : plan.bundles[bundle].dependencies) {
    assets.insert(plan.bundles[needed].assets.begin(), plan.bundles[needed].assets.end());
  }
  return assets;
}

void check_shared(const Graph& graph, const BundlePlan& plan, std::uint64_t bytes_each = 1000) {
  std::map<AssetNumber, int> homes;
  std::size_t prefabs = 0;
  for (std::size_t i = 0; i < plan.bundles.size(); ++i) {
    const PlannedBundle& bundle = plan.bundles[i];
    CHECK_FALSE(bundle.assets.empty());
    CHECK(std::ranges::is_sorted(bundle.assets));
    CHECK(std::ranges::is_sorted(bundle.owners));
    CHECK(std::ranges::is_sorted(bundle.dependencies));
    CHECK(std::ranges::find(bundle.dependencies, i) == bundle.dependencies.end());
    for (const AssetNumber asset : bundle.assets) ++homes[asset];
    // Every asset that an asset of the bundle reaches is in the bundle or in one of its
    // dependencies.
    const std::set<AssetNumber> near = reachable(plan, i);
    for (const AssetNumber asset : bundle.assets) {
      CHECK(std::ranges::includes(near, graph.closure(asset)));
    }
    if (bundle.prefab == kNoAsset) continue;
    CHECK(i == prefabs++);
    const std::uint64_t loaded = near.size() * bytes_each;
    CHECK(bundle.needed_bytes == graph.closure(bundle.prefab).size() * bytes_each);
    CHECK(bundle.vain_bytes == loaded - bundle.needed_bytes);
    CHECK(bundle.vain_bytes <= MergeRule().vain_max(bundle.needed_bytes));
    CHECK(bundle.owners == std::vector{bundle.prefab});
    CHECK(std::ranges::binary_search(bundle.assets, bundle.prefab));
  }
  CHECK(prefabs == graph.registered());
  for (const auto& [asset, count] : homes) {
    CAPTURE(graph.project().index().at(asset).path.text());
    CHECK(count == 1);
  }
}

TEST_CASE(
    "An asset that one prefab uses is in its bundle; an asset that several use is in a shared "
    "bundle",
    "[bundler][plan][sys-12]") {
  Graph graph(5, 2);
  graph.edge(0, 2).edge(0, 3).edge(1, 3).edge(3, 4);
  graph.open();
  const BundlePlan plan = graph.plan();
  check_shared(graph, plan);
  REQUIRE(plan.bundles.size() == 4);
  for (const PlannedBundle& bundle : plan.bundles) {
    if (bundle.prefab == graph.number(0)) {
      CHECK(std::ranges::binary_search(bundle.assets, graph.number(2)));
      CHECK(bundle.assets.size() == 2);
    }
    if (bundle.prefab == kNoAsset && !bundle.owners.empty()) {
      CHECK(bundle.assets.size() == 2);
      CHECK(bundle.owners.size() == 2);
    }
  }
  // Both prefabs reach assets 3 and 4, of 1,000 bytes each. These assets are stored once.
  CHECK(plan.duplicate_bytes_avoided == 2000);
}

TEST_CASE("Assets that are reached only through a registered asset are in that asset's bundle",
          "[bundler][plan][sys-12]") {
  Graph graph(4, 2);
  graph.edge(0, 1).edge(1, 2).edge(2, 3);
  graph.open();
  const BundlePlan plan = graph.plan();
  check_shared(graph, plan);
  const std::size_t first = plan.bundles[0].prefab == graph.number(0) ? 0 : 1;
  CHECK(plan.bundles[first].assets == std::vector{graph.number(0)});
  CHECK(plan.bundles[first].dependencies == std::vector{1 - first});
  CHECK(plan.bundles[1 - first].assets.size() == 3);
  CHECK(plan.bundles[1 - first].dependencies.empty());
}

TEST_CASE("Prefabs that need each other depend on each other", "[bundler][plan]") {
  Graph graph(3, 2);
  graph.edge(0, 1).edge(1, 0).edge(1, 2).edge(2, 1);
  graph.open();
  check_shared(graph, graph.plan());
}

TEST_CASE("Groups are merged if this wastes few bytes, and large groups are not merged",
          "[bundler][plan]") {
  // Each of the six other assets is shared by a different pair of the four registered assets.
  Graph graph(10, 4);
  std::size_t next = 4;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      graph.edge(a, next).edge(b, next);
      ++next;
    }
  }
  graph.open();
  struct Row {
    std::uint64_t bytes_each;
    std::size_t shared_bundles;
  };
  const auto row = GENERATE(Row{1000, 1}, Row{8 * 1024, 3}, Row{5 * 1024, 1}, Row{16 * 1024, 6},
                            Row{20 * 1024, 6}, Row{0, 1});
  CAPTURE(row.bytes_each);
  const BundlePlan plan = graph.plan(Layout::shared, row.bytes_each);
  check_shared(graph, plan, row.bytes_each);
  std::size_t shared = 0;
  for (const PlannedBundle& bundle : plan.bundles) {
    if (bundle.prefab != kNoAsset) CHECK(bundle.vain_bytes <= 16 * 1024);
    if (bundle.prefab == kNoAsset && !bundle.owners.empty()) ++shared;
  }
  CHECK(plan.shared_groups == 7);
  CHECK(shared == row.shared_bundles);
}

TEST_CASE("A self-contained bundle contains every asset that its prefab reaches",
          "[bundler][plan]") {
  Graph graph(5, 2);
  graph.edge(0, 1).edge(1, 2).edge(0, 3).edge(1, 3);
  graph.open();
  const BundlePlan plan = graph.plan(Layout::self_contained);
  REQUIRE(plan.bundles.size() == 3);
  CHECK(plan.bundles.back().prefab == kNoAsset);
  for (const PlannedBundle& bundle : plan.bundles) {
    if (bundle.prefab == kNoAsset) continue;
    const std::set<AssetNumber> closure = graph.closure(bundle.prefab);
    CHECK(std::ranges::equal(bundle.assets, closure));
    CHECK(bundle.dependencies.empty());
  }
  CHECK(plan.duplicate_bytes_avoided == 0);
}

TEST_CASE("Assets of the registries themselves are packed and counted equally in both layouts",
          "[bundler][plan]") {
  MemoryFileSystem files;
  const auto guid = [](char digit) { return std::string(30, digit) + "5f"; };
  const auto add = [&](const std::string& name, char digit, const std::string& text) {
    files.add("a/" + name + ".yaml", text);
    files.add("a/" + name + ".yaml.meta", "guid: " + guid(digit) + "\n");
  };
  const auto strong = [&](char digit) { return "{fileID: 1, guid: " + guid(digit) + "}\n"; };
  files.add("muster.yaml",
            "version: 1\nfolders: [a]\nclasses:\n  ThingRegistry:\n    entries: entries\n"
            "    references:\n    - {path: definition.thing, strength: weak, "
            "targets: [client, server]}\n");
  add("root", '1', "class: AssetRegistryRoot\nserverBuild: 0\nassetRegistries:\n- " + strong('2'));
  add("registry", '2', "class: ThingRegistry\nentries:\n- definition: " + strong('3'));
  add("definition", '3',
      "class: Definition\nthing: {guid: " + guid('4') + "}\nowner: " + strong('4') +
          "icon: " + strong('5'));
  add("thing", '4', "class: Thing\nneeds: " + strong('6'));
  add("icon", '5', "class: Icon\n");
  add("paint", '6', "class: Paint\n");
  const auto project = Project::open(files, 1, {}).value();
  for (const Layout layout : {Layout::shared, Layout::self_contained}) {
    const BundlePlan plan =
        plan_bundles(*project, {.layout = layout},
                     std::vector<std::uint64_t>(project->index().assets().size(), 1000));
    REQUIRE(plan.bundles.size() == 2);
    CHECK(plan.bundles[0].assets.size() == 2);  // the thing and its paint
    CHECK(plan.bundles[0].dependencies.empty());
    CHECK(plan.bundles[1].prefab == kNoAsset);
    CHECK(plan.bundles[1].owners.empty());
    CHECK(plan.bundles[1].assets.size() == 4);  // root, registry, definition and icon
    CHECK(plan.bundles[1].dependencies == std::vector<std::size_t>{0});
    CHECK(plan.duplicate_bytes_avoided == 0);
  }
}

TEST_CASE("Nothing is planned for a target without registries", "[bundler][plan]") {
  Graph graph(2, 1);
  graph.open();
  const BundlePlan plan =
      plan_bundles(graph.project(), {.target = Target::server}, std::vector<std::uint64_t>(10, 1));
  CHECK(plan.bundles.empty());
}

TEST_CASE("Random graphs are planned so that every closure can be loaded",
          "[bundler][plan][sys-12]") {
  const std::uint64_t seed = 20240901;
  for (std::uint64_t round = 0; round < 60; ++round) {
    CAPTURE(seed + round);
    Random random(seed + round);
    const std::size_t count = 3 + random.below(40);
    Graph graph(count, 1 + random.below(std::min<std::size_t>(count, 12)));
    const std::size_t edges = random.below(count * 3);
    for (std::size_t i = 0; i < edges; ++i) graph.edge(random.below(count), random.below(count));
    graph.open();
    const std::uint64_t bytes_each = 1 + random.below(12 * 1024);
    const BundlePlan plan = graph.plan(Layout::shared, bytes_each);
    check_shared(graph, plan, bytes_each);
    std::set<AssetNumber> planned;
    for (const PlannedBundle& bundle : plan.bundles) {
      planned.insert(bundle.assets.begin(), bundle.assets.end());
    }
    for (std::size_t i = 0; i < graph.registered(); ++i) {
      CHECK(std::ranges::includes(planned, graph.closure(graph.number(i))));
    }
  }
}

}  // namespace
}  // namespace muster
