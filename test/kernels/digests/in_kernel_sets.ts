import { f16, f32 } from "../../../src/algebra/floats.ts";
import { u32 } from "../../../src/algebra/integers.ts";
import type { Operator } from "../../../src/algebra/monoid.ts";
import type { ElementType } from "../../../src/algebra/types.ts";
import { workGroupAlgorithms } from "../../../src/in_kernel/algorithms.ts";
import { workGroupBroadcast } from "../../../src/in_kernel/exchange.ts";
import {
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
} from "../../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../../src/in_kernel/link.ts";
import { identityOf, numeric } from "../../../src/in_kernel/numeric.ts";
import { workGroupSort, workGroupSortPairs } from "../../../src/in_kernel/sort.ts";
import type { Algorithm } from "../../../src/kernels/algorithms.ts";
import {
  allTypes,
  coalescedTileFunctions,
  inKernelFunctions,
  operatorFunctions,
  segmentedFunctions,
} from "../../support/kernels.ts";
import { algorithmNames, untyped } from "../../support/untyped.ts";
import type { Options } from "./mixes.ts";
import { product, titleOf } from "./mixes.ts";
import { everyType, scalarSums, structSums } from "./types.ts";

/** Options of functions for a caller's own kernel. They do not depend on the adapter. */
export interface InKernelSet {
  readonly title: string;
  functions(): readonly InKernelFunctions[];
}

const set = (primitive: string, options: Options, functions: InKernelSet["functions"]): InKernelSet => ({
  title: `${primitive}: ${titleOf(options)}`,
  functions,
});

const algorithmsOf = algorithmNames.map((algorithm) => ({ algorithm }));

const ofOperators = product([...scalarSums, ...structSums], algorithmsOf).map((options) => {
  const { type, op, algorithm } = options as {
    type: ElementType;
    op: Operator<string>;
    algorithm: Algorithm;
  };
  return set("in kernel", options, () =>
    type.kind === "struct"
      ? [
          ...operatorFunctions(type, op, algorithm, 32, false, [8]),
          ...segmentedFunctions(type, op, algorithm, 32, [8]),
          ...coalescedTileFunctions(type, op, algorithm, 32, [8]),
        ]
      : inKernelFunctions(type, op, algorithm),
  );
});

/** Work-groups of other sizes: a few threads, no whole subgroups, and many. */
const ofSizes = product(
  scalarSums.filter(({ type, op }) => op.name === "max" && type.name !== "i32"),
  algorithmsOf,
  [1, 100, 256].map((workGroupSize) => ({ workGroupSize })),
).map((options) => {
  const { type, op, algorithm, workGroupSize } = options as {
    type: ElementType;
    op: Operator<string>;
    algorithm: Algorithm;
    workGroupSize: number;
  };
  return set("in kernel", options, () => [
    ...operatorFunctions(type, op, algorithm, workGroupSize),
    ...segmentedFunctions(type, op, algorithm, workGroupSize),
  ]);
});

const compactions = product(
  algorithmsOf,
  [32, 100, 256].map((workGroupSize) => ({ workGroupSize })),
).map(({ algorithm, workGroupSize }) =>
  set("in kernel compact", { algorithm, workGroupSize }, () => {
    const options = {
      workGroupSize: workGroupSize as number,
      algorithm: workGroupAlgorithms[algorithm as Algorithm],
    };
    const counted = { ...options, counter: "used" };
    return [
      workGroupCompact(options),
      workGroupCompactUpdate(counted),
      workGroupAllocate(counted),
      workGroupAllocate({ ...counted, capacity: 1000 }),
      workGroupAllocate({ ...counted, capacity: "arrayLength(&list)" }),
    ];
  }),
);

const sorts = product(
  allTypes.map((type) => ({ type })),
  [1, 4, 20].map((items) => ({ items })),
  [{}, { descending: true }],
).map((options) => {
  const { type, ...others } = options as { type: (typeof allTypes)[number]; items: number };
  const all = { type, ...others, workGroupSize: 32 };
  return set("in kernel sort", options, () => [
    workGroupSort(all),
    ...[u32, f16, f32, structSums[4]?.type as ElementType].map((values) =>
      workGroupSortPairs({ ...all, values }),
    ),
  ]);
});

const ofTypes = everyType.map((type) =>
  set("in kernel types", { type }, () => [
    ...(type.files.some(({ as }) => as) ? [numeric(type)] : []),
    workGroupBroadcast({ type, workGroupSize: 32 }),
  ]),
);

const identities = [...scalarSums, ...structSums].map((options) =>
  set("in kernel identity", options, () => [identityOf({ ...options, op: untyped(options.op) })]),
);

/** All of them. Each title is there once. */
export const inKernelSets: readonly InKernelSet[] = [
  ...ofOperators,
  ...ofSizes,
  ...compactions,
  ...sorts,
  ...ofTypes,
  ...identities,
];
