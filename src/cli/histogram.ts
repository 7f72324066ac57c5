import { existsSync } from "node:fs";
import { valuesOf } from "../algebra/array_values.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import type { Scalar, TypeName } from "../algebra/types.ts";
import type { WeightArray } from "../primitives/histogram.ts";
import type { OutputOption } from "./arrays.ts";
import { elementsIn, openOutput, withElements, writeArray } from "./arrays.ts";
import { quoted, UsageError } from "./errors.ts";
import { readAll } from "./npy.ts";
import type { AdapterOption, RawOption } from "./options.ts";
import { parseEdges, withFold } from "./options.ts";
import { startProgress } from "./progress.ts";

/** The options of `wavefold histogram`. */
export interface HistogramFileOptions extends OutputOption, RawOption, AdapterOption {
  readonly bins?: number;
  readonly range?: readonly Scalar[];
  readonly edges?: string;
  readonly bin?: string;
  readonly weights?: string;
}

/** Edges: numbers divided by commas, or those of a file. */
async function edgesOf(given: string): Promise<readonly Scalar[]> {
  try {
    return parseEdges(given);
  } catch {
    if (!existsSync(given)) {
      throw new UsageError(
        `--edges is ${quoted(given)}, which is no file; it takes numbers divided by commas, or the path of a .npy file`,
      );
    }
    const { type, data } = await elementsIn(given);
    const read = valuesOf(data, type) as (index: number) => Scalar;
    return Array.from({ length: data.length }, (_, at) => read(at));
  }
}

const weightTypes: readonly TypeName[] = ["u32", "i32", "f32"];

/** `wavefold histogram` */
export async function histogramFile(path: string, options: HistogramFileOptions): Promise<void> {
  const { bins, range, bin } = options;
  if (options.edges === undefined && (bins === undefined || (range === undefined) === (bin === undefined))) {
    throw new UsageError(
      "histogram takes --edges LIST, or --bins COUNT with --range LOW,HIGH, or --bins COUNT with --bin EXPR",
    );
  }
  const target = await openOutput(options.output, options);
  await withElements(path, options, async (source, { path: input }) => {
    const progress = startProgress(4);
    try {
      progress.step("reading");
      const data = await readAll(source, input);
      const edges = options.edges === undefined ? undefined : await edgesOf(options.edges);
      const weights = options.weights === undefined ? undefined : await elementsIn(options.weights);
      if (weights !== undefined && !weightTypes.includes(weights.type.name)) {
        throw new UsageError(
          `${options.weights}: it holds ${weights.type.name}; weights are ${weightTypes.join(", ")}`,
        );
      }
      progress.step("opening the adapter");
      const sums = await withFold(options, (fold) => {
        progress.step("running");
        return fold.histogram(data, {
          type: source.type,
          bins,
          range,
          edges,
          bin,
          ...(weights && { weights: weights.data as WeightArray }),
        } as never);
      });
      progress.step("writing");
      const type = weights === undefined ? u32 : elementTypes[weights.type.name];
      await writeArray(target, options, type, sums, source.shape && [sums.length]);
    } finally {
      progress.stop();
    }
  });
}
