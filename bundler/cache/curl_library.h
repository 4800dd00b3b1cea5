// libcurl, loaded when it is needed.
#pragma once

#include <curl/curl.h>

#include <string>

namespace muster {

/// The library's functions, under their original names. libcurl needs thirty libraries, which take
/// longer to load than a small build, so it is not linked.
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
  std::string missing;  ///< Why it cannot be used; empty if it can.

 private:
  friend const CurlLibrary& curl_library();
  CurlLibrary();
  template <typename Function>
  void find(void* library, const char* name, Function& function);
};

/// Loaded once per process, by the first caller; it stays loaded until the process ends. Safe to
/// use from several threads.
const CurlLibrary& curl_library();

}  // namespace muster
