// Compiled only for its precompiled header (see tests/CMakeLists.txt).
