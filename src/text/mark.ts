/**
 * The mark that the caller's names begin with if their text and ours are in one module. No name of ours begins with it.
 * Messages of compilers are shown without it.
 */
export const MARK = "callers_";
