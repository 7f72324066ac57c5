import { test } from "vitest";
import { f16 } from "../../src/algebra/floats.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { checkFunctions, everyOther } from "../support/in_kernel.ts";
import { allTypes, operatorFunctions, operatorsOf } from "../support/kernels.ts";

const fold = useFold();

/** Of several of SwiftShader's subgroups each. Tiles of 8 divide the first alone. Larger ones compile slowly. */
const sizes = [32, 36, 20];

// Every function × operator × type × algorithm. Every size, and one function twice: in_kernel_sizes.test.ts.
const all = allTypes.flatMap((type) =>
  algorithmNames.flatMap((algorithm, by) =>
    operatorsOf(type).map((op, index) => ({ type, algorithm, op: untyped(op), number: index + by })),
  ),
);
test.for(all)("$type.name, $algorithm: $op.name", async ({ type, algorithm, op, number }, { skip }) => {
  skip(type === f16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const size = sizes[number % sizes.length] ?? 0;
  const functions = operatorFunctions(type, op, algorithm, size, false, [8]);
  const names = everyOther(
    functions.flatMap((set) => set.names),
    number,
  );
  await checkFunctions(fold().device, { type, op }, functions, names, [size], `${algorithm} ${size}`);
});
