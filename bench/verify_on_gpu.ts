import { GPUBufferUsage } from "../src/gpu/device/usage_flags.ts";
import { createBuffer, readerOf } from "./buffers.ts";
import { pipelineOf } from "./copy.ts";
import type { BenchTypeName, Chunk, Values } from "./elements.ts";
import {
  benchTypes,
  decode,
  firstDifference,
  format,
  keptOf,
  referenceScan,
  room,
  wordsOf,
} from "./elements.ts";
import type { BenchPrimitive } from "./suite.ts";
import type { Buffers, Question } from "./task.ts";

// Every element of a long result, checked on the GPU in milliseconds, where the CPU takes seconds, and minutes for sorts. The kernels here use
// nothing of Wavefold's. Each looks at an element beside its neighbour or beside the data, so that all checks together leave one result:
//
// - A scan of sums: the first prefix is 0, and each other one is the one before it plus the element before it. Floats are compared as whole numbers.
// - A compaction: each kept element lies where the elements before it leave off. The CPU counts these, for each block.
// - Pairs: each key is the data's at its place, and pairs of key and place rise. So no place comes twice, and equal keys keep their order.
// - A sort of keys: keys never fall, and two sums of hashes are those of the data.
// - A reduction: one value, which the CPU computes while it makes the data.
//
// Each check runs a second time with one bit of the result's last word turned over, and must see it.

/** Elements of a block. It divides chunks of elements. */
const BLOCK = 256;
const THREADS = 256;
const GROUPS = 1024;
/** Of what a check finds: the wrong elements, the first of them, and the hashes of data and result. */
const FOUND_WORDS = 8;

/** What the CPU knows of data. */
export interface Known {
  readonly total: Values;
  readonly kept: number;
  /** For each block, how many elements before it are kept. */
  readonly keptBefore: Uint32Array<ArrayBuffer>;
}

/** Learns what the CPU knows of data, chunk by chunk. What no primitive needs is left out. */
export function learn(
  { type, op, length }: Omit<Question, "primitive">,
  primitives: readonly BenchPrimitive[],
): { readonly look: (chunk: Chunk) => void; readonly known: () => Known } {
  const reference = referenceScan(type, op, false);
  const keptBefore = new Uint32Array(primitives.includes("compact") ? Math.ceil(length / BLOCK) : 0);
  const values = room(type);
  const words = wordsOf(type);
  let kept = 0;
  let block = 0;
  return {
    look(chunk) {
      if (primitives.includes("reduce")) {
        reference.scan(chunk, values);
      }
      for (let first = 0; first < chunk.count && keptBefore.length > 0; first += BLOCK) {
        keptBefore[block++] = kept;
        const count = Math.min(BLOCK, chunk.count - first);
        const own = chunk.values.subarray(words * first, words * (first + count));
        kept += keptOf(type, { ...chunk, values: own, count }, 0, false, values);
      }
    },
    known: () => ({ total: reference.total(), kept, keptBefore }),
  };
}

/** How an element lies in words, and what it is. WGSL over an element's words, low word first. */
interface Form {
  /** The words of the element with the index `i` in `words`. */
  readonly words: (words: (index: string) => string) => string;
  /** Its bits as an unsigned integer in the order of numbers: low word, high word. */
  readonly order: string;
  /** The whole number that it is. The third word of what is none is 1. */
  readonly whole: string;
  readonly sum: "narrow" | "wide" | "fields";
  /** As {@link keptOf} has it. */
  readonly kept: string;
}

const one: Form["words"] = (words) => `vec4(${words("i")}, 0u, 0u, 0u)`;
const two: Form["words"] = (words) => `vec4(${words("2u * i")}, ${words("2u * i + 1u")}, 0u, 0u)`;
const isOdd = "(x.x & 1u) == 1u";
const wide = { words: two, sum: "wide", whole: "x", kept: isOdd } as const;
const narrow = { words: one, sum: "narrow", whole: "x", kept: isOdd } as const;

