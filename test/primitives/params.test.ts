import { afterAll, beforeAll, expect, test } from "vitest";
import { bitsOf } from "../../src/primitives/example_calls.ts";
import { places, runDescribed } from "../fuzz/described.ts";
import type { Fixture } from "../fuzz/fixture.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import { typeOf } from "../fuzz/values.ts";
import { useFold } from "../support/fold.ts";
import { texts, withParams } from "../support/params.ts";
import { described } from "../support/primitives.ts";

const fold = useFold();

// Each example that has a number in a text, recorded and in two other forms. Examples take the types and the forms by turns.
const formOf = (turn: number): (typeof places)[number] => places[turn % places.length] ?? "recorded";
const examples = described.flatMap((of) =>
  (["u32", "i64", "f32"] as const).flatMap((name, at, { length }) =>
    of.examples
      .of(typeOf(name), 100, bitsOf(1))
      .flatMap(({ options }, example) =>
        "params" in withParams(options as Readonly<Record<string, unknown>>)
          ? [[of.primitive.name, name, example] as const]
          : [],
      )
      .filter((_, turn) => turn % length === at),
  ),
);
let fixture: Fixture;
beforeAll(() => {
  fixture = fixtureOn(fold(), scaleOf("simulated"));
});
afterAll(() => fixture.destroy());
test("of each primitive that has a text", () => {
  const taking = described.filter(({ primitive }) =>
    texts.some((text) => text in { ...primitive.options, ...primitive.callOptions }),
  );
  expect([...new Set(examples.map(([name]) => name))].sort()).toEqual(
    taking.map(({ primitive }) => primitive.name).sort(),
  );
});
test.for(examples)("%s of %s, example %i", async ([primitive, type, example]) => {
  const length = 300;
  const verdict = await runDescribed(
    {
      family: "described",
      call: {
        primitive,
        type,
        maxLength: length,
        example,
        seed: 1,
        params: true,
        lengthOnGpu: example % 2 === 1,
      },
      steps: [formOf(example), formOf(example + 1), "recorded" as const].map((place, at) => ({
        place,
        length: length - at,
        before: at,
        data: { kind: "small", seed: at },
      })),
    },
    fixture,
  );
  expect(verdict).toBe("passed");
});
