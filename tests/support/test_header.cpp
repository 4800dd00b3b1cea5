// Compiled for its precompiled header alone (see tests/CMakeLists.txt).
