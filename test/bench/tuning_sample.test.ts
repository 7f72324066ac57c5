import { describe, expect, test } from "vitest";
import type { BenchTypeName } from "../../bench/elements.ts";
import { benchTypes } from "../../bench/elements.ts";
import { tuningSample } from "../../bench/tuning_sample.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { TuningCandidate } from "../../src/gpu/tuning/candidates.ts";
import { tuneOne } from "../../src/gpu/tuning/tune_adapter.ts";
import { planAs, useFold } from "../support/fold.ts";

const fold = useFold();
const primitives = ["scan", "reduce", "compact"] as const;

/** What the tuning finds of one way of a primitive on a type, at an odd length and at one that is no whole number of words. */
async function tuned(
  name: BenchTypeName,
  primitive: (typeof primitives)[number],
  sample = tuningSample(name),
) {
  const wrong: TuningCandidate[] = [];
  const restore = planAs(fold(), { software: true });
  try {
    const { rows } = await tuneOne(fold(), {
      ...{ primitive, sample, lengths: [9, 301] },
      type: benchTypes[name].type as ElementType,
      algorithms: ["blelloch"],
      shapes: [{ workGroupSize: 8, itemsPerThread: 2 }],
      deadline: Number.POSITIVE_INFINITY,
      onWrong: (candidate) => wrong.push(candidate),
    });
    return { rows, wrong: wrong.length };
  } finally {
    restore();
  }
}

describe.each(Object.keys(benchTypes) as BenchTypeName[])("the sample of %s", (name) => {
  const { type } = benchTypes[name];

  test("is what the device computes, of each primitive, and the rows are for elements of its size", async (context) => {
    const { feature } = type as { readonly feature?: GPUFeatureName };
    context.skip(feature !== undefined && !fold().device.features.has(feature), `there is no ${feature}`);
    for (const primitive of primitives) {
      const { rows, wrong } = await tuned(name, primitive);
      expect(wrong).toBe(0);
      // Compactions scan places, which are u32.
      const elementBytes = primitive === "compact" ? 4 : type.bytes;
      expect(rows).toMatchObject([{ primitive, elementBytes, workGroupSize: 8, itemsPerThread: 2 }]);
      expect(rows[0]?.long ?? false).toBe(primitive !== "compact" && name === "f64");
    }
  });

  test("shows a wrong element", async (context) => {
    const { feature } = type as { readonly feature?: GPUFeatureName };
    context.skip(feature !== undefined && !fold().device.features.has(feature), `there is no ${feature}`);
    const sample = tuningSample(name);
    for (const primitive of primitives) {
      const found = await tuned(name, primitive, {
        ...sample,
        // The last number is another one.
        resultOf(...asked) {
          const result = sample.resultOf(...asked).slice();
          result[result.length - 1] = (result.at(-1) as number) + 1;
          return result;
        },
      });
      expect(found).toEqual({ rows: [], wrong: 1 });
    }
  });
});
