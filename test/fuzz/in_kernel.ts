import fc from "fast-check";
import { valuesOf } from "../../src/algebra/array_values.ts";
import { describe } from "../../src/algebra/check_value.ts";
import { scalarAt } from "../../src/algebra/fields.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, Scalar, TypeName, Value } from "../../src/algebra/types.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { workGroupSplit } from "../../src/in_kernel/exchange.ts";
import {
  coalescedReduce,
  coalescedScan,
  coalescedScanUniform,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScan,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "../../src/in_kernel/segmented.ts";
import { workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import { referenceMonoid } from "../../src/reference/twins.ts";
import { encodeDispatch } from "../support/buffers.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { PlanFacts, Scale } from "./plans.ts";
import {
  algorithmNames,
  boundsOf,
  dataArbitrary,
  dataFor,
  factsOf,
  isBounded,
  isDefined,
  oneIn,
  operatorNames,
  Pooled,
  rarely,
  typeArbitrary,
} from "./plans.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, fieldsOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attemptNow, Fault, oneLine } from "./verdict.ts";

// Functions linked into a kernel, called by every thread of work-groups of any shape, some in one kernel.

const scopes = ["work_group", "coalesced", "thread_tile"] as const;
const kinds = ["scan", "reduce", "compact", "allocate", "split", "sort"] as const;

/** One function, and how it is called. */
export interface FunctionSpec {
  readonly kind: (typeof kinds)[number];
  readonly scope?: (typeof scopes)[number];
  /** Of a thread tile: 2 to this power. */
  readonly tile?: number;
  readonly type?: TypeSpec;
  readonly op?: string;
  /** Of a scan. A sort is descending then. */
  readonly exclusive?: boolean;
  /** Of a scan. A sort is of a part of the tile then. */
  readonly total?: boolean;
  /** In segments; of work-groups and thread tiles. The active threads are heads. */
  readonly segmented?: boolean;
  /** On a counter; of work-groups and coalesced groups. */
  readonly update?: boolean;
  readonly algorithm?: (typeof algorithmNames)[number];
  /** Of an allocation. Of a part of a tile that is sorted, the length. */
  readonly capacity?: number;
  readonly data: DataSpec;
}

export interface InKernelCase {
  readonly family: "in-kernel";
  readonly size: readonly [number, number, number];
  /** Work-groups, where no counter is used. */
  readonly groups?: number;
  readonly functions: readonly FunctionSpec[];
  /** Whether what is the same for all threads decides whether they meet. */
  readonly steer?: boolean;
  /** The work-group size that the functions are made for, where it is another. */
  readonly told?: number;
  /** Whether they are asked for in comment lines. */
  readonly directives?: boolean;
  readonly sizeText?: "literal" | "const" | "override";
}

/** Calls in a kernel. SwiftShader compiles nine of subgroups in minutes. */
const MOST_FUNCTIONS = 3;
const ROUNDS = 2;
/** Kernels of a batch, where each runs on several machines. */
const KERNELS = 20;

export function inKernelArbitrary(scale: Scale): fc.Arbitrary<InKernelCase> {
  const side = (most: number): fc.Arbitrary<number> =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(1, 2, 3, 4, 8) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: most }) },
    );
  const width = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 70 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: scale.mostThreads }) },
  );
  const one: fc.Arbitrary<FunctionSpec> = fc.record(
    {
      kind: fc.constantFrom(
        "scan" as const,
        "scan" as const,
        "reduce" as const,
        "compact" as const,
        "allocate" as const,
        "split" as const,
        "sort" as const,
      ),
      scope: fc.constantFrom(...scopes),
      tile: fc.nat({ max: 10 }),
      type: typeArbitrary(scale),
      op: fc.constantFrom(...operatorNames),
      exclusive: fc.boolean(),
      total: fc.boolean(),
      segmented: rarely(4),
      update: rarely(4),
      algorithm: fc.constantFrom(...algorithmNames),
      capacity: fc.nat({ max: 200 }),
      data: dataArbitrary(),
    },
    { requiredKeys: ["kind", "data"] },
  );
  const kernel: fc.Arbitrary<InKernelCase> = fc.record(
    {
      family: fc.constant("in-kernel" as const),
      size: fc.tuple(width, side(16), side(8)),
      groups: fc.integer({ min: 1, max: 3 }),
      functions: fc.array(one, { minLength: 1, maxLength: MOST_FUNCTIONS }),
      steer: rarely(4),
      told: oneIn(20, fc.integer({ min: 1, max: 64 })),
      directives: rarely(4),
      // An override is refused most often.
      sizeText: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("literal" as const, "const" as const) },
        { weight: 1, arbitrary: fc.constant("override" as const) },
      ),
    },
    { requiredKeys: ["family", "size", "functions"] },
  );
  return scale.hasMachines
    ? fc.tuple(new Pooled(kernel, KERNELS), fc.nat({ max: 0xffff })).map(([one, seed]) => withSeed(one, seed))
    : kernel;
}

