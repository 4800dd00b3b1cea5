// The speed of finding references in text. The peers work on the same bytes: `copy` shows the limit
// of the memory's speed, and `yaml-cpp` is a conforming parser. The input of yaml-cpp has bare
// `---` lines in place of Unity's object headers, which yaml-cpp refuses.
#include <cassert>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "registry/base/disk_file_system.h"
#include "registry/base/seed.h"
#include "registry/project/meta.h"
#include "registry/yaml/reader.h"
#include "registry/yaml/scanner.h"
#include "tests/bench/bench.h"

namespace muster {
namespace {

// The texts of one measurement.
struct Corpus {
  std::vector<std::string> texts;
  std::size_t byte_count = 0;

  void add(std::string text) {
    byte_count += text.size();
    texts.push_back(std::move(text));
  }
};
using CorpusPointer = std::shared_ptr<const Corpus>;

std::string random_guid(Random& random) {
  std::string text;
  for (int i = 0; i < 32; ++i) text += "0123456789abcdef"[random.below(16)];
  return text;
}

// Generates a file like a prefab, with scripts and with transforms that refer only to objects of
// the file. If `is_dense` is true, it has many references to other assets; otherwise it has one per
// hundred lines.
std::string make_prefab(Random& random, bool is_dense) {
  std::string text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
  for (int object = 0; object < 150; ++object) {
    const std::string id = std::to_string(random.next() >> 8U);
    text += "--- !u!4 &" + id +
            "\nTransform:\n  m_ObjectHideFlags: 0\n  m_GameObject: {fileID: " + id +
            "}\n  m_LocalRotation: {x: -0, y: 0.70710677, z: 0.5, w: 1}\n"
            "  m_LocalPosition: {x: 0.1234, y: 2.5, z: -3.25}\n  m_Children: []\n"
            "  m_Father: {fileID: 0}\n  m_RootOrder: 0\n";
    if (!is_dense && object % 12 != 0) continue;
    text += "--- !u!114 &" + id +
            "1\nMonoBehaviour:\n  m_Enabled: 1\n  m_Script: {fileID: 11500000, guid: " +
            random_guid(random) + ", type: 3}\n  m_Name: \n  m_Text: 'some text'\n  items:\n";
    for (int item = 0; is_dense && item < 4; ++item) {
      text += "  - asset: {fileID: 2100000, guid: " + random_guid(random) + ",\n      type: 2}\n";
    }
  }
  return text;
}

CorpusPointer generated(bool is_dense) {
  auto corpus = std::make_shared<Corpus>();
  Random random(1);
  for (int file = 0; file < 100; ++file) corpus->add(make_prefab(random, is_dense));
  return corpus;
}

// Collects the text files of a project below `folder`: Unity's YAML, or only the sidecars.
void collect(const FileReader& files, const AssetPath& folder, bool metas, Corpus& corpus) {
  constexpr std::uint64_t kFileBytesMax = 256U << 20U;
  const auto entries = files.list(folder);
  if (!entries) return;
  ByteVector buffer;
  for (const DirectoryEntry& entry : entries.value()) {
    const AssetPath path = folder.child(entry.name);
    if (entry.is_link || entry.name == ".git") continue;
    if (entry.kind == FileKind::folder) collect(files, path, metas, corpus);
    if (entry.kind != FileKind::file || metas != (path.extension() == "meta")) continue;
    const auto bytes = read_whole(files, path, kFileBytesMax, buffer);
    if (!bytes) continue;
    const std::string_view text = as_text(bytes.value());
    if (metas || yaml::detect_dialect(text) == yaml::Dialect::unity) corpus.add(std::string(text));
  }
}

// Returns the same text with object headers that yaml-cpp accepts.
CorpusPointer without_headers(const Corpus& corpus) {
  auto result = std::make_shared<Corpus>();
  for (const std::string& text : corpus.texts) {
    std::string plain;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      rest.remove_prefix(line.empty() ? rest.size() : line.size());
      if (line.starts_with("--- ")) {
        plain += "---\n";
      } else if (!line.starts_with('%')) {
        plain += line;
      }
    }
    result->add(std::move(plain));
  }
  return result;
}

template <typename Work>
void measure(const std::string& name, const CorpusPointer& corpus, Work work) {
  benchmark::RegisterBenchmark(name.c_str(), [corpus, work](benchmark::State& state) {
    for ([[maybe_unused]] const auto round : state) {
      for (const std::string& text : corpus->texts) work(text);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(corpus->byte_count));
  })->Unit(benchmark::kMillisecond);
}

void measure_all(const std::string& corpus_name, const CorpusPointer& corpus) {
  const std::string prefix = "scan/" + corpus_name + "/";
  const auto target = std::make_shared<std::string>();
  for (const std::string& text : corpus->texts) {
    if (text.size() > target->size()) target->resize(text.size());
  }
  measure(prefix + "copy", corpus, [target](const std::string& text) {
    std::memcpy(target->data(), text.data(), text.size());
    benchmark::ClobberMemory();
  });
  measure(prefix + "scan_mentions", corpus, [](const std::string& text) {
    std::size_t count = 0;
    yaml::scan_mentions(text, [&](const yaml::Mention&) { ++count; });
    benchmark::DoNotOptimize(count);
  });
  measure(prefix + "read_unity", corpus, [](const std::string& text) {
    const auto result = yaml::read_unity(text);
    assert(result.good());
    benchmark::DoNotOptimize(result.good());
  });
  measure(prefix + "yaml-cpp", without_headers(*corpus), [](const std::string& text) {
    const auto result = yaml::read_plain(text);
    benchmark::DoNotOptimize(result.good());
  });
}

void measure_metas(const CorpusPointer& corpus) {
  measure("scan/project metas/read_meta", corpus, [](const std::string& text) {
    const auto result = read_meta(text);
    benchmark::DoNotOptimize(result.problem);
  });
  measure("scan/project metas/yaml-cpp", corpus, [](const std::string& text) {
    const auto result = yaml::read_plain(text);
    benchmark::DoNotOptimize(result.good());
  });
}

}  // namespace

void register_scan_benchmarks(const BenchOptions& options) {
  measure_all("few references", generated(false));
  measure_all("many references", generated(true));
  if (options.project.empty()) return;
  const auto files = DiskFileSystem::open(options.project);
  if (!files) return;
  auto assets = std::make_shared<Corpus>();
  auto metas = std::make_shared<Corpus>();
  collect(files.value(), AssetPath(), false, *assets);
  collect(files.value(), AssetPath(), true, *metas);
  measure_all("project", assets);
  measure_metas(metas);
}

}  // namespace muster
