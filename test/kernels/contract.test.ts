import { expect, test } from "vitest";
import contract from "#shaders/contract.wgsl";
import { baseOf, callMembers } from "../../src/kernels/contract.ts";

test("the uniform has the members that the contract explains, in its order", () => {
  const body = /^struct Call \{\n(.*?)^\}/ms.exec(contract.text)?.[1] ?? "";
  expect([...body.matchAll(/^ {2}(\w+): u32,$/gm)].map(([, name]) => name)).toEqual([...callMembers]);
});

test("a range starts where the member of its variable says, or else that of the range", () => {
  expect(baseOf("input", "input")).toBe("input_base");
  expect(baseOf("length_buffer", "count")).toBe("length_buffer_base");
  expect(baseOf("input", "values")).toBe("input_base");
  expect(baseOf("taken_count", "count")).toBe("count_base");
  expect(() => baseOf("unknown", "sortedCount")).toThrow(/where sortedCount starts, which unknown binds/);
});
