#include <muster/catalog_reader.h>

#include <iostream>
#include <iterator>
#include <string>

// Parses a catalog from standard input.
int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto catalog = muster::CatalogReader::open(std::as_bytes(std::span(text)));
  if (!catalog) return std::cerr << catalog.error().message << "\n", 1;
  std::cout << catalog.value().registry_count() << " registries\n";
}
