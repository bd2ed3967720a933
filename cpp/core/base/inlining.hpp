// Attributes that make a compiler inline a function or not.
#pragma once

#if defined(_MSC_VER)
#define MF_INLINE __forceinline
#define MF_NOINLINE __declspec(noinline)
#else
#define MF_INLINE [[gnu::always_inline]] inline
#define MF_NOINLINE [[gnu::noinline]]
#endif
