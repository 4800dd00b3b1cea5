#include <muster_runtime.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char message[256];
  muster_store* store = NULL;
  muster_catalog_info info;
  info.struct_size = sizeof info;
  if (muster_store_open(argc > 1 ? argv[1] : "", NULL, &store, message, sizeof message) !=
      MUSTER_OK) {
    return fprintf(stderr, "%s\n", message), 2;
  }
  if (muster_read_catalog(store, &info) == MUSTER_OK)
    printf("%u registries\n", info.registry_count);
  return muster_store_close(store);
}
