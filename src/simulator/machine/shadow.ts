/**
 * The marks that shadow memory has of an access: the place of the text and the thread in one word.
 * Work-groups have at most 2048 threads, and programs at most 2^20 places.
 */
export const THREAD_BITS = 11;
export const THREAD_MASK = 0x7ff;

export const threadOf = (mark: number): number => mark & THREAD_MASK;
/** Without the sign, which may be a flag. */
export const siteOf = (mark: number): number => (mark & 0x7fffffff) >>> THREAD_BITS;
