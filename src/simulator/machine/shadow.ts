/**
 * Shadow memory notes an access in two words, or in one for each of: the thread, with when it was; the thread, with the place of the text.
 * Work-groups have at most 2048 threads, and programs at most 2^20 places.
 */
export const THREAD_BITS = 11;
export const THREAD_MASK = 0x7ff;
export const MOST_SITES = 2 ** 20;
/** A word's sign may say that there is a second read of the location. */
export const HAS_SECOND = 0x80000000 | 0;

export const threadOf = (mark: number): number => mark & THREAD_MASK;
/** The place of a mark, without the flag. */
export const siteOf = (mark: number): number => (mark & ~HAS_SECOND) >>> THREAD_BITS;
