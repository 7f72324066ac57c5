import { workGroupAlgorithms } from "../src/in_kernel/algorithms.ts";
import type { Algorithm, ElementType, Operator, ScalarType } from "../src/index.ts";
import { reductionOf } from "../src/plan/arg_min_max.ts";
import { planColumns } from "../src/plan/columns.ts";
import { planCompact, planPartition } from "../src/plan/compact.ts";
import type { DeviceFacts } from "../src/plan/device_facts.ts";
import { withFasterWays } from "../src/plan/faster_ways.ts";
import type { Passes } from "../src/plan/options.ts";
import type { Plan } from "../src/plan/plan.ts";
import { planReduce } from "../src/plan/reduce.ts";
import { FIRST_ITEMS } from "../src/plan/run_key.ts";
import { planScan } from "../src/plan/scan.ts";
import { planSegments } from "../src/plan/segments.ts";
import { planSort } from "../src/plan/sort.ts";
import type { Piece } from "../src/text/pieces.ts";
import { piecesOf } from "../src/text/pieces.ts";
// Plans are made at once, so the types read texts at once.
import { elementTypes, u32, u64, workGroupCompact, workGroupReduce, workGroupScan } from "../src/wgsl.ts";
import type { Choice, PlannedName } from "./choices.ts";
import { planOn } from "./described.ts";

/** What a plan is made for. */
export interface Wanted {
  readonly primitive: PlannedName;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly algorithm: Algorithm | undefined;
  readonly passes: Passes | undefined;
  readonly exclusive: boolean;
  readonly where: string;
  readonly length: number;
}

/** WGSL to show: a pass of the plan, or the functions to call in a kernel of one's own. */
export interface Listing {
  readonly title: string;
  readonly code: string;
}

/** Functions, each before what it calls, in the order of the calls. */
function callersFirst(functions: readonly Piece[]): Piece[] {
  const named = new Map(functions.map((piece) => [piece.name, piece]));
  const calledBy = ({ name, words }: Piece): Piece[] =>
    [...new Set(words)].flatMap((word) => (word === name ? [] : (named.get(word) ?? [])));
  const called = new Set(functions.flatMap(calledBy));
  const calleesFirst = new Set<Piece>();
  const visit = (piece: Piece): void => {
    if (!calleesFirst.has(piece)) {
      calledBy(piece).reverse().forEach(visit);
      calleesFirst.add(piece);
    }
  };
  functions.filter((piece) => !called.has(piece)).forEach(visit);
  return [...calleesFirst].reverse();
}

/**
 * The declarations of a text in the order in which a person reads them: the kernel, then what it calls, then what these read. WGSL
 * gives them the same meaning in any order.
 */
export function kernelFirst(code: string): string {
  const pieces = piecesOf(code);
  const directives = pieces.filter(({ directive }) => directive !== undefined);
  const functions = callersFirst(pieces.filter(({ keyword }) => keyword === "fn"));
  const others = pieces.filter(({ keyword, directive }) => keyword !== "fn" && directive === undefined);
  return `${[...directives, ...functions, ...others]
    .map(({ text }) => text.trim())
    .filter(Boolean)
    .join("\n\n")}\n`;
}

/** The options as the library takes them. */
const optionsOf = ({ type, op, algorithm, passes, exclusive, where, length, primitive }: Wanted) => ({
  type,
  maxLength: length,
  ...(algorithm && { algorithm }),
  ...(passes && primitive !== "reduce" && { passes }),
  ...(primitive === "compact" ? { where } : { op }),
  ...(primitive === "scan" && { exclusive }),
});

/** How the page's buffers lie: apart, and each from its start on. */
const LIE = "vectors";

/** The plan of what is wanted, checked against a device. */
export function planOf(wanted: Wanted, facts: DeviceFacts): Plan {
  const options = optionsOf(wanted);
  switch (wanted.primitive) {
    case "scan":
      return planScan(options, withFasterWays(facts), [LIE]);
    case "reduce":
      return planReduce(options, withFasterWays(facts), [LIE]);
    case "compact":
      return planCompact(options, withFasterWays(facts), [LIE]);
    default:
      return wanted.primitive satisfies never;
  }
}

