import type { Context } from "./context.ts";

// What a new context has to keep things in for later calls, and how much it may keep.

/** How many pipelines are kept by default. About thirty calls of different kinds take as many. */
const MOST_PIPELINES = 128;

/** Bytes of the buffers of calls, under way and kept, if the caller does not say. */
const MOST_BYTES = 2 ** 29;

/**
 * Nothing is kept yet. By default, pieces have 8 MiB: in Chromium on an H100, they take 0.91 to 0.94 of the time of 16 MiB, since what its
 * processes copy twice is still in a cache.
 */
export const emptyContext = (
  pieceBytes = 2 ** 23,
): Pick<Context, "pipelines" | "mostPipelines" | "kept"> => ({
  pipelines: new Map(),
  mostPipelines: MOST_PIPELINES,
  kept: {
    mostBytes: MOST_BYTES,
    calls: 0,
    usedBytes: 0,
    busy: new Set(),
    waiting: [],
    pieceBytes,
    longBytes: 2 ** 24,
    buffers: [],
    plans: [],
  },
});

/** How much a caller lets a context keep. */
export interface MostKept {
  readonly maxPipelines?: number | undefined;
  readonly maxKeptBytes?: number | undefined;
}

/** Sets how much a context may keep. What is not named stays as it was. */
export function keepAtMost(context: Context, { maxPipelines, maxKeptBytes }: MostKept): void {
  context.mostPipelines = maxPipelines ?? context.mostPipelines;
  context.kept.mostBytes = maxKeptBytes ?? context.kept.mostBytes;
}
