// Loads libcurl when it is needed.
#pragma once

#include <curl/curl.h>

#include <string>

namespace muster {

/// The functions of libcurl, under their original names. libcurl is not linked, because it depends
/// on thirty libraries, and loading them takes longer than a small build.
struct CurlLibrary {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&(::curl_easy_setopt)) easy_setopt = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
  decltype(&(::curl_easy_getinfo)) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  std::string missing;  ///< The reason why the library cannot be used; empty if it can be used.

 private:
  friend const CurlLibrary& curl_library();
  CurlLibrary();
  template <typename Function>
  void find(void* library, const char* name, Function& function);
};

/// Returns the library. The first call loads the library, which stays loaded until the process
/// ends. Several threads may call this function.
const CurlLibrary& curl_library();

}  // namespace muster
