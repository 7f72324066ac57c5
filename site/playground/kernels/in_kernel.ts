import { u32 } from "../../../src/algebra/integers.ts";
import { link, linkDirectives, operator, struct, workGroupScan } from "../../../src/wgsl.ts";
import type { ReadyKernel } from "../setup.ts";

/** What a kernel of these computes from `input` into `output`: an expression over the thread's item. */
interface InKernel {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly directive: string;
  /** The statements of the kernel. */
  readonly body: string;
  /** Lines in front of the entry point. */
  readonly declarations?: string;
  readonly values?: Readonly<Record<string, string>>;
}

const ITEMS = "3 1 7 0 4 1 6 3";
const BUFFERS = `@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;`;

/** A kernel of one work-group of 8 threads. */
const kernelText = ({ directive, body, declarations = "" }: InKernel): string =>
  `// wavefold: ${directive}
${BUFFERS}
${declarations}
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) local_index: u32) {
  ${body.trim().replaceAll("\n", "\n  ")}
}
`;

const scans: readonly InKernel[] = [
  {
    name: "scan-hillis-steele",
    title: "Scan: Hillis–Steele",
    about:
      "Each thread combines its element with the one 1, 2 and 4 places before it. Two sides of work-group memory are written in turn, so one barrier a step is enough.",
    directive: "work_group_scan_inclusive_add_u32",
    body: "output[local_index] = work_group_scan_inclusive_add_u32(input[local_index], local_index);",
  },
  {
    name: "scan-blelloch",
    title: "Scan: Blelloch",
    about:
      "Pairs, then pairs of pairs are combined on the way up. On the way down, each place gets what comes before it. Few threads work near the root, and no sum is computed twice.",
    directive: "work_group_scan_exclusive_add_u32 algorithm=blelloch",
    body: "output[local_index] = work_group_scan_exclusive_add_u32(input[local_index], local_index);",
  },
  {
    name: "scan-subgroups",
    title: "Scan: subgroups",
    about:
      "The threads of a subgroup scan among themselves, without memory. Then the totals of the subgroups are scanned. Choose another size of subgroups, and watch how many totals there are.",
    directive: "work_group_scan_inclusive_add_u32 subgroups",
    body: "output[local_index] = work_group_scan_inclusive_add_u32(input[local_index], local_index);",
  },
  {
    name: "scan-max",
    title: "Scan: the greatest so far",
    about: "The same algorithm with another operator: each thread gets the greatest element up to its own.",
    directive: "work_group_scan_inclusive_max_u32 algorithm=blelloch",
    body: "output[local_index] = work_group_scan_inclusive_max_u32(input[local_index], local_index);",
  },
  {
    name: "scan-segments",
    title: "Scan: segments",
    about:
      "The sums start anew where a head is. A flag travels with each element, and stops what would cross it.",
    directive: "work_group_segmented_scan_inclusive_add_u32",
    declarations: "@group(0) @binding(2) var<storage, read> heads: array<u32>;\n",
    body: "output[local_index] = work_group_segmented_scan_inclusive_add_u32(\n  input[local_index], heads[local_index] == 1u, local_index);",
    values: { heads: "1 0 0 1 0 1 0 0" },
  },
];

