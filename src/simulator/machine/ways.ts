/** How a thread has left the others. */
export const WAYS = [
  "it took another way at",
  "it returned at",
  "it left the loop at",
  "it went on with the loop at",
] as const;

export const BRANCHED = 0;
export const RETURNED = 1;
export const LEFT_LOOP = 2;
export const CONTINUED = 3;

export type Way = typeof BRANCHED | typeof RETURNED | typeof LEFT_LOOP | typeof CONTINUED;