/** The same kernel with other data. */
const withSeed = (one: InKernelCase, seed: number): InKernelCase => ({
  ...one,
  functions: one.functions.map(({ data, ...spec }) => ({
    ...spec,
    data: { ...data, seed: data.seed ^ seed },
  })),
});

/** A function as it is linked and called. */
interface Call {
  readonly spec: FunctionSpec;
  readonly facts: PlanFacts;
  readonly functions: InKernelFunctions;
  readonly name: string;
  readonly directive: string;
  /** Values that a thread writes. */
  readonly columns: readonly string[];
  readonly output: ElementType;
  readonly usesCounter: boolean;
  /** Whether it writes the total to a variable. */
  readonly uniform: boolean;
}

const updating = ["add", "min", "max", "and", "or", "xor"];

/** The function that a case describes, of those that there are. */
function callOf(spec: FunctionSpec, at: number, told: number, { directives, steer }: InKernelCase): Call {
  const viaDirectives = directives === true;
  const { kind, scope = "work_group", algorithm = "hillis-steele" } = spec;
  const isCounting = kind === "compact" || kind === "allocate" || kind === "split";
  const isSort = kind === "sort";
  const segmented = spec.segmented === true && !isCounting && !isSort && scope !== "coalesced";
  const update =
    spec.update === true && !segmented && (kind === "scan" || kind === "compact") && scope !== "thread_tile";
  const isOwn = spec.op === "latest" || spec.op === "affine" || spec.op === "fieldwise";
  const isStruct = spec.type !== undefined && typeof spec.type !== "string";
  // What there are no atomics for, or no words in a comment.
  const type: TypeSpec =
    isCounting || spec.type === undefined || ((viaDirectives || isSort) && isStruct)
      ? "u32"
      : update && spec.type !== "u32" && spec.type !== "i32"
        ? "u32"
        : spec.type;
  const op =
    isCounting || (viaDirectives && isOwn) || (update && !updating.includes(spec.op ?? "add"))
      ? "add"
      : isSort
        ? "max"
        : (spec.op ?? "add");
  const facts = factsOf({ primitive: "scan", type, op });
  const suffix = `f${at}`;
  const counter = facts.type.name === "i32" ? `counters_i32[${at}]` : `counters_u32[${at}]`;
  const own = workGroupAlgorithms[algorithm];
  const tileSize = Math.min(2 ** (spec.tile ?? 3), 2 ** Math.floor(Math.log2(told)));
  const common = { workGroupSize: told, suffix, algorithm: own };
  const typed = { ...common, type: facts.type, op: facts.op as never };
  const isTile = scope === "thread_tile" && !isSort;
  // What writes the total to a variable of the kernel's, so that it may steer control flow.
  const uniform = steer === true && (isCounting || (kind === "scan" && !update && !isTile && !segmented));
  const portableTile =
    isTile && algorithm === "blelloch"
      ? { ...typed, algorithm: workGroupAlgorithms["hillis-steele"] }
      : typed;
  const functions =
    kind === "allocate"
      ? workGroupAllocate({ ...common, counter: `counters_u32[${at}]`, capacity: spec.capacity ?? 100 })
      : kind === "split"
        ? workGroupSplit(common)
        : isSort
          ? workGroupSortPairs({
              ...common,
              type: facts.type as ElementType<TypeName>,
              values: u32,
              descending: spec.exclusive === true,
            })
          : segmented
            ? isTile
              ? (kind === "scan" ? threadTileSegmentedScan : threadTileSegmentedReduce)({
                  ...portableTile,
                  tileSize,
                })
              : (kind === "scan" ? workGroupSegmentedScan : workGroupSegmentedReduce)(typed)
            : kind === "compact"
              ? update
                ? workGroupCompactUpdate({ ...common, counter })
                : workGroupCompact(common)
              : update
                ? (scope === "coalesced" ? coalescedScanUpdate : workGroupScanUpdate)({ ...typed, counter })
                : kind === "scan"
                  ? isTile
                    ? threadTileScan({ ...portableTile, tileSize })
                    : uniform
                      ? (scope === "coalesced" ? coalescedScanUniform : workGroupScanUniform)(typed)
                      : (scope === "coalesced" ? coalescedScan : workGroupScan)(typed)
                  : isTile
                    ? threadTileReduce({ ...portableTile, tileSize })
                    : (scope === "coalesced" ? coalescedReduce : workGroupReduce)(typed);
  const wanted = `${spec.exclusive === true ? "exclusive" : "inclusive"}_`;
  const total = kind === "scan" && !update && (uniform || spec.total === true);
  const isSplit = kind === "split";
  const name =
    functions.names.find(
      (one) =>
        one.includes("_uniform") === uniform &&
        (kind !== "scan" || one.includes(wanted)) &&
        (!isSort || one.includes("_partial") === (spec.total === true)) &&
        one.includes("_total") === ((total || isSplit) && !uniform),
    ) ?? "";
  const settings = [
    `suffix=${suffix}`,
    ...(isTile && !isCounting ? (algorithm === "subgroup" ? ["subgroups"] : []) : [`algorithm=${algorithm}`]),
    ...(update || kind === "allocate"
      ? [`counter=${kind === "allocate" ? `counters_u32[${at}]` : counter}`]
      : []),
    ...(kind === "allocate" ? [`capacity=${spec.capacity ?? 100}`] : []),
  ];
  return {
    spec: {
      ...spec,
      scope: isCounting || isSort ? "work_group" : scope,
      segmented,
      update,
      total,
      tile: Math.log2(tileSize),
    },
    facts,
    functions,
    name,
    directive: `// wavefold: ${name} ${told} ${settings.join(" ")}`,
    columns:
      kind === "allocate"
        ? ["offset", "total", "fits"]
        : kind === "compact"
          ? ["slot", "count"]
          : isSplit
            ? ["place", "total_falses"]
            : total
              ? ["prefix", "total"]
              : [""],
    output: isCounting || isSort ? u32 : facts.type,
    usesCounter: update || kind === "allocate",
    uniform,
  };
}

