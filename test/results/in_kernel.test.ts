import { test } from "vitest";
import { f16 } from "../../src/algebra/floats.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { checkFunctions } from "../support/in_kernel.ts";
import {
  allTypes,
  coalescedTileFunctions,
  operatorFunctions,
  operatorsOf,
  segmentedFunctions,
} from "../support/kernels.ts";

const fold = useFold();

// Every operator on every type, by some of the functions in turn. Every function: in_kernel_sizes.test.ts and in_kernel_segmented.test.ts.
const table = allTypes.flatMap((type, row) =>
  operatorsOf(type).map((op, column) => ({
    type,
    op: untyped(op),
    number: 5 * row + column,
    algorithm: algorithmNames[(row + column) % algorithmNames.length] as (typeof algorithmNames)[number],
  })),
);
test.for(table)("$type.name, $algorithm: $op.name", async ({ type, algorithm, op, number }, { skip }) => {
  skip(type === f16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const size = [32, 36, 20][number % 3] ?? 32;
  const functions = [
    ...operatorFunctions(type, op, algorithm, size, false, [8]),
    ...segmentedFunctions(type, op, algorithm, size, [8]),
    ...coalescedTileFunctions(type, op, algorithm, size, [8]),
  ];
  const names = functions.flatMap((set) => set.names).filter((_, at) => at % 17 === number % 17);
  const called = functions.filter((set) => set.names.some((name) => names.includes(name)));
  await checkFunctions(fold().device, { type, op }, called, names, [size], `${algorithm} ${size}`);
});
