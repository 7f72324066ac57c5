import type { CheckFinding, CheckOptions } from "../../../src/simulator/index.ts";

// Short kernels with a fault of each kind, and the same without it. Faults that one device finds, too, are in test/simulator/findings.test.ts.

/** A fault, in the statements of a kernel of eight work-groups of 64 threads. */
export interface Planted {
  readonly title: string;
  /** Lines that the finding names end in `// fault`. */
  readonly faulty: string;
  readonly right: string;
  /** Functions and structs that the statements use. */
  readonly declarations?: string;
  /** How many runs there are, if one takes long. */
  readonly runs?: number;
}

/** Faults of a kind, and how they are looked for. */
export interface Kind {
  readonly kind: CheckFinding["kind"];
  readonly options: CheckOptions;
  /** Whether the statements use subgroups: `lane` and `size`. */
  readonly usesSubgroups?: boolean;
  readonly planted: readonly Planted[];
}

/** A kernel with these statements. `t` is the thread's number in its work-group. */
export const kernelOf = (
  statements: string,
  { declarations = "", usesSubgroups = false }: { declarations?: string; usesSubgroups?: boolean } = {},
): string => `
struct Pair { first: u32, second: u32 }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> values: array<f32>;
var<workgroup> word: u32;
var<workgroup> words: array<u32, 64>;
var<workgroup> vectors: array<vec4<u32>, 64>;
var<workgroup> pairs: array<Pair, 64>;
var<workgroup> state: atomic<u32>;
var<workgroup> bins: array<atomic<u32>, 4>;
${declarations}
@compute @workgroup_size(64)
fn main(
  @builtin(global_invocation_id) id: vec3<u32>,
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) t: u32,
  ${usesSubgroups ? "@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32," : ""}
) {
${statements}
}
`;

const BARRIER = "workgroupBarrier();";

const races: readonly Planted[] = [
  {
    title: "an array that is read and written in place",
    faulty: "data[id.x] = data[id.x + 1u]; // fault",
    right: "data[id.x] = input[id.x + 1u];",
  },
  {
    title: "a counter that is no atomic",
    faulty: "data[0] += 1u; // fault",
    right: "atomicAdd(&counts[0], 1u);",
  },
  {
    title: "components of a vector",
    faulty: "vectors[t / 4u][t % 3u] = t; // fault",
    right: "vectors[t / 4u][t % 4u] = t;",
  },
];

const outOfBounds: readonly Planted[] = [
  {
    title: "a loop that goes one too far",
    faulty:
      "if (id.x == 0u) { for (var i = 0u; i <= arrayLength(&data); i++) {\n  data[i] = i; // fault\n} }",
    right: "if (id.x == 0u) { for (var i = 0u; i < arrayLength(&data); i++) {\n  data[i] = i;\n} }",
  },
  {
    title: "an array in a struct",
    declarations: "struct Four { items: array<u32, 4> }\nvar<private> four: Four;",
    faulty: "four.items[t % 5u] = 1u; // fault",
    right: "four.items[t % 4u] = 1u;",
  },
  {
    title: "a pointer that a function takes",
    declarations:
      "fn put(to: ptr<function, array<u32, 4>>, at: u32) {\n  (*to)[at % (4u + to[3])] = 1u; // fault\n}",
    faulty: "var items = array<u32, 4>(0u, 0u, 0u, 1u);\nput(&items, t);",
    right: "var items = array<u32, 4>();\nput(&items, t);",
  },
];

const divergence: readonly Planted[] = [
  {
    title: "a function that is called in a branch on data",
    declarations: "fn wait() {\n  workgroupBarrier(); // fault\n}",
    faulty: "if (input[id.x] > 500u) { wait(); }",
    right: "if (input[group.x] > 500u) { wait(); }",
  },
];