/** Whether a thread is active, or kept, in a round: the same in the kernel and here. */
const isActive = (thread: number, at: number, round: number): boolean => (thread * 7 + at + round) % 5 < 3;

function kernelOf(calls: readonly Call[], one: InKernelCase, threads: number): string {
  const declarations = calls.flatMap(({ facts, output }, at) => [
    `@group(0) @binding(${2 * at}) var<storage, read_write> input_${at}: array<${facts.type.value}>;`,
    `@group(0) @binding(${2 * at + 1}) var<storage, read_write> output_${at}: array<${output.value}>;`,
  ]);
  const counters = (["u32", "i32"] as const)
    .filter((type) =>
      calls.some((call) => call.usesCounter && (call.facts.type.name === "i32" ? "i32" : "u32") === type),
    )
    .map(
      (type) =>
        `@group(0) @binding(${2 * MOST_FUNCTIONS + (type === "u32" ? 0 : 1)}) var<storage, read_write> counters_${type}: array<atomic<${type}>, ${MOST_FUNCTIONS}>;`,
    );
  const statements = calls.flatMap(({ spec, name, columns, facts, output, uniform }, at) => {
    if (spec.kind === "sort") {
      return [
        `var keys_${at} = array(input_${at}[place]);`,
        `var from_${at} = array(i);`,
        `${name}(&keys_${at}, &from_${at}, ${name.includes("_partial") ? `${spec.capacity ?? 100}u, ` : ""}i);`,
        `output_${at}[place] = from_${at}[0];`,
      ];
    }
    const value =
      spec.kind === "compact" || spec.kind === "split"
        ? `active_${at}`
        : spec.kind === "allocate"
          ? `x_${at} % 8u`
          : spec.scope === "coalesced" || spec.segmented === true
            ? `x_${at}, active_${at}`
            : `x_${at}`;
    const member = (column: string): string =>
      uniform && /^(total|count|total_falses)$/.test(column)
        ? `total_${at}`
        : `result_${at}${column === "" || (uniform && spec.kind !== "allocate") ? "" : `.${column}`}`;
    // What is compared is an integer, so that what steers does not depend on rounding.
    const steers =
      (uniform && columns.length > 1) ||
      (spec.kind === "reduce" && spec.scope === "work_group" && spec.segmented !== true);
    const same = uniform ? `total_${at}` : `result_${at}`;
    const isInteger = output === u32 || facts.type.name === "u32" || facts.type.name === "i32";
    return [
      `let x_${at} = input_${at}[place];`,
      `let active_${at} = (i * 7u + ${at}u + round) % 5u < 3u;`,
      ...(uniform ? [`var total_${at}: ${output.value};`] : []),
      `let result_${at} = ${name}(${value}, i${uniform ? `, &total_${at}` : ""});`,
      ...columns.map(
        (column, number) =>
          `output_${at}[place * ${columns.length}u + ${number}u] = ${
            column === "fits" ? `select(0u, 1u, ${member(column)})` : member(column)
          };`,
      ),
      ...(one.steer && steers && isInteger ? [`if (${same} % 2 == 0) { workgroupBarrier(); }`] : []),
    ];
  });
  const [x, y, z] = one.size;
  const named = one.sizeText ?? "literal";
  return [
    ...(one.directives ? calls.map((call) => call.directive) : []),
    ...declarations,
    ...counters,
    ...(named === "literal" ? [] : [`${named} width: u32 = ${x};`]),
    `@compute @workgroup_size(${named === "literal" ? x : "width"}, ${y}, ${z})`,
    "fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {",
    `  for (var round = 0u; round < ${ROUNDS}u; round++) {`,
    `    let place = (round * groups.x + group.x) * ${threads}u + i;`,
    ...statements.map((statement) => `    ${statement}`),
    "  }",
    "}",
    "",
  ].join("\n");
}

