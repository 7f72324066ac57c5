import { expect, test } from "vitest";
import { u32 } from "../../../src/algebra/integers.ts";
import { add } from "../../../src/algebra/operators.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { factsWith } from "../../support/kernels.ts";
import { planScan } from "../../support/plans.ts";
import { adapters } from "./adapters.ts";
import { digestOfText, madeOf, plainText } from "./digest.ts";
import { inKernelSets } from "./in_kernel_sets.ts";
import { optionSets } from "./option_sets.ts";

const options = { type: u32, op: add, maxLength: 1e6, passes: "reduce-then-scan" } as const;
const scan = (): Promise<Plan> => planScan(options, factsWith());

const digestsOf = (plan: Plan): readonly [string[], string] => {
  const { kernels, data } = madeOf([plan]);
  return [kernels.map(digestOfText).sort(), plainText(data)];
};

test("a plan's digests do not depend on the order of its kernels", async () => {
  const plan = await scan();
  expect(digestsOf({ ...plan, kernels: [...plan.kernels].reverse() })).toEqual(digestsOf(plan));
});

test.each<[string, (plan: Plan) => Partial<Plan>]>([
  ["scratch", ({ scratch }) => ({ scratch: [...scratch, { name: "more", bytes: 4 }] })],
  ["the ranges", ({ needs }) => ({ needs: new Set([...needs, "count" as const]) })],
  ["the length of the output", () => ({ outputLength: (length) => length + 1 })],
  [
    "the grouping",
    ({ groupingOf }) => ({ groupingOf: (...given) => ({ ...groupingOf(...given), rows: 64 }) }),
  ],
  [
    "the work-groups of a pass",
    ({ passes }) => ({
      passes: (...given) => passes(...given).map((pass) => ({ ...pass, tiles: pass.tiles + 1 })),
    }),
  ],
  ["the order of passes", ({ passes }) => ({ passes: (...given) => [...passes(...given)].reverse() })],
  [
    "what a pass binds",
    ({ passes }) => ({
      passes: (...given) =>
        passes(...given).map((pass) => ({ ...pass, bindings: { ...pass.bindings, output: "count" } })),
    }),
  ],
  [
    "how a kernel binds",
    ({ passes }) => ({
      passes: (...given) =>
        passes(...given).map((pass) => ({
          ...pass,
          kernel: {
            ...pass.kernel,
            bindings: new Map([...pass.kernel.bindings, ["output", { number: 2, kind: "read" }]]),
          },
        })),
    }),
  ],
])("the digest of a plan depends on %s", async (_, change) => {
  const plan = await scan();
  const [texts, data] = digestsOf(plan);
  const changed = digestsOf({ ...plan, ...change(plan) });
  expect(changed[0]).toEqual(texts);
  expect(changed[1]).not.toBe(data);
});

test("each option set has its own title, and every adapter plans most of them", async () => {
  const titles = [...optionSets, ...inKernelSets].map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(optionSets.length).toBeGreaterThan(1500);
  const [first] = optionSets;
  const made = Object.values(adapters).map(async (facts) =>
    madeOf((await first?.plan(first.options, facts)) ?? []),
  );
  for (const { kernels } of await Promise.all(made)) {
    expect(kernels.length).toBeGreaterThan(0);
  }
});
