/** Bytes of a buffer or a binding that holds so many: a multiple of 4, and never empty. */
export const wholeWords = (bytes: number): number => Math.max(4, Math.ceil(bytes / 4) * 4);
