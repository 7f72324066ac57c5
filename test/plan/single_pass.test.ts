import { expect, test } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16 } from "../../src/algebra/floats.ts";
import { planFactsFor } from "../../src/plan/plan_facts_for.ts";
import { planScan } from "../../src/plan/scan.ts";
import { adapters } from "../kernels/digests/adapters.ts";

test("an operator with tiles of its own takes two passes, unless a single one is asked for", async () => {
  const options = { type: f16, op: exactAdd, maxLength: 2 ** 20 } as const;
  const facts = await planFactsFor({}, adapters.nvidia, true);
  expect(planScan(options, facts).groupingOf("vectors").passes).toBe("reduce-then-scan");
  expect(planScan({ ...options, passes: "single" }, facts).groupingOf("vectors").passes).toBe("single");
});
