import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fixture } from "../fuzz/fixture.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import { useFoldOfOneSize } from "../support/fold.ts";
import { described } from "../support/primitives.ts";
import { casesOf, missingFor, verdictOn } from "./cases.ts";

// Each example of each primitive, in each form.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
let fixture: Fixture;
beforeAll(() => {
  fixture = fixtureOn(fold(), scaleOf("simulated"));
});
afterAll(() => fixture.destroy());

describe.each(described)("$primitive.name", (of) => {
  test.for(casesOf(of))(
    "$call.type, example $call.example, $step.length elements, $step.place",
    async (one, { skip }) => {
      const missing = missingFor(fold(), one.call);
      skip(missing !== undefined, `the adapter has no ${missing}`);
      const verdict = await verdictOn(fixture, one);
      // Some primitives have no result if there are no elements.
      expect(one.step.length === 0 ? "passed" : verdict).toBe("passed");
    },
  );
});
