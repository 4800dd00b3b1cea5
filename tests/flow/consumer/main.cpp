#include <muster/catalog_reader.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto catalog = muster::CatalogReader::open(std::as_bytes(std::span(text)));
  if (!catalog) return std::cerr << catalog.error().message << "\n", 1;
  std::cout << catalog.value().registry_count() << " registries\n";
}
