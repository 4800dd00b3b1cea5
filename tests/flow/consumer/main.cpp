#include <iostream>

#include "registry/vocabulary/mapped_file.h"
#include "runtime/bundle/catalog_reader.h"

int main(int argc, char** argv) {
  const auto file = muster::MappedFile::open(argc > 1 ? argv[1] : "");
  if (!file) return std::cerr << file.error().message << "\n", 2;
  const auto catalog = muster::CatalogReader::open(file.value().bytes());
  if (!catalog) return std::cerr << catalog.error().message << "\n", 1;
  std::cout << catalog.value().registry_count() << " registries\n";
}
