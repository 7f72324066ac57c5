import type { Kernel } from "../../kernels/kernel.ts";
import type { Context } from "./context.ts";
import { letGoOfBuffers, letGoOfPlans, nothingKept } from "./kept.ts";

// What a context keeps for later calls.

/** How many pipelines are kept by default. About thirty calls of different kinds take as many. */
const MOST_PIPELINES = 128;

/** What a new context has: nothing is kept yet. */
export const emptyContext = (): Pick<Context, "pipelines" | "mostPipelines" | "kept"> => ({
  pipelines: new Map(),
  mostPipelines: MOST_PIPELINES,
  kept: nothingKept(),
});

/** How much the caller lets a context keep. What is not named stays as it was. */
export function keepAtMost(
  context: Context,
  { maxPipelines, maxKeptBytes }: { readonly maxPipelines?: number; readonly maxKeptBytes?: number },
): void {
  context.mostPipelines = maxPipelines ?? context.mostPipelines;
  context.kept.mostBytes = maxKeptBytes ?? context.kept.mostBytes;
}

/** The key of a kernel's pipeline: two kernels with the same key have the same pipeline. */
export const pipelineKeyOf = ({ entryPoint, code }: Pick<Kernel, "entryPoint" | "code">): string =>
  `${entryPoint}\n${code}`;

/** Marks the pipelines of these keys as the most recently used. */
export function usePipelines({ pipelines }: Context, keys: readonly string[]): void {
  for (const key of keys) {
    const pipeline = pipelines.get(key);
    if (pipeline) {
      pipelines.delete(key);
      pipelines.set(key, pipeline);
    }
  }
}

/** Drops the pipelines that were used least recently, until at most `most` are left; and kept plans that lack one then. */
export function letGo({ pipelines, kept }: Context, most: number): void {
  const before = pipelines.size;
  for (const key of pipelines.keys()) {
    if (pipelines.size > most) {
      pipelines.delete(key);
    }
  }
  if (pipelines.size < before) {
    letGoOfPlans(kept, pipelines);
  }
}

/** Drops what is kept for later calls. Prepared plans keep what they use. */
export function trim(context: Context): void {
  letGo(context, 0);
  letGoOfBuffers(context.kept, 0);
  if (context.digits?.uses === 0) {
    context.digits.resource.buffer.destroy();
    delete context.digits;
  }
}