const forms = {
  u32: { ...narrow, order: "vec2(0u, x.x)" },
  i32: { ...narrow, order: "vec2(0u, x.x ^ 0x80000000u)" },
  f32: {
    ...narrow,
    order: "vec2(0u, x.x ^ select(0x80000000u, 0xffffffffu, x.x >> 31u == 1u))",
    whole: "whole_float(x.x)",
    kept: "x.x >> 31u == 0u && x.x != 0u",
  },
  f16: {
    words: (words) => `vec4((${words("i / 2u")} >> (16u * (i % 2u))) & 0xffffu, 0u, 0u, 0u)`,
    sum: "narrow",
    order: "vec2(0u, x.x ^ select(0x8000u, 0xffffu, x.x >> 15u == 1u))",
    // The same number as f32. Less than 2^-14 there is 0 alone.
    whole: `whole_float((select((x.x & 0x7fffu) + (112u << 10u), x.x & 0x3ffu, (x.x & 0x7c00u) == 0u) << 13u) | ((x.x >> 15u) << 31u))`,
    kept: "x.x >> 15u == 0u && x.x != 0u",
  },
  u64: { ...wide, order: "x.xy" },
  i64: { ...wide, order: "vec2(x.x, x.y ^ 0x80000000u)" },
  f64: {
    ...wide,
    order: "x.xy ^ select(vec2(0u, 0x80000000u), vec2(0xffffffffu), x.y >> 31u == 1u)",
    whole: "whole_double(x.xy)",
    kept: "x.y >> 31u == 1u && ((x.y << 1u) | x.x) != 0u",
  },
  struct16: {
    words: (words) => `vec4(${[0, 1, 2, 3].map((word) => words(`4u * i + ${word}u`)).join(", ")})`,
    sum: "fields",
    order: "x.xy",
    whole: "x",
    kept: isOdd,
  },
} as const satisfies Record<BenchTypeName, Form>;

const plus = {
  narrow: "vec4(a.x + b.x, 0u, 0u, 0u)",
  wide: "vec4(a.x + b.x, a.y + b.y + u32(a.x + b.x < a.x), 0u, 0u)",
  fields: "a + b",
} as const satisfies Record<Form["sum"], string>;

const NO_WHOLE = "vec4(0u, 0u, 1u, 0u)";

/** Whole numbers below 2^24 and 2^53 from the bits of floats. */
const wholes = `
fn whole_float(x: u32) -> vec4<u32> {
  let exponent = (x >> 23u) & 0xffu;
  if ((x << 1u) == 0u) {
    return vec4(0u);
  }
  let shift = 150u - exponent;
  let digits = (x & 0x7fffffu) | 0x800000u;
  if (exponent < 127u || exponent > 150u || (digits & ((1u << shift) - 1u)) != 0u) {
    return ${NO_WHOLE};
  }
  let size = digits >> shift;
  return vec4(select(size, 0u - size, x >> 31u == 1u), 0u, 0u, 0u);
}

fn whole_double(x: vec2<u32>) -> vec4<u32> {
  let exponent = (x.y >> 20u) & 0x7ffu;
  if (((x.y << 1u) | x.x) == 0u) {
    return vec4(0u);
  }
  if (exponent < 1023u || exponent > 1075u) {
    return ${NO_WHOLE};
  }
  let high = (x.y & 0xfffffu) | 0x100000u;
  let shift = 1075u - exponent;
  var size = vec2(x.x, high);
  var lost = 0u;
  if (shift >= 32u) {
    lost = x.x | (high & ((1u << (shift - 32u)) - 1u));
    size = vec2(high >> (shift - 32u), 0u);
  } else if (shift > 0u) {
    lost = x.x & ((1u << shift) - 1u);
    size = vec2((x.x >> shift) | (high << (32u - shift)), high >> shift);
  }
  if (lost != 0u) {
    return ${NO_WHOLE};
  }
  if (x.y >> 31u == 1u) {
    size = vec2(0u - size.x, ~size.y + u32(size.x == 0u));
  }
  return vec4(size, 0u, 0u);
}
`;