/** The work-group's shape, cut until the adapter takes it. */
function shapeOf([x, y, z]: readonly [number, number, number], most: number): [number, number, number] {
  const height = Math.min(y, Math.max(1, Math.floor(most / x)));
  return [x, height, Math.min(z, Math.max(1, Math.floor(most / (x * height))))];
}

export async function runInKernel(given: InKernelCase, fixture: Fixture): Promise<Verdict> {
  const { device } = fixture.fold;
  const { maxComputeInvocationsPerWorkgroup } = device.limits;
  const size = shapeOf(given.size, Math.min(fixture.scale.mostThreads, maxComputeInvocationsPerWorkgroup));
  const one = { ...given, size };
  const threads = size[0] * size[1] * size[2];
  const told = given.told ?? threads;
  const usable = given.functions.filter(
    ({ algorithm, type }) =>
      (algorithm !== "subgroup" || hasFeature(fixture, "subgroups")) &&
      (type === undefined ||
        factsOf({ primitive: "scan", type }).type.feature === undefined ||
        hasFeature(fixture, "shader-f16")),
  );
  // What they are told is checked against the kernel, or does no harm.
  const made = attemptNow("in-kernel functions", told === threads, () =>
    usable.map((spec, at) => callOf(spec, at, told, given)),
  );
  if ("refusal" in made || usable.length === 0) {
    return "refused";
  }
  const calls = made.result;
  const memory = calls.reduce((bytes, { functions }) => bytes + functions.workGroupMemory, 0);
  if (memory > device.limits.maxComputeWorkgroupStorageSize) {
    return "refused";
  }
  const kernel = kernelOf(calls, one, threads);
  // What an override says is not known before the kernel is compiled.
  const mustLink = told === threads && given.sizeText !== "override";
  const linked = attemptNow("link", mustLink, () =>
    given.directives
      ? linkDirectives(kernel)
      : link(
          kernel,
          calls.map(({ functions }) => functions),
        ),
  );
  if ("refusal" in linked) {
    return "refused";
  }
  const groups = calls.some((call) => call.usesCounter) ? 1 : (given.groups ?? 1);
  const inputs = calls.map(({ facts, spec }) =>
    dataFor(facts, dataOf(facts, spec.data), ROUNDS * groups * threads),
  );
  const outputs = await runKernel(device, linked.result, calls, inputs, threads, groups, told === threads);
  if (outputs === undefined) {
    // The linked text may hold what compares the sizes.
    return "refused";
  }
  await fixture.requireNoError("a linked kernel");
  for (const [at, call] of calls.entries()) {
    try {
      requireValues(
        call,
        at,
        inputs[at] as Uint8Array,
        outputs.values[at] as Uint8Array,
        threads,
        groups,
        outputs,
      );
    } catch (cause) {
      throw told === threads || !(cause instanceof Fault)
        ? cause
        : new Fault(
            `functions made for other work-groups are linked, and give wrong values: for ${told} threads, to a kernel of ${threads}: ${cause.message}`,
          );
    }
  }
  return "passed";
}