const stuck: readonly Planted[] = [
  {
    title: "a work-group that may not have started",
    faulty: `if (t == 0u) {
  if (group.x < 7u) {
    loop { if (atomicLoad(&counts[group.x + 1u]) == 1u) { break; } } // fault
  }
  atomicStore(&counts[group.x], 1u);
}`,
    right: `if (t == 0u) {
  let ticket = atomicAdd(&counts[20], 1u);
  if (ticket > 0u) {
    loop { if (atomicLoad(&counts[ticket - 1u]) == 1u) { break; } }
  }
  atomicStore(&counts[ticket], 1u);
}`,
  },
  {
    title: "a barrier across all work-groups",
    faulty: `if (t == 0u) {
  atomicAdd(&counts[0], 1u);
  loop { if (atomicLoad(&counts[0]) == 8u) { break; } } // fault
}`,
    right: `if (t == 0u) {
  let arrived = atomicAdd(&counts[0], 1u);
  if (arrived == 7u) { data[0] = arrived; }
}`,
  },
  {
    title: "a compare and exchange that never fits",
    faulty: `if (t == 0u) { loop {
  let old = atomicLoad(&counts[0]); // fault
  if (atomicCompareExchangeWeak(&counts[0], old + 1u, old).exchanged) { break; } // fault
} }`,
    right: `if (t == 0u) { loop {
  let old = atomicLoad(&counts[0]);
  if (atomicCompareExchangeWeak(&counts[0], old, old + 1u).exchanged) { break; }
} }`,
  },
  {
    title: "a lock that is never given back",
    faulty:
      "if (t == 0u) {\n  loop { if (atomicExchange(&counts[0], 1u) == 0u) { break; } } // fault\n  data[0] = 1u;\n}",
    right: `if (t == 0u) {
  loop { if (atomicExchange(&counts[0], 1u) == 0u) { break; } }
  atomicAdd(&counts[1], 1u);
  atomicStore(&counts[0], 0u);
}`,
  },
  {
    title: "a count down below 0",
    runs: 1,
    faulty: "var sum = 0u;\nfor (var i = 3u; i >= 0u; i--) { sum += i; } // fault\ndata[id.x] = sum;",
    right: "var sum = 0u;\nfor (var i = 3u; i > 0u; i--) { sum += i; }\ndata[id.x] = sum;",
  },
  {
    title: "a turn that skips the step",
    runs: 1,
    faulty: "var i = 0u;\nwhile (i < 4u) { if (i == t % 4u) { continue; } i++; } // fault",
    right: "var i = 0u;\nwhile (i < 4u) { if (i == t % 4u) { i += 2u; continue; } i++; }",
  },
];

const subgroupSizes: readonly Planted[] = [
  {
    title: "the size itself",
    faulty: "data[id.x] = size; // fault",
    right: "data[id.x] = select(0u, 1u, size > 0u);",
  },
  {
    title: "a sum of a subgroup for one of the work-group",
    faulty: "data[id.x] = subgroupAdd(1u); // fault",
    right: `let sum = subgroupAdd(1u);
if (subgroupElect()) { atomicAdd(&state, sum); }
${BARRIER}
data[id.x] = atomicLoad(&state);`,
  },
  {
    title: "sums of 32 threads",
    faulty: `let sum = subgroupAdd(input[id.x]);
if (t % 32u == 0u) { words[t / 32u] = sum; }
${BARRIER}
if (t == 0u) { data[group.x] = words[0] + words[1]; } // fault`,
    right: `let sum = subgroupAdd(input[id.x]);
if (lane == 0u) { words[t / size] = sum; }
${BARRIER}
if (t == 0u) {
  var all = 0u;
  for (var i = 0u; i < max(64u / size, 1u); i++) { all += words[i]; }
  data[group.x] = all;
}`,
  },
  {
    title: "the first thread of a subgroup",
    faulty: "data[id.x] = subgroupBroadcastFirst(t); // fault",
    right: "data[id.x] = subgroupBroadcastFirst(group.x);",
  },
  {
    title: "one word of a ballot",
    faulty: "data[id.x] = countOneBits(subgroupBallot(true).x); // fault",
    right: "data[id.x] = select(0u, 1u, countOneBits(subgroupBallot(true).x) > 0u);",
  },
  { title: "the lane", faulty: "data[id.x] = lane; // fault", right: "data[id.x] = lane % 4u;" },
  {
    title: "prefixes within a subgroup",
    faulty: "data[id.x] = subgroupExclusiveAdd(1u); // fault",
    right: "data[id.x] = subgroupExclusiveAdd(1u) - lane;",
  },
  {
    title: "how many subgroups there are",
    faulty: `if (subgroupElect()) { atomicAdd(&state, 1u); }
${BARRIER}
data[id.x] = atomicLoad(&state); // fault`,
    right: `if (subgroupElect()) { atomicMax(&state, 1u); }
${BARRIER}
data[id.x] = atomicLoad(&state);`,
  },
  {
    title: "the maximum of a subgroup",
    faulty: "data[id.x] = subgroupMax(t); // fault",
    right: "data[id.x] = subgroupMax(group.x);",
  },
  {
    title: "floats, and not how they are rounded",
    faulty: "values[id.x] = subgroupAdd(f32(t)); // fault",
    right: "values[id.x] = subgroupAdd(0.1) / subgroupAdd(1.0);",
  },
];

