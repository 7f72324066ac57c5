/**
 * What the caller's names begin with where their text and ours are one module: none of ours begins so. A message of a
 * compiler's is told without it.
 */
export const MARK = "callers_";
