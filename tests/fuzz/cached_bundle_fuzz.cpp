// The input is the data of a cache for a bundle. A parsed bundle can be written and parsed again.
#include <cstdint>
#include <cstdlib>

#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/incremental/cached_bundles.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
  if (data[0] % 4 == 2) {
    const auto dictionaries = parse_dictionaries(bytes);
    if (dictionaries && encode(*dictionaries) != ByteVector(bytes.begin(), bytes.end())) {
      std::abort();
    }
    return 0;
  }
  if (data[0] % 4 == 0) {
    const auto bundle = parse_cached_bundle(bytes);
    if (bundle && encode(*bundle) != ByteVector(bytes.begin(), bytes.end())) std::abort();
    return 0;
  }
  const auto questions = parse_questions(bytes);
  if (!questions) return 0;
  std::vector<CookFact> facts;
  for (const CookQuestion& question : *questions) facts.push_back({question, {}});
  if (encode_questions(facts) != ByteVector(bytes.begin(), bytes.end())) std::abort();
  return 0;
}
