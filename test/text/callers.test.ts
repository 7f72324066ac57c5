import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { SourceError } from "../../src/errors.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";

test.each([
  ["another", "\nfn a() {}\n// again\nfn a() {}", "a", 4],
  ["one on its line", "struct b { x: u32 } const b = 1u;", "b", 1],
])("a declaration with the name of %s", async (_, declarations, name, line) => {
  const op = operator({
    name: "clashing",
    type: u32,
    identity: 0,
    combine: "earlier",
    declarations,
    reference: (earlier) => earlier,
  }) as Operator as Operator<string>;
  const cause = await planScan({ type: u32, op, maxLength: 100 }, factsWith()).catch((error) => error);
  expect(cause).toBeInstanceOf(SourceError);
  expect(cause.message).toBe(
    `declarations of the operator clashing, line ${line}: the name ${name} is taken; choose another`,
  );
  expect(cause).toMatchObject({ line, source: declarations });
});
