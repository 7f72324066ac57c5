import type { Fold, Operator } from "../../src/index.ts";
import { add, elementTypes } from "../../src/index.ts";
import { predicates } from "../choices.ts";
import { randomArray } from "../data.ts";
import type { Wanted } from "../plans.ts";
import { runOnGpu } from "../run.ts";
import { verify } from "../verify.ts";

/** A row of the bench. */
export interface Measurement {
  readonly what: "copy" | "scan" | "reduce" | "compact";
  readonly length: number;
  /** The median of `runs` runs. */
  readonly microseconds: number;
  readonly runs: number;
}

/** What the button copies. */
export interface BenchResult {
  readonly adapter: {
    readonly vendor: string;
    readonly architecture: string;
    readonly device: string;
    readonly description: string;
    readonly software: boolean;
  };
  readonly browser: string;
  readonly date: string;
  readonly clock: string;
  readonly element: "u32";
  readonly measurements: readonly Measurement[];
}

const op = add as Operator as Operator<string>;
const PRIMITIVES = ["scan", "reduce", "compact"] as const;

/** The lengths up to the largest: every fourth power of two, and the largest. */
export const lengthsTo = (power: number): number[] =>
  Array.from({ length: Math.floor((power - 8) / 2) + 1 }, (_, at) => 2 ** (power - 2 * at)).reverse();

/**
 * Runs the bench, and tells of each measurement when it is there.
 *
 * @throws {Error} when a result is wrong: its time does not count.
 */
export async function runBench(
  fold: Fold,
  lengths: readonly number[],
  tell: (title: string) => Promise<void>,
): Promise<BenchResult> {
  const { vendor, architecture, device, description } = fold.adapterInfo;
  const measurements: Measurement[] = [];
  let clock = "";
  for (const length of lengths) {
    const data = randomArray("u32", "add", length, length);
    for (const primitive of PRIMITIVES) {
      await tell(`${primitive} of ${length.toLocaleString("en")} u32 …`);
      const predicate = predicates.odd.of("u32");
      const wanted: Wanted = {
        primitive,
        type: elementTypes.u32,
        op,
        algorithm: undefined,
        passes: undefined,
        exclusive: false,
        where: predicate?.where ?? "",
        length,
      };
      const { output, grouping, timing, copy } = await runOnGpu(fold, wanted, data);
      const { ok, text } = verify(
        { primitive, type: "u32", op, own: false, exclusive: false, predicate, data },
        output,
        grouping,
      );
      if (!ok) {
        throw new Error(`The ${primitive} of ${length.toLocaleString("en")} u32 is wrong. ${text}`);
      }
      if (timing !== undefined && copy !== undefined) {
        clock = timing.by;
        if (primitive === "scan") {
          measurements.push({ what: "copy", length, microseconds: copy.microseconds, runs: copy.runs });
        }
        measurements.push({ what: primitive, length, microseconds: timing.microseconds, runs: timing.runs });
      }
    }
  }
  return {
    adapter: { vendor, architecture, device, description, software: fold.software },
    browser: navigator.userAgent,
    date: new Date().toISOString(),
    clock,
    element: "u32",
    measurements,
  };
}
