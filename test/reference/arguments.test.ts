import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { struct } from "../../src/algebra/struct.ts";
import { ArgumentError } from "../../src/errors.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";

const data = Uint32Array.of(3, 1, 2);

test.each([
  ["options of a scan that are null", () => scanReference(data, null as never), "options is null"],
  ["options of a reduction that are null", () => reduceReference(data, null as never), "options is null"],
  ["a predicate that is no function", () => compactReference(data, 3 as never), "keep is 3"],
  ["no definition of an operator", () => operator(undefined as never), "what is given is undefined"],
  ["no definition of a struct", () => struct(null as never), "what is given is null"],
  ["a name that is a bigint", () => operator({ name: 7n } as never), "name is 7n"],
])("%s is an error that says what it takes", (_, call, problem) => {
  expect(call).toThrow(ArgumentError);
  expect(call).toThrow(`${problem}; it takes `);
});