const count = (tiles: number): string => `${tiles} work-group${tiles === 1 ? "" : "s"}`;

/** The WGSL that it becomes: each pass of the plan in order, then the functions for inside a kernel. */
export async function listingsOf(wanted: Wanted, facts: DeviceFacts): Promise<Listing[]> {
  const plan = planOf(wanted, facts);
  const passes = plan.passes(wanted.length, LIE, false).map(
    ({ kernel, tiles }, at): Listing => ({
      title: `Pass ${at + 1}: ${kernel.label.replace(/^wavefold /, "")}, ${count(tiles)}`,
      code: kernelFirst(kernel.code),
    }),
  );
  const inKernel = { workGroupSize: 256, algorithm: workGroupAlgorithms[plan.groupingOf(LIE).algorithm] };
  const { type, op } = wanted;
  const functions =
    wanted.primitive === "scan"
      ? workGroupScan({ ...inKernel, type, op })
      : wanted.primitive === "reduce"
        ? workGroupReduce({ ...inKernel, type, op })
        : workGroupCompact(inKernel);
  return [
    ...passes,
    { title: `In a kernel of yours: ${functions.names[0] ?? ""}`, code: kernelFirst(functions.code) },
  ];
}

/** The plan of a call at hand, for `length` elements. */
function planOfCall(choice: Choice, length: number, facts: DeviceFacts): Plan | Promise<Plan> {
  const { primitive, op, exclusive, predicate, segments, descending, key, number, classes } = choice;
  if (choice.described !== undefined) {
    return planOn(choice.described, length, facts);
  }
  const type = elementTypes[choice.type] as ElementType;
  const all = { type, maxLength: length };
  const by = segments && {
    segments:
      segments.kind === "keys"
        ? { keys: u32, unique: primitive === "reduce" }
        : segments.kind === "key"
          ? {
              keys: type,
              key: segments.key,
              keyType: elementTypes[segments.keyType],
              unique: primitive === "reduce",
            }
          : segments.kind,
  };
  // Runs are segments whose keys are the elements themselves, or computed from them.
  const ofKey = key && { key: key.key, keyType: elementTypes[key.keyType], [FIRST_ITEMS]: true };
  const runs = { maxLength: length, from: type, type: u32, segments: { keys: type, ...ofKey, unique: true } };
  const combined = { ...all, ...by, op };
  const inSegments = (primitive: "scan" | "reduce", options: object): Plan =>
    segments?.kind === "columns"
      ? planColumns(primitive, options as never, withFasterWays(facts), [LIE])
      : planSegments(primitive, options as never, withFasterWays(facts));
  switch (primitive) {
    case "scan":
      return segments
        ? inSegments("scan", { ...combined, exclusive })
        : planScan({ ...combined, exclusive } as never, withFasterWays(facts));
    case "reduce":
      return segments ? inSegments("reduce", combined) : planReduce(combined as never, withFasterWays(facts));
    case "unique":
    case "runLengths":
      return inSegments("reduce", { ...runs, map: "1u" });
    case "argMin":
    case "argMax":
      return planReduce(
        { ...reductionOf(primitive, type as ScalarType, u64), maxLength: length } as never,
        withFasterWays(facts),
      );
    case "compact":
    case "partition":
      return classes === undefined
        ? planPartition({ ...all, where: predicate?.where ?? "" }, withFasterWays(facts))
        : planPartition({ ...all, classes, class: number?.text ?? "" }, withFasterWays(facts));
    case "sort":
      return planSort({ ...all, descending }, facts);
    case "argSort":
      return planSort({ ...all, descending, indices: true }, facts);
    default:
      return primitive satisfies never;
  }
}

/** The WGSL of a call at hand: every kernel that its plan may use. */
export async function listingsOfCall(choice: Choice, length: number, facts: DeviceFacts): Promise<Listing[]> {
  const { kernels } = await planOfCall(choice, length, facts);
  return kernels.map(({ label, code }, at) => ({
    title: `Kernel ${at + 1}: ${label.replace(/^wavefold /, "")}`,
    code: kernelFirst(code),
  }));
}