/** Sums and products of floats are of numbers that are exact in any order, where there are such. */
const dataOf = (facts: PlanFacts, data: DataSpec): DataSpec =>
  facts.type.kind === "float" &&
  (facts.op.name === "add" || facts.op.name === "mul") &&
  data.kind !== "sparse"
    ? { ...data, kind: "small" }
    : data;

interface Outputs {
  readonly values: readonly Uint8Array[];
  readonly counters: { readonly u32: Uint32Array; readonly i32: Uint32Array };
}

async function runKernel(
  device: GPUDevice,
  code: string,
  calls: readonly Call[],
  inputs: readonly Uint8Array[],
  threads: number,
  groups: number,
  mustCompile: boolean,
): Promise<Outputs | undefined> {
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const failure = await device.popErrorScope();
  if (failure !== null && !mustCompile) {
    return undefined;
  }
  if (failure !== null) {
    throw new Fault(`the linked kernel does not compile: ${oneLine(failure.message)}`);
  }
  const bufferOf = (bytes: Uint8Array): GPUBuffer => {
    const size = Math.max(16, Math.ceil(bytes.length / 16) * 16);
    const buffer = device.createBuffer({ size, usage: 0x80 | 0x4, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
  };
  const places = ROUNDS * groups * threads;
  const bound: [number, GPUBuffer, number][] = calls.flatMap(({ columns, output }, at) => [
    [2 * at, bufferOf(inputs[at] as Uint8Array), 0] as [number, GPUBuffer, number],
    [
      2 * at + 1,
      bufferOf(new Uint8Array(places * columns.length * output.bytes).fill(0xa5)),
      places * columns.length * output.bytes,
    ] as [number, GPUBuffer, number],
  ]);
  for (const [number, type] of (["u32", "i32"] as const).entries()) {
    if (calls.some((call) => call.usesCounter && (call.facts.type.name === "i32") === (type === "i32"))) {
      bound.push([2 * MOST_FUNCTIONS + number, bufferOf(new Uint8Array(16)), 4 * MOST_FUNCTIONS]);
    }
  }
  const encoder = encodeDispatch(device, pipeline, bound, groups);
  const read = bound.map(([binding, buffer, bytes]) => {
    const staging = device.createBuffer({ size: buffer.size, usage: 0x1 | 0x8 });
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    return { binding, staging, bytes };
  });
  device.queue.submit([encoder.finish()]);
  const contents = new Map<number, Uint8Array>();
  for (const { binding, staging, bytes } of read) {
    await staging.mapAsync(0x1);
    contents.set(binding, new Uint8Array(staging.getMappedRange().slice(0)).subarray(0, bytes));
    staging.destroy();
  }
  for (const [, buffer] of bound) {
    buffer.destroy();
  }
  const counter = (binding: number): Uint32Array =>
    new Uint32Array((contents.get(binding) ?? new Uint8Array(4 * MOST_FUNCTIONS)).slice().buffer);
  return {
    values: calls.map((_, at) => contents.get(2 * at + 1) ?? new Uint8Array(0)),
    counters: { u32: counter(2 * MOST_FUNCTIONS), i32: counter(2 * MOST_FUNCTIONS + 1) },
  };
}

/** What a thread gets by column; nothing, where that is not said. */
type Expected = readonly (Value | undefined)[];

/** What every thread gets, one after another: the state of a counter goes from one round to the next. */
function requireValues(
  call: Call,
  at: number,
  input: Uint8Array,
  actual: Uint8Array,
  threads: number,
  groups: number,
  { counters }: Outputs,
): void {
  const { facts, columns, output, name } = call;
  if (!isDefined(facts, input)) {
    return;
  }
  const values = valuesOf(arrayOf(facts.type, input), facts.type);
  const results = valuesOf(arrayOf(output, actual), output);
  const isI32 = facts.type.name === "i32";
  let state: Value = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (let group = 0; group < groups; group++) {
      const start = (round * groups + group) * threads;
      const own = Array.from({ length: threads }, (_, thread) => values(start + thread));
      const active = own.map((_, thread) => isActive(thread, at, round));
      const { rows, next } = expectedOf(call, own, active, state);
      state = next;
      rows.forEach((row, thread) => {
        row.forEach((expected, column) => {
          const found = results((start + thread) * columns.length + column);
          if (expected !== undefined && !isSame(facts, output, found, expected, own)) {
            const member = columns[column] === "" ? "" : `.${columns[column]}`;
            throw new Fault(
              `${name}${member}, round ${round}, group ${group}, thread ${thread} of ${threads}: ${describe(found)} instead of ${describe(expected)}`,
            );
          }
        });
      });
    }
  }
  if (call.usesCounter) {
    const word = (isI32 ? counters.i32 : counters.u32)[at] ?? 0;
    const held = isI32 ? word | 0 : word;
    if (held !== state) {
      throw new Fault(`${name}: the counter is ${held} at the end instead of ${describe(state)}`);
    }
  }
}

/** Whether a result is what it may be. */
function isSame(
  facts: PlanFacts,
  output: ElementType,
  found: Value,
  expected: Value,
  own: readonly Value[],
): boolean {
  if (typeof expected === "object" && typeof found === "object") {
    return fieldsOf(output).every(({ keys }) => Object.is(scalarAt(found, keys), scalarAt(expected, keys)));
  }
  if (Object.is(found, expected)) {
    return true;
  }
  if (output === facts.type && isBounded(facts)) {
    const numbers = own.map(Number);
    const all = boundsOf(facts, (index) => numbers[index] ?? 0, own.length, false, own.length);
    const bound = all === undefined ? Number.POSITIVE_INFINITY : Math.max(...all.map((one) => one.bound));
    return Math.abs(Number(found) - Number(expected)) <= bound;
  }
  // The order in which f64 is rounded is the algorithm's; what it is tried on is exact.
  return false;
}

/** The order of keys: -0 before 0, and NaN last. */
const keyOrder = (a: Scalar, b: Scalar): number =>
  a < b
    ? -1
    : a > b
      ? 1
      : Number(Number.isNaN(a)) - Number(Number.isNaN(b)) ||
        Number(Object.is(b, -0)) - Number(Object.is(a, -0));

function expectedOf(
  { spec, facts, name }: Call,
  own: readonly Value[],
  active: readonly boolean[],
  state: Value,
): { rows: Expected[]; next: Value } {
  const { kind } = spec;
  if (kind === "allocate") {
    const capacity = spec.capacity ?? 100;
    const amounts = own.map((x) => (x as number) % 8);
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    let offset = state as number;
    const rows = amounts.map((amount): Expected => {
      const fits = amount === 0 || (offset <= capacity && amount <= capacity - offset);
      const row = [fits ? Math.min(offset, capacity) : capacity, total, fits ? 1 : 0];
      offset += amount;
      return row;
    });
    return { rows, next: Math.min((state as number) + total, capacity) };
  }
  if (kind === "compact") {
    const count = active.filter(Boolean).length;
    let slot = spec.update ? (state as number) : 0;
    const rows = active.map((keep): Expected => {
      const row = [slot, count];
      slot += keep ? 1 : 0;
      return row;
    });
    return { rows, next: spec.update ? (state as number) + count : state };
  }
  if (kind === "split") {
    const total = active.filter((flag) => !flag).length;
    let [falses, trues] = [0, total];
    return { rows: active.map((flag): Expected => [flag ? trues++ : falses++, total]), next: state };
  }
  if (kind === "sort") {
    // The thread that each key came from.
    const count = name.includes("_partial") ? (spec.capacity ?? 100) : own.length;
    const sign = spec.exclusive === true ? -1 : 1;
    const all = own.map((_, thread) => thread);
    const sorted = all.slice(0, count).sort((a, b) => sign * keyOrder(own[a] as Scalar, own[b] as Scalar));
    return { rows: [...sorted, ...all.slice(count)].map((from): Expected => [from]), next: state };
  }
  const combine = referenceMonoid(facts.op, facts.type, "fuzz");
  // Where a result shows that there is nothing before it, a sum shows +0.
  const identity = Object.is(combine.identity, -0) ? 0 : combine.identity;
  const rows: Expected[] = own.map(() => []);
  const threads = own.length;
  const tile = spec.scope === "thread_tile" ? 2 ** (spec.tile ?? 0) : threads;
  let next = state;
  const starts = own.flatMap((_, thread) =>
    thread % tile === 0 || (spec.segmented === true && active[thread]) ? [thread] : [],
  );
  for (const [number, from] of starts.entries()) {
    const all = Array.from({ length: (starts[number + 1] ?? threads) - from }, (_, index) => from + index);
    const members = spec.scope === "coalesced" ? all.filter((thread) => active[thread]) : all;
    const lifted = members.map((thread) => combine.lift(own[thread] as Value));
    const prefixes: Value[] = [];
    lifted.forEach((x, index) => {
      prefixes.push(index === 0 ? x : combine.reference(prefixes[index - 1] as Value, x));
    });
    const total = prefixes.at(-1) ?? identity;
    for (const thread of all) {
      const rank = members.indexOf(thread);
      const prefix =
        kind === "reduce"
          ? total
          : rank < 0
            ? identity
            : spec.exclusive
              ? rank === 0
                ? identity
                : prefixes[rank - 1]
              : prefixes[rank];
      const updated =
        spec.update && rank >= 0 && prefix !== undefined ? combine.reference(state, prefix) : prefix;
      rows[thread] = (spec.total ? [updated, total] : [updated]).map(
        (element) => element && combine.lower(element),
      );
    }
    next = spec.update ? combine.reference(state, total) : state;
  }
  return { rows, next };
}
