import { u32 } from "../algebra/integers.ts";
import type { OutputOption } from "./arrays.ts";
import { openOutput, withElements, writeArray } from "./arrays.ts";
import { UsageError } from "./errors.ts";
import { readAll } from "./npy.ts";
import type { AdapterOption, RawOption } from "./options.ts";
import { withFold } from "./options.ts";
import { startProgress } from "./progress.ts";

/** The options of `wavefold searchsorted`. */
export interface SearchFileOptions extends OutputOption, RawOption, AdapterOption {
  readonly side: "left" | "right";
}

/** `wavefold searchsorted` */
export async function searchFile(
  sortedPath: string,
  path: string,
  options: SearchFileOptions,
): Promise<void> {
  const target = await openOutput(options.output, options);
  const progress = startProgress(4);
  try {
    progress.step("reading");
    const sorted = await withElements(sortedPath, options, async (source, input) => ({
      type: source.type,
      data: await readAll(source, input.path),
    }));
    await withElements(path, options, async (source, input) => {
      const { name } = sorted.type;
      if (source.type !== sorted.type) {
        throw new UsageError(
          `${input.path}: it holds ${source.type.name}, and ${sortedPath} holds ${name}; it takes values of ${name}`,
        );
      }
      const values = await readAll(source, input.path);
      progress.step("opening the adapter");
      const places = await withFold(options, (fold) => {
        progress.step("running");
        return fold.searchSorted(sorted.data, values, {
          side: options.side,
          ...(source.type.name === "f16" && { type: source.type }),
        });
      });
      progress.step("writing");
      await writeArray(target, options, u32, places, source.shape);
    });
  } finally {
    progress.stop();
  }
}
