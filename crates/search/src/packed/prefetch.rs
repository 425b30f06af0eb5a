//! Hints to the machine. Nothing here changes a result.

use std::sync::atomic::AtomicU64;

/// Asks the processor to fetch the cache line of `values[index]`. An index outside the slice is ignored.
#[inline(always)]
pub fn prefetch<T>(values: &[T], index: usize) {
    if index < values.len() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the pointer is inside the slice, and a prefetch reads nothing as far as the program can tell.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().add(index).cast());
        }
    }
}

/// Gives back the memory of words that nobody needs any more: on Linux they are zero afterwards, elsewhere nothing happens.
pub fn release_pages(words: &[AtomicU64]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        const MADV_DONTNEED: i32 = 4;
        unsafe extern "C" {
            fn madvise(address: *mut core::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        let begin = (words.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (words.as_ptr() as usize + size_of_val(words)) / PAGE * PAGE;
        if begin < end {
            // SAFETY: the range lies inside the words, which are atomic: that they become zero is a change like any other that
            // another thread makes. A failure leaves them as they are, which is as good, so the result is not looked at.
            unsafe {
                madvise(begin as *mut core::ffi::c_void, end - begin, MADV_DONTNEED);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
}

/// Gives back to the system what was freed and is kept by the allocator for later, where the allocator is known.
pub fn give_back_what_is_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: it changes what the allocator keeps of memory that nobody uses. The result only says whether there was some.
        unsafe {
            malloc_trim(0);
        }
    }
}

/// Asks the kernel to back a large allocation with huge pages, which spares most of the misses in the processor's table of
/// pages. Only on Linux, and only where it pays.
pub fn advise_huge_pages<T>(values: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const HUGE_PAGE: usize = 2 << 20;
        const MADV_HUGEPAGE: i32 = 14;
        unsafe extern "C" {
            fn madvise(address: *mut core::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        let bytes = std::mem::size_of_val(values);
        if bytes < 2 * HUGE_PAGE {
            return;
        }
        let begin = (values.as_ptr() as usize).next_multiple_of(HUGE_PAGE);
        let end = (values.as_ptr() as usize + bytes) / HUGE_PAGE * HUGE_PAGE;
        // SAFETY: the range lies inside the allocation, and this advice changes how it is backed, never what it holds. A
        // failure is without consequence, so the result is not looked at.
        unsafe {
            madvise(begin as *mut core::ffi::c_void, end - begin, MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}
