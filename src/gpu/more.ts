// The primitives that most programs do not need. Each is loaded by its first call. One module stands for them all, so that a
// program without them has nothing of them but one import.

export const argAtHand: typeof import("./arg_at_hand.ts").argAtHand = async (...given) =>
  (await import("./arg_at_hand.ts")).argAtHand(...given);

export const histogramAtHand: typeof import("./histogram.ts").histogramAtHand = async (...given) =>
  (await import("./histogram.ts")).histogramAtHand(...given);

export const prepareHistogram: typeof import("./histogram.ts").prepareHistogram = async (...given) =>
  (await import("./histogram.ts")).prepareHistogram(...given);

export const searchSortedAtHand: typeof import("./search.ts").searchSortedAtHand = async (...given) =>
  (await import("./search.ts")).searchSortedAtHand(...given);

export const prepareSearchSorted: typeof import("./search.ts").prepareSearchSorted = async (...given) =>
  (await import("./search.ts")).prepareSearchSorted(...given);
