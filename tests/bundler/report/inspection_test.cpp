#include "bundler/report/inspection.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bundler/pack/catalog_writer.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"

namespace muster {
namespace {

ByteVector golden(std::string_view name) {
  for (samples::SampleFile& file : samples::files()) {
    if (file.path.ends_with(name)) return std::move(file.bytes);
  }
  FAIL("no sample " << name);
  return {};
}

TEST_CASE("Bundles and catalogs are distinguished and described", "[bundler][report]") {
  const auto [name, kind] = GENERATE(table<std::string, std::string>(
      {{"golden/bundle/sample.mbundle", "bundle"}, {"golden/bundle/sample.mcat", "catalog"}}));
  const ByteVector bytes = golden(name);
  const auto text = inspect_file(bytes, InspectionFormat::text);
  REQUIRE(text.has_value());
  CHECK_THAT(text.value(), Catch::StartsWith(kind) && Catch::EndsWith("\n"));
  const auto described = inspect_file(bytes, InspectionFormat::json);
  REQUIRE(described.has_value());
  CHECK(nlohmann::json::parse(described.value())["kind"] == kind);
}

TEST_CASE("Inspecting damaged files gives an error or a description, and never crashes",
          "[bundler][report]") {
  const std::string name =
      GENERATE(as<std::string>{}, "golden/bundle/sample.mcat", "golden/bundle/stored.mbundle");
  const ByteVector bytes = golden(name);
  damage::each_truncation(bytes, [](const ByteVector& cut) {
    REQUIRE_FALSE(inspect_file(cut, InspectionFormat::json).has_value());
  });
  damage::each_flip(bytes, [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    if (const auto text = inspect_file(damaged, InspectionFormat::json)) {
      CHECK(nlohmann::json::accept(text.value()));
    }
    samples::fix_hash(damaged);
    if (const auto text = inspect_file(damaged, InspectionFormat::text)) {
      CHECK_FALSE(text.value().empty());
    }
  });
}

TEST_CASE("Names from a catalog cannot control a terminal", "[bundler][report]") {
  CatalogData data = samples::catalog();
  REQUIRE_FALSE(data.registries.empty());
  data.registries.front().class_name = "Red\x1b[31m";
  data.registries.front().path = "Assets/two\nlines.asset";
  const auto encoded = encode_catalog(data);
  REQUIRE(encoded.has_value());
  const auto text = inspect_file(encoded.value(), InspectionFormat::text);
  REQUIRE(text.has_value());
  CHECK(text.value().find('\x1b') == std::string::npos);
  CHECK_THAT(text.value(), Catch::Contains("Red\\x1b[31m  Assets/two\\nlines.asset\n"));
}

TEST_CASE("A file that is neither a bundle nor a catalog is refused", "[bundler][report]") {
  CHECK(inspect_file({}, InspectionFormat::text).error().code == ErrorCode::truncated);
  CHECK(inspect_file(as_bytes("a text of some length"), InspectionFormat::text).error().code ==
        ErrorCode::malformed);
}

}  // namespace
}  // namespace muster
