// Makes memory short in any call and on any thread. Every call must then fail with an error.
//
//     test_c_api_memory BUILD/client
//
// Child processes load everything. The first child has no memory, and each later child has a little
// more memory than the previous child. The last children have enough memory. No child may be ended
// by a signal, and each child must report the right status.
#include <muster_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t kStepBytes = (size_t)192 << 10;
static const size_t kBytesMax = (size_t)1 << 30;
/// The test ends after this many consecutive children that loaded everything.
static const int kEnough = 8;

static int is_shortage(muster_status status) {
  return status == MUSTER_OUT_OF_MEMORY || status == MUSTER_LIMIT_EXCEEDED;
}

static int limit_memory_to(size_t size_bytes) {
  struct rlimit limit;
  limit.rlim_cur = limit.rlim_max = size_bytes;
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

/// Returns 0 if everything was loaded, 1 if memory was short, 2 for anything else.
static int load_all(const char* folder) {
  muster_store* store = NULL;
  muster_catalog_info info;
  char message[256] = "";
  int is_short = 0;
  const muster_status opened = muster_store_open(folder, NULL, &store, message, sizeof message);
  if (opened != MUSTER_OK) return is_shortage(opened) ? 1 : 2;
  info.struct_size = sizeof info;
  if (muster_read_catalog(store, &info) != MUSTER_OK) return 2;
  for (uint32_t bundle = 0; bundle < info.bundle_count; ++bundle) {
    muster_request request = 0;
    muster_status status = muster_request_bundle(store, bundle, NULL, &request);
    if (status == MUSTER_OK) status = muster_finish(store, request, 0);
    if (status != MUSTER_OK && !is_shortage(status)) return 2;
    is_short |= status != MUSTER_OK;
  }
  if (muster_store_close(store) != MUSTER_OK) return 2;
  return is_short;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int failure_count = 0, loaded_count = 0, short_count = 0;
  for (size_t bytes = 0; bytes <= kBytesMax && loaded_count < kEnough; bytes += kStepBytes) {
    const pid_t child = fork();
    if (child == 0) _exit(limit_memory_to(bytes) ? load_all(argv[1]) : 2);
    int end = 0;
    if (child < 0 || waitpid(child, &end, 0) != child) return 2;
    const int outcome = WIFEXITED(end) ? WEXITSTATUS(end) : -1;
    loaded_count = outcome == 0 ? loaded_count + 1 : 0;
    short_count += outcome == 1;
    if (outcome == 0 || outcome == 1) continue;
    ++failure_count;
    fprintf(stderr, "with %zu bytes: outcome %d, signal %d\n", bytes, outcome,
            WIFSIGNALED(end) ? WTERMSIG(end) : 0);
  }
  // Both cases must have occurred.
  failure_count += loaded_count < kEnough;
  failure_count += short_count == 0;
  printf("%d failures\n", failure_count);
  return failure_count == 0 ? 0 : 1;
}
