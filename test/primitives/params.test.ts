import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { bitsOf } from "../../src/primitives/example_calls.ts";
import { texts, withParams } from "../support/params.ts";
import { described } from "../support/primitives.ts";

// results.test.ts makes the calls of examples with params in the place of numbers, too. Each primitive that has a text has such an example.

test("some example of each primitive that has a text", () => {
  const taking = described.filter(({ primitive }) =>
    texts.some((text) => text in { ...primitive.options, ...primitive.callOptions }),
  );
  const having = taking.filter(({ examples }) =>
    examples
      .of(u32, 100, bitsOf(1))
      .some(({ options }) => "params" in withParams(options as Readonly<Record<string, unknown>>)),
  );
  const names = (all: typeof described): readonly string[] => all.map(({ primitive }) => primitive.name);
  expect(names(having)).toEqual(names(taking));
});
