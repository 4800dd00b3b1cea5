// The header in C++11, which older engines use. Compiling it is the test.
#include <muster_runtime.h>

muster_status header_is_complete(muster_store* store);
muster_status header_is_complete(muster_store* store) { return muster_update(store, 0); }