const laneOrders: readonly Planted[] = [
  { title: "the lane", faulty: "data[id.x] = lane; // fault", right: "data[id.x] = t % 16u;" },
  {
    title: "prefixes",
    faulty: "data[id.x] = subgroupExclusiveAdd(t); // fault",
    right: "data[id.x] = subgroupAdd(1u);",
  },
  {
    title: "prefixes of data",
    faulty: "data[id.x] = subgroupInclusiveAdd(input[id.x]); // fault",
    right: "data[id.x] = select(0u, 1u, subgroupAny(input[id.x] < 1000u));",
  },
  {
    title: "a lane's value",
    faulty: "data[id.x] = subgroupShuffle(t, 3u); // fault",
    right: "data[id.x] = subgroupShuffle(group.x, 3u);",
  },
  {
    title: "the first lane's value",
    faulty: "data[id.x] = subgroupBroadcastFirst(t); // fault",
    right: "data[id.x] = subgroupBroadcastFirst(group.x);",
  },
  {
    title: "the lane before",
    faulty: "let before = subgroupShuffleUp(t, 1u);\ndata[id.x] = select(0u, before, lane > 0u); // fault",
    right: "data[id.x] = subgroupShuffleXor(group.x, 1u);",
  },
  {
    title: "who is elected",
    faulty: "data[id.x] = select(0u, 1u, subgroupElect()); // fault",
    right: "data[id.x] = subgroupAdd(select(0u, 1u, subgroupElect()));",
  },
  {
    title: "the bits of a ballot",
    faulty: "data[id.x] = subgroupBallot(t % 16u < 3u).x; // fault",
    right: "data[id.x] = subgroupBallot(true).x;",
  },
  {
    title: "four lanes",
    faulty: "data[id.x] = quadSwapX(t); // fault",
    right: "data[id.x] = quadSwapX(group.x);",
  },
  {
    title: "where the first lane writes",
    faulty: "if (lane == 0u) { data[id.x] = 5000u; } // fault",
    right: "if (t == 0u) { data[id.x] = 5000u; }",
  },
];

const uninitialized: readonly Planted[] = [
  {
    title: "a component",
    faulty: "vectors[t].x = t;\ndata[id.x] = vectors[t].y; // fault",
    right: "vectors[t].y = t;\ndata[id.x] = vectors[t].y;",
  },
  {
    title: "a member",
    faulty: "pairs[t].first = t;\ndata[id.x] = pairs[t].second; // fault",
    right: "pairs[t].second = t;\ndata[id.x] = pairs[t].second;",
  },
  { title: "a sum", faulty: "words[t] += 1u; // fault", right: "words[t] = 1u;\nwords[t] += 1u;" },
  {
    title: "a whole struct",
    faulty: "pairs[t].first = t;\nlet pair = pairs[t]; // fault\ndata[id.x] = pair.first;",
    right: "pairs[t] = Pair(t, t);\nlet pair = pairs[t];\ndata[id.x] = pair.first;",
  },
  {
    title: "a function that reads",
    declarations: "fn at(i: u32) -> u32 {\n  return words[i]; // fault\n}",
    faulty: "data[id.x] = at(t);",
    right: "words[t] = t;\ndata[id.x] = at(t);",
  },
];

/** A change of an atomic, and a load of it. */
const unorderedAfter = (title: string, change: string, load = "atomicLoad(&state)"): Planted => ({
  title,
  faulty: `${change} // fault\ndata[id.x] = ${load}; // fault`,
  right: `${change}\n${BARRIER}\ndata[id.x] = ${load};`,
});

const unordered: readonly Planted[] = [
  unorderedAfter("a sum", "atomicAdd(&state, 1u);"),
  unorderedAfter("a difference", "atomicSub(&state, 1u);"),
  unorderedAfter("a maximum", "atomicMax(&state, t);"),
  unorderedAfter("a minimum", "atomicMin(&state, t);"),
  unorderedAfter("bits", "atomicOr(&state, 1u << (t % 32u));"),
  unorderedAfter("bits that are turned", "atomicXor(&state, 1u << (t % 32u));"),
  unorderedAfter("an exchange", "_ = atomicExchange(&state, 7u);"),
  unorderedAfter("bins", "atomicAdd(&bins[t % 4u], 1u);", "atomicLoad(&bins[(t + 1u) % 4u])"),
];

const options: CheckOptions = { items: 1000, dispatch: 8, subgroupSizes: [32, 8], lanes: ["natural"] };

/** Each kind of finding. */
export const kinds: readonly Kind[] = [
  { kind: "race", options, planted: races },
  { kind: "out-of-bounds", options, planted: outOfBounds },
  { kind: "divergence", options, planted: divergence },
  { kind: "stuck", options, planted: stuck },
  {
    kind: "subgroup-size",
    options: { ...options, subgroupSizes: [32, 64, 16, 8, 128, 4] },
    usesSubgroups: true,
    planted: subgroupSizes,
  },
  {
    kind: "lane-order",
    options: { ...options, subgroupSizes: [16], lanes: ["natural", "reversed", "permuted"] },
    usesSubgroups: true,
    planted: laneOrders,
  },
  { kind: "uninitialized", options: { ...options, uninitialized: true }, planted: uninitialized },
  { kind: "unordered", options, planted: unordered },
];