/** What each check does for the index `i`, and how many indices it has. */
const checks = {
  copy: "if (result_word(i) != input[i]) { wrong(i); }",
  scan: `
    var expected = vec4(0u);
    if (i > 0u) {
      expected = plus(whole(result_at(i - 1u)), whole(input_at(i - 1u)));
    }
    if (any(whole(result_at(i)) != expected)) { wrong(i); }`,
  compact: `
    var to = other[i];
    for (var at = ${BLOCK}u * i; at < min(${BLOCK}u * (i + 1u), params.length); at++) {
      let x = input_at(at);
      if (is_kept(x)) {
        if (any(result_at(to) != x)) { wrong(to); }
        to++;
      }
    }`,
  sort: `
    let x = result_at(i);
    if (i > 0u && is_less(order(x), order(result_at(i - 1u)))) { wrong(i); }
    let key = input_at(i);
    sums += vec4(hash(key, 0u), hash(key, 0x9e3779b9u), hash(x, 0u), hash(x, 0x9e3779b9u));`,
  pairs: `
    let x = result_at(i);
    let place = other[i];
    var is_wrong = place >= params.length || any(x != input_at(min(place, params.length - 1u)));
    if (i > 0u) {
      let before = order(result_at(i - 1u));
      is_wrong |= is_less(order(x), before) || (all(order(x) == before) && other[i - 1u] >= place);
    }
    if (is_wrong) { wrong(i); }`,
} as const;

type Checked = keyof typeof checks;
const takesOther = (what: Checked): boolean => what === "compact" || what === "pairs";

/** The kernel of a check. The result's word `turned` has another lowest bit. */
function codeOf(what: Checked, type: BenchTypeName): string {
  const { words, order, whole, sum, kept } = forms[type];
  return `
struct Params { length: u32, indices: u32, turned: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read> result: array<u32>;
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>>;
${takesOther(what) ? "@group(0) @binding(4) var<storage, read> other: array<u32>;" : ""}

fn wrong(at: u32) {
  atomicAdd(&found[0], 1u);
  atomicMin(&found[1], at);
}
fn result_word(at: u32) -> u32 {
  return result[at] ^ u32(at == params.turned);
}
fn input_at(i: u32) -> vec4<u32> {
  return ${words((index) => `input[${index}]`)};
}
fn result_at(i: u32) -> vec4<u32> {
  return ${words((index) => `result_word(${index})`)};
}
${wholes}
fn whole(x: vec4<u32>) -> vec4<u32> {
  return ${whole};
}
fn plus(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  return ${plus[sum]};
}
fn order(x: vec4<u32>) -> vec2<u32> {
  return ${order};
}
fn is_less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
fn is_kept(x: vec4<u32>) -> bool {
  return ${kept};
}
fn mixed(word: u32) -> u32 {
  let x = (word ^ (word >> 16u)) * 0x85ebca6bu;
  let y = (x ^ (x >> 13u)) * 0xc2b2ae35u;
  return y ^ (y >> 16u);
}
fn hash(x: vec4<u32>, seed: u32) -> u32 {
  return mixed(x.x + mixed(x.y + seed) + 1u);
}

@compute @workgroup_size(${THREADS})
fn check(@builtin(global_invocation_id) thread: vec3<u32>) {
  var sums = vec4(0u);
  for (var i = thread.x; i < params.indices; i += ${THREADS * GROUPS}u) {${checks[what]}
  }
  for (var at = 0u; at < ${what === "sort" ? 4 : 0}u; at++) {
    atomicAdd(&found[2u + at], sums[at]);
  }
}
`;
}

/** Whether there is a check on the GPU: other operators than sums have none. */
export const isCheckable = ({
  primitive,
  op,
}: Pick<Question, "op"> & { readonly primitive: string }): boolean => primitive !== "scan" || op === "add";

/** Something whose result is to be checked. */
export interface Asked extends Omit<Question, "primitive"> {
  readonly primitive: "copy" | BenchPrimitive;
}

