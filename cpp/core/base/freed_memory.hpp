// Memory that was freed and still belongs to the process.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace mf {

// Gives it back to the system. malloc keeps what was freed for the thread that had it: without this
// the largest needs of two steps would add up, though one has ended before the other begins. Takes
// up to some milliseconds, so that it is for steps on many rows only.
inline void return_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace mf
