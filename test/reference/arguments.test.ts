import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { struct } from "../../src/algebra/struct.ts";
import { ArgumentError } from "../../src/errors.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";

const data = Uint32Array.of(3, 1, 2);
const grouping = {
  algorithm: "blelloch",
  passes: "single",
  lookBack: { byVotes: false, fanOut: 4 },
  workGroupSize: 4,
  itemsPerThread: 2,
  subgroupSize: 4,
};

test.each([
  ["no object", 3, "3; it takes what groupingOf"],
  [
    "no algorithm",
    { ...grouping, algorithm: "toString" },
    'algorithm is "toString"; it takes hillis-steele, ',
  ],
  ["no passes", { ...grouping, passes: "double" }, 'passes is "double"; it takes single, '],
  [
    "a size that no memory holds",
    { ...grouping, workGroupSize: 2 ** 40 },
    "workGroupSize is 1099511627776; it takes a whole number from 1 to 65536",
  ],
  [
    "no size",
    { ...grouping, workGroupSize: undefined },
    "workGroupSize is undefined; it takes a whole number from 1",
  ],
  [
    "half an item",
    { ...grouping, itemsPerThread: 0.5 },
    "itemsPerThread is 0.5; it takes a whole number from 1 to 64",
  ],
  [
    "too many lanes",
    { ...grouping, subgroupSize: 2 ** 40 },
    "subgroupSize is 1099511627776; it takes a whole number from 1 to 128",
  ],
  [
    "no look-back",
    { ...grouping, lookBack: undefined },
    "fanOut is undefined; it takes a whole number from 1",
  ],
  [
    "tiles of one item",
    { ...grouping, workGroupSize: 1, itemsPerThread: 1, passes: "reduce-then-scan" },
    "a tile is workGroupSize * itemsPerThread = 1 item; it takes at least 2",
  ],
  ["a number for shifted", { ...grouping, shifted: 1 }, "shifted is 1; it takes true or false"],
  [
    "vectors of two items that are shifted",
    { ...grouping, itemsPerVector: 2, shifted: true },
    "shifted is true and itemsPerVector is 2; it takes shifted with one item a vector",
  ],
])("a grouping of %s is refused", (_, given, problem) => {
  for (const [name, reference] of [
    ["scanReference", scanReference],
    ["reduceReference", reduceReference],
  ] as [string, (data: Uint32Array, options: object) => unknown][]) {
    const call = () => reference(data, { grouping: given });
    expect(call).toThrow(ArgumentError);
    expect(call).toThrow(`${name}: grouping: ${problem}`);
    expect(() => reference(data, { grouping })).not.toThrow();
  }
});

test.each([
  ["options of a scan that are null", () => scanReference(data, null as never), "options is null"],
  ["options of a reduction that are null", () => reduceReference(data, null as never), "options is null"],
  ["a predicate that is no function", () => compactReference(data, 3 as never), "keep is 3"],
  ["no definition of an operator", () => operator(undefined as never), "the definition is undefined"],
  ["no definition of a struct", () => struct(null as never), "the definition is null"],
  ["a name that is a bigint", () => operator({ name: 7n } as never), "name is 7n"],
])("%s is an error that says what it takes", (_, call, problem) => {
  expect(call).toThrow(ArgumentError);
  expect(call).toThrow(`${problem}; it takes `);
});

test.each<[string, (options: object) => unknown, readonly string[]]>([
  [
    "scanReference",
    (options) => scanReference(data, options),
    ["op", "type", "from", "map", "exclusive", "grouping"],
  ],
  ["reduceReference", (options) => reduceReference(data, options), ["op", "type", "from", "map", "grouping"]],
  [
    "compactReference",
    (options) => compactReference(data, () => true, options),
    ["type", "from", "map", "indices"],
  ],
])("%s takes no other options", (caller, run, names) => {
  expect(() => run({ nonsense: 1 })).toThrow(ArgumentError);
  expect(() => run({ nonsense: 1 })).toThrow(`${caller} takes no option nonsense; it takes `);
  expect(() => run({ toString: 1 })).toThrow(`${caller} takes no option toString`);
  expect(() => run({ nonsense: undefined })).not.toThrow();
  for (const name of names.filter((one) => one.length > 3)) {
    expect(() => run({ [`${name}s`]: 1 })).toThrow(
      `${caller} takes no option ${name}s; did you mean ${name}?`,
    );
  }
});