/** Checks every element of a result: what is wrong, or nothing. */
export async function verifyOnGpu(
  device: GPUDevice,
  question: Asked,
  buffers: Buffers,
  known: Known,
): Promise<string | undefined> {
  const { primitive, type } = question;
  switch (primitive) {
    case "reduce": {
      const value = decode(type, await readStart(device, buffers.result, benchTypes[type].type.bytes));
      const shown = (values: ArrayLike<number>): string =>
        Array.from(values, (one) => format(type, one)).join(" ");
      return firstDifference(value, known.total, wordsOf(type)) < 0
        ? undefined
        : `it is ${shown(value)}, and the CPU has ${shown(known.total)}`;
    }
    case "compact": {
      const [kept] = new Uint32Array((await readStart(device, buffers.result, 4)).buffer);
      return kept === known.kept
        ? check(device, primitive, question, buffers, known)
        : `it says that ${kept} are kept, and the CPU keeps ${known.kept}`;
    }
    case "copy":
    case "scan":
    case "sort":
    case "pairs":
      return check(device, primitive, question, buffers, known);
    default:
      return primitive satisfies never;
  }
}

async function readStart(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<Uint8Array> {
  const into = new Uint8Array(bytes);
  const reader = readerOf(device, buffer);
  await reader.read(into);
  reader.destroy();
  return into;
}

async function check(
  device: GPUDevice,
  what: Checked,
  { type, length }: Asked,
  { input, output, reordered }: Buffers,
  { kept, keptBefore }: Known,
): Promise<string | undefined> {
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const owned: GPUBuffer[] = [];
  const make = async (name: string, bytes: number, usage: number): Promise<GPUBuffer> => {
    const buffer = await createBuffer(device, name, bytes, usage);
    owned.push(buffer);
    return buffer;
  };
  const wordsIn = (elements: number): number => Math.ceil((elements * benchTypes[type].type.bytes) / 4);
  const written = what === "compact" ? kept : length;
  const indices = what === "copy" ? wordsIn(length) : what === "compact" ? keptBefore.length : length;
  const name = `check of ${what}<${type}>`;
  const pipeline = await pipelineOf(device, codeOf(what, type), "check", name);
  try {
    const params = await make("params of a check", 16, UNIFORM | COPY_DST);
    const found = await make("what a check found", 4 * FOUND_WORDS, STORAGE | COPY_SRC | COPY_DST);
    let other = reordered;
    if (what === "compact") {
      other = await make("kept elements before each block", keptBefore.byteLength, STORAGE | COPY_DST);
      device.queue.writeBuffer(other, 0, keptBefore);
    }
    const bound = [params, input, output, found, ...(takesOther(what) ? [other as GPUBuffer] : [])];
    const group = device.createBindGroup({
      label: name,
      layout: pipeline.getBindGroupLayout(0),
      entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const problemWith = async (turned: number): Promise<string | undefined> => {
      device.queue.writeBuffer(params, 0, Uint32Array.of(length, indices, turned));
      device.queue.writeBuffer(
        found,
        0,
        Uint32Array.of(0, 0xffffffff, ...new Array(FOUND_WORDS - 2).fill(0)),
      );
      const encoder = device.createCommandEncoder({ label: name });
      const pass = encoder.beginComputePass({ label: name });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(Math.min(GROUPS, Math.ceil(indices / THREADS)));
      pass.end();
      device.queue.submit([encoder.finish()]);
      const [count = 0, first, ...sums] = new Uint32Array(
        (await readStart(device, found, 4 * FOUND_WORDS)).buffer,
      );
      return count > 0
        ? `${what === "copy" ? "word" : "element"} ${first} is the first of ${count} that a check on the GPU finds wrong`
        : sums[0] !== sums[2] || sums[1] !== sums[3]
          ? "its keys are not those of the data: sums of their hashes differ"
          : undefined;
    };
    const problem = await problemWith(0xffffffff);
    if (problem !== undefined || written === 0) {
      return problem;
    }
    return (await problemWith(wordsIn(written) - 1)) === undefined
      ? "the check on the GPU sees no wrong bit in its last word, so it says nothing"
      : undefined;
  } finally {
    for (const buffer of owned) {
      buffer.destroy();
    }
  }
}
