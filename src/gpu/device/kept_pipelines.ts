import type { Kernel } from "../../kernels/kernel.ts";
import type { Context } from "./context.ts";
import { letGoOfBuffers, letGoOfPlans } from "./kept.ts";

// The pipelines that a context keeps for later calls, and how all that it keeps is let go.

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
