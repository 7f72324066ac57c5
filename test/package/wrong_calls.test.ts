import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Primitive } from "../../src/primitives/primitive.ts";
import { argumentsAmong } from "../../src/primitives/primitive.ts";
import { isPrepared } from "../primitives/calls.ts";
import { prepareName, withHelp } from "../support/primitives.ts";
import type { Packed } from "./pack.ts";
import { packPackage, run, tsc } from "./pack.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
});
afterAll(() => packed?.remove());

/** A call that does not type-check: the option at fault, and what the message says. */
type Mistake = readonly [call: string, option: string, message: RegExp];

/** A call with its other arguments, up to the options, and the option to misspell, with the value that it would have. */
type Call = readonly [head: string, right: string, option: string, value: string];

/** A misspelled option: TypeScript says which one was meant. */
const misspelled = ([head, right, option, value]: Call): Mistake => {
  const wrong = `${option.slice(0, -3)}${option.slice(-2)}`;
  return [
    `${head}{ ${right}${wrong}: ${value} })`,
    wrong,
    new RegExp(`Did you mean to write '${option}'\\?`),
  ];
};
const wrongOperators = ([head, right]: Call): Mistake[] => [
  [`${head}{ ${right}op: "max" })`, "op", /Type 'string' is not assignable to type 'Operator</],
  [`${head}{ ${right}op: Math.max })`, "op", /=> number' is not assignable to type 'Operator</],
];
const wrongInto = ([head, right]: Call, into: string, type: string): Mistake => [
  `${head}{ ${right}into: ${into} })`,
  "into",
  new RegExp(`(assignable to|from) type '${type}[<']`),
];
const wrongWhere = ([head, right]: Call): Mistake => [
  `${head}{ ${right}where: (x: number) => x > 2 })`,
  "where",
  /=> boolean' is not assignable to type 'string'/,
];

/** Calls on `data`, which is an array here or on the GPU. */
function mistakesOn(data: string, others: { into: string; array: string }): Mistake[] {
  const { into, array } = others;
  const scan: Call = [`fold.scan(${data}, `, "", "exclusive", "true"];
  const mapped: Call = [`fold.scan(${data}, `, 'type: u32, map: "1u", ', "exclusive", "true"];
  const reduce: Call = [`fold.reduce(${data}, `, "", "initial", "3"];
  const rows: Call = [`fold.reduce(${data}, `, "segments: { rows: 2 }, ", "workGroupSize", "3"];
  const compact: Call = [`fold.compact(${data}, `, "", "indices", "true"];
  const where: Call = [`fold.compact(${data}, `, 'where: "true", ', "indices", "true"];
  const partition: Call = [`fold.partition(${data}, `, 'where: "true", ', "indices", "true"];
  const classes: Call = [`fold.partition(${data}, `, "classes: 3, ", "class", '"u32(x)"'];
  const sort: Call = [`fold.sort(${data}, `, "", "descending", "true"];
  return [
    ...[scan, mapped, reduce, rows, where, partition, classes].map(misspelled),
    ...withHelp.map(({ primitive }) => misspelled(callOf(primitive, data))),
    ...[scan, mapped, reduce, rows].flatMap(wrongOperators),
    ...[scan, where, partition, sort].map((call) => wrongInto(call, into, array)),
    ...[compact, ["fold.partition(data, ", "", "", ""] as const].map(wrongWhere),
    [`fold.scan(${data}, { type: f32, op: and, map: "f32(x)" })`, "op", /not assignable to type 'Operator</],
    [`fold.scan(${data}, { type: f32 })`, "map", /Property 'map' is missing/],
    [`fold.scan(${data}, { algorithm: "bubble" })`, "algorithm", /'"bubble"' is not assignable/],
    [`fold.scan(${data}, { segments: { row: 3 } })`, "row", /'row' does not exist in type/],
    [`fold.reduce(${data}, { segments: { row: 3 } })`, "row", /'row' does not exist in type/],
    [`fold.reduce(${data}, { segments: { rows: 3, x: 2 } })`, "x", /'x' does not exist in type/],
    [`fold.partition(${data}, { classes: 3, class: "x", where: "x" })`, "where", /to type 'undefined'/],
    [`fold.sort(${data}, { values: 3 })`, "values", /number' is not assignable to type/],
    [`fold.sort(${data}, { key: (x: number) => x })`, "key", /is not assignable to type 'string'/],
    [`fold.histogram(${data}, { bins: "3" })`, "bins", /'string' is not assignable to type 'number'/],
  ];
}

/** A value of an option, as code, by what the option takes. */
const codeFor = (kind: unknown): string | undefined =>
  Array.isArray(kind)
    ? JSON.stringify(kind[0])
    : new Map<unknown, string>([
        ["boolean", "true"],
        ["count", "3"],
        ["expression", '"x"'],
      ]).get(kind);

/** A call of a primitive on arrays that are all the same, and the option that has the longest name. */
function callOf({ name, operands, numbers = [], options }: Primitive<never>, data: string): Call {
  const given = [...argumentsAmong(operands).map(() => data), ...numbers.map(() => "3")];
  const [longest = ["", ""]] = Object.entries(options)
    .map(([option, kind]) => [option, codeFor(kind)] as const)
    .filter((one): one is readonly [string, string] => one[1] !== undefined)
    .sort(([a], [b]) => b.length - a.length);
  return [`fold.${name}(${given.join(", ")}, `, "", ...longest];
}

const scanStream: Call = ["fold.scanStream(", "type: u32, ", "exclusive", "true"];
const compactStream: Call = ["fold.compactStream(", 'type: u32, where: "true", ', "indices", "true"];
const reduceStream: Call = ["fold.reduceStream(chunks(), ", "type: u32, ", "initial", "3"];
const rowsStream: Call = ["fold.reduceStream(", "type: u32, segments: { rows: 2 }, ", "initial", "3"];
const prepareScan: Call = ["fold.prepareScan(", "type: u32, op: max, ", "maxLength", "3"];
const prepareReduce: Call = ["fold.prepareReduce(", "type: u32, op: max, ", "maxLength", "3"];
const prepared: readonly Call[] = [
  ...["Scan", "Reduce", "Compact", "Partition"].map(
    (name) => [`fold.prepare${name}(`, "type: u32, ", "maxLength", "3"] as const,
  ),
  ...withHelp.filter(isPrepared).map(({ primitive }): Call => {
    const numbers = (primitive.numbers ?? []).map((number) => `${number}: 3, `);
    return [`fold.${prepareName(primitive)}(`, `type: u32, ${numbers.join("")}`, "maxLength", "3"];
  }),
];
const references: readonly Call[] = [
  ["scanReference(data, ", "", "exclusive", "true"],
  ["reduceReference(data, ", "", "initial", "3"],
  ["compactReference(data, (x) => x > 2, ", "", "indices", "true"],
  ["partitionReference(data, (x) => x > 2, ", "", "indices", "true"],
  ["uniqueReference(data, ", "", "indices", "true"],
  ["sortReference(data, ", "", "descending", "true"],
  ["topKReference(data, 3, ", "", "smallest", "true"],
  ["histogramReference(data, ", "bins: 3, ", "range", "[0, 3]"],
];
const inKernel: readonly Call[] = ["workGroupScan", "workGroupReduce", "coalescedScan"].map(
  (name) => [`${name}(`, "type: u32, op: max, ", "workGroupSize", "64"] as const,
);
const operator: Call = ["operator(", 'name: "o", type: u32, combine: "later", ', "identity", "0"];
const tiles: Call = ["threadTileScan(", "type: u32, op: max, workGroupSize: 64, ", "tileSize", "8"];

const without = ([head, ...others]: Call): Call => [head, "type: u32, ", others[1], others[2]];

const mistakes: readonly Mistake[] = [
  ...mistakesOn("data", { into: "floats", array: "Uint32Array" }),
  ...mistakesOn("gpu", { into: "data", array: "GpuArray" }),
  ...[scanStream, compactStream, reduceStream, rowsStream, prepareScan, prepareReduce].map(misspelled),
  ...[...prepared, ...references, ...inKernel, operator, tiles].map(misspelled),
  ...[scanStream, reduceStream, rowsStream].flatMap(wrongOperators),
  ...[prepareScan, prepareReduce, ...inKernel, tiles].map(without).flatMap(wrongOperators),
  ...references.slice(0, 2).flatMap(wrongOperators),
  ["fold.reduce(gpu, { segments: { keys: gpu, type: f32 } })", "type", /'type' does not exist in type/],
  wrongWhere(["fold.compactStream(", "type: u32, ", "", ""]),
  wrongWhere(["fold.prepareCompact(", "type: u32, maxLength: 3, ", "", ""]),
  wrongWhere(["fold.preparePartition(", "type: u32, maxLength: 3, ", "", ""]),
  ["fold.prepareScan({ type: f32, op: and, maxLength: 3 })", "op", /not assignable to type 'Operator</],
  ["fold.scanStream({ type: u32, from: f32 })", "map", /Property 'map' is missing/],
  ["fold.upload(data, { typ: u32 })", "typ", /Did you mean to write 'type'\?/],
  ["fold.argMin(data, { algorithm: 3 })", "algorithm", /'number' is not assignable/],
  ["fold.gather(data, floats)", "floats", /'Float32Array.*' is not assignable/],
  ["fold.expandRuns(gpu, gpu)", "expandRuns", /Expected 3 arguments/],
];

const HEAD = `
import { and, f32, f64, max, operator, u32 } from "wavefold";
import type { Fold, GpuArray } from "wavefold";
import { compactReference, histogramReference, partitionReference, reduceReference, scanReference, sortReference, topKReference, uniqueReference } from "wavefold/reference";
import { coalescedScan, threadTileScan, workGroupReduce, workGroupScan } from "wavefold/wgsl";
declare const fold: Fold;
declare const gpu: GpuArray<"u32", number>;
declare function chunks(): AsyncIterable<Uint32Array>;
const [data, floats] = [Uint32Array.of(1), Float32Array.of(1)];
`;

/** What a compiler says, by files: the line and the column, from 1 on, and the message. */
function messagesOf(printed: string): Map<string, { line: number; column: number; message: string }[]> {
  const found = new Map<string, { line: number; column: number; message: string }[]>();
  for (const [, file = "", line, column, message = ""] of printed.matchAll(
    /^(\w+\.ts)\((\d+),(\d+)\): (.*(?:\n .*)*)/gm,
  )) {
    found.set(file, [...(found.get(file) ?? []), { line: Number(line), column: Number(column), message }]);
  }
  return found;
}

describe.each(["typescript", "typescript-6.0", "typescript-5.9", "typescript-5.4"])("%s", (compiler) => {
  let found: ReturnType<typeof messagesOf>;
  beforeAll(async () => {
    const project = await packed.project([], {
      "right.ts": await readFile("test/package/right_calls.ts", "utf8"),
      "wrong.ts": `${HEAD}${mistakes.map(([call]) => `void ${call};`).join("\n")}\n`,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "ES2022",
          module: "NodeNext",
          moduleResolution: "NodeNext",
          lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable", "ESNext.Disposable"],
          types: [],
          strict: true,
          skipLibCheck: true,
          noEmit: true,
        },
        files: ["right.ts", "wrong.ts"],
      }),
    });
    const printed = await run(...tsc(compiler, "-p", ".", "--pretty", "false"), project).catch(
      (cause: Error) => cause.message,
    );
    found = messagesOf(printed);
  });

  test("right calls have their types", () => {
    expect(found.get("right.ts") ?? []).toEqual([]);
  });

  test("of each wrong call, the message names what is wrong", () => {
    const first = HEAD.split("\n").length;
    const wrong = mistakes.flatMap(([call, option, message], at) => {
      const own = (found.get("wrong.ts") ?? []).filter(({ line }) => line === first + at);
      const [one] = own;
      const place = `void ${call}`.slice((one?.column ?? 1) - 1);
      // The message, or the place where it stands, names the option.
      const isNamed = place.startsWith(option) || one?.message.includes(`'${option}'`);
      return own.length === 1 && isNamed && message.test(one?.message ?? "")
        ? []
        : [{ call, message, found: own.map((each) => each.message), place }];
    });
    expect(wrong).toEqual([]);
  });
});
