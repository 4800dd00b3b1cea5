#include "bundler/cache/curl_library.h"

#include <dlfcn.h>

namespace muster {
namespace {

constexpr const char* kLibraryName = "libcurl.so.4";

}  // namespace

CurlLibrary::CurlLibrary() {
  void* const library = dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    missing = reason != nullptr ? reason : kLibraryName;
    return;
  }
  find(library, "curl_global_init", global_init);
  find(library, "curl_easy_init", easy_init);
  find(library, "curl_easy_cleanup", easy_cleanup);
  find(library, "curl_easy_setopt", easy_setopt);
  find(library, "curl_multi_init", multi_init);
  find(library, "curl_multi_cleanup", multi_cleanup);
  find(library, "curl_multi_add_handle", multi_add_handle);
  find(library, "curl_multi_remove_handle", multi_remove_handle);
  find(library, "curl_multi_perform", multi_perform);
  find(library, "curl_multi_poll", multi_poll);
  find(library, "curl_multi_wakeup", multi_wakeup);
  find(library, "curl_multi_info_read", multi_info_read);
  find(library, "curl_easy_getinfo", easy_getinfo);
  find(library, "curl_easy_strerror", easy_strerror);
  find(library, "curl_slist_append", slist_append);
  find(library, "curl_slist_free_all", slist_free_all);
  if (missing.empty() && global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) missing = kLibraryName;
}

template <typename Function>
void CurlLibrary::find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing = std::string(kLibraryName) + " has no " + name;
}

const CurlLibrary& curl_library() {
  static const CurlLibrary kLibrary;
  return kLibrary;
}

}  // namespace muster