const others: readonly InKernel[] = [
  {
    name: "reduce",
    title: "Reduce: the sum",
    about:
      "Half of the threads combine two elements each, then a quarter, until one value is left. All threads get it.",
    directive: "work_group_reduce_add_u32",
    body: "output[local_index] = work_group_reduce_add_u32(input[local_index], local_index);",
  },
  {
    name: "compact",
    title: "Compaction: keep what is above 3",
    about:
      "Each thread that keeps its item learns how many threads before it keep theirs. That is its place in the output.",
    directive: "work_group_compact",
    body: "let item = input[local_index];\nlet place = work_group_compact(item > 3u, local_index);\nif (item > 3u) {\n  output[place.slot] = item;\n}",
    values: { output: "0*8" },
  },
  {
    name: "compact-groups",
    title: "Compaction: work-groups append to a list",
    about:
      "Each work-group adds its count to the length of the list in one atomic operation. Which comes first is open: choose another schedule or seed.",
    directive: "work_group_compact_update counter=length",
    declarations: "@group(0) @binding(2) var<storage, read_write> length: atomic<u32>;\n",
    body: "let item = input[8u * id.x + local_index];\nlet place = work_group_compact_update(item > 3u, local_index);\nif (item > 3u) {\n  output[place.slot] = item;\n}",
    values: { input: "3 1 7 0 4 1 6 3 2 8 5 1 0 9 2 4", output: "0*16", length: "0" },
  },
  {
    name: "split",
    title: "Sort: split by a bit, again and again",
    about:
      "For each bit, threads whose bit is 0 move before the others, and both keep their order. After the last bit, the keys are sorted.",
    directive: "work_group_split",
    declarations: "var<workgroup> moved: array<u32, 8>;\n",
    body: "var key = input[local_index];\nfor (var bit = 0u; bit < 3u; bit++) {\n  moved[work_group_split(extractBits(key, bit, 1u) == 1u, local_index)] = key;\n  workgroupBarrier();\n  key = moved[local_index];\n  workgroupBarrier();\n}\noutput[local_index] = key;",
  },
  {
    name: "sort-work-group",
    title: "Sort: a work-group’s tile",
    about: "A work-group sorts 16 keys, two for each thread.",
    directive: "work_group_sort_u32 items=2 bits=0,4",
    body: "var keys = array(input[2u * local_index], input[2u * local_index + 1u]);\nwork_group_sort_u32(&keys, local_index);\noutput[2u * local_index] = keys[0];\noutput[2u * local_index + 1u] = keys[1];",
    values: { input: "3 1 7 0 4 1 6 3 2 8 5 1 0 9 2 4", output: "0*16" },
  },
];

const several = (kernel: InKernel): boolean => kernel.body.includes("id.x");

const ready = (section: string, kernel: InKernel): ReadyKernel => {
  const text = kernelText(kernel);
  const code = several(kernel)
    ? text.replace("fn main(", "fn main(@builtin(workgroup_id) id: vec3<u32>, ")
    : text;
  return {
    name: kernel.name,
    title: kernel.title,
    about: kernel.about,
    section,
    code: linkDirectives(code),
    entryPoint: "",
    groups: several(kernel) ? "2" : "1",
    values: { input: ITEMS, output: "0*8", ...kernel.values },
  };
};

/** Digits after each other: the order of the operands matters. */
function joined(): ReadyKernel {
  const Digits = struct({ name: "Digits", fields: { value: u32, power: u32 } });
  const join = operator({
    name: "join",
    type: Digits,
    identity: { value: 0, power: 1 },
    combine: "Digits(earlier.value * later.power + later.value, earlier.power * later.power)",
  });
  const text = `${BUFFERS}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) local_index: u32) {
  let digit = Digits(input[local_index], 10u);
  output[local_index] = work_group_scan_inclusive_join_Digits(digit, local_index).value;
}
`;
  return {
    name: "scan-order",
    title: "Scan: an operator whose order matters",
    about:
      "It writes digits after each other: 3, 31, 317. Earlier elements always come first, whatever the algorithm.",
    section: "In a work-group",
    code: link(text, [workGroupScan({ type: Digits, op: join, workGroupSize: 8 })]),
    entryPoint: "",
    groups: "1",
    values: { input: ITEMS, output: "0*8" },
  };
}

/** Kernels that call Wavefold's functions for kernels of one's own. */
export function inKernel(): readonly ReadyKernel[] {
  return [
    ...scans.map((kernel) => ready("In a work-group", kernel)),
    joined(),
    ...others.map((kernel) => ready("In a work-group", kernel)),
  ];
}
