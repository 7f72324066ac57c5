import { expect, test } from "vitest";
import { cases, MAIN, namesIn } from "./suite.ts";

test("two hosts with one compiler run each case together, and what is not of the compiler in both", () => {
  const [first, second] = [namesIn(MAIN, "first"), namesIn(MAIN, "second")];
  expect(namesIn(MAIN, "all")).toEqual(cases.map(({ name }) => name));
  expect(new Set([...first, ...second])).toEqual(new Set(namesIn(MAIN, "all")));
  const inBoth = first.filter((name) => second.includes(name));
  expect(inBoth).toEqual(cases.filter(({ ofCompiler }) => !ofCompiler).map(({ name }) => name));
  expect(Math.abs(first.length - second.length)).toBeLessThanOrEqual(1);
});
