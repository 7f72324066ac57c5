import { plainTypes } from "../algebra/plain_types.ts";
import type { TypeName } from "../algebra/types.ts";
import { ArgumentError, SourceError } from "../errors.ts";
import { requireAlgorithm } from "../kernels/algorithms.ts";
import type { Piece } from "../text/pieces.ts";
import { tokensOf } from "../text/pieces.ts";
import { subgroupOf, workGroupAlgorithms } from "./algorithms.ts";
import {
  threadTileCoalescedReduce,
  threadTileCoalescedScan,
  threadTileCoalescedScanUpdate,
} from "./coalesced_tiles.ts";
import type { Fault } from "./directive_comments.ts";
import type { Form, ScanForm, ShuffleForm, SortForm } from "./directive_names.ts";
import type { Settings } from "./directive_settings.ts";
import { takes } from "./directive_settings.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "./exchange.ts";
import type { WorkGroupOptions } from "./functions.ts";
import {
  coalescedReduce,
  coalescedScan,
  coalescedScanUniform,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScan,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
  workGroupScanUpdate,
} from "./functions.ts";
import type { InKernelOptions } from "./generate.ts";
import type { InKernelFunctions } from "./link.ts";
import { identityOf, numeric } from "./numeric.ts";
import {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "./segmented.ts";
import { workGroupSort, workGroupSortPairs } from "./sort.ts";

/** A function that a directive asks for. */
export interface Request {
  /** As the directive has it. */
  readonly name: string;
  readonly form: Form;
  readonly settings: Settings;
  /** What the kernel's calls have behind the function's name. */
  readonly suffix: string | undefined;
}

/** Options by their names in messages, which the functions of `wavefold/wgsl` throw, and what a directive calls them. */
const namesInDirectives = [
  ["workGroupSize", "the work-group size"],
  ["tileSize", "the tile"],
  ["minSize", "min_subgroup_size"],
  ["maxSize", "max_subgroup_size"],
] as const;

/**
 * Generates what a directive asks for. `declared` has the kernel's declarations, by their names.
 *
 * @throws {SourceError} at the directive, if the function lacks its counter, or does not take its options.
 */
export function generateRequest(
  request: Request,
  declared: ReadonlyMap<string, Piece>,
  fault: Fault,
): InKernelFunctions {
  const { name } = request;
  requireCounter(request, declared, fault);
  try {
    return functionsOfForm(request);
  } catch (cause) {
    if (!(cause instanceof ArgumentError || cause instanceof SourceError)) {
      throw cause;
    }
    let problem = cause.message.replace(/^\w+(<[^>]*>)?: /, "").replace(/, line \d+: /, ": ");
    for (const [option, word] of namesInDirectives) {
      problem = problem.replaceAll(option, word);
    }
    throw fault(`${name}: ${problem}`, name);
  }
}

const isWord = (text: string): boolean => [...tokensOf(text)].every(([, , word]) => word === text);

/** Throws if a function takes a counter and has none, or if the kernel has no such variable. */
function requireCounter(
  { name, form, settings }: Request,
  declared: ReadonlyMap<string, Piece>,
  fault: Fault,
): void {
  const counter = settings.keys.get("counter");
  if (takes(form, "counter") && counter === undefined) {
    throw fault(
      `${name} takes a counter: an atomic<u32>, by its name in the kernel, such as counter=bump.used`,
      name,
    );
  }
  const variable = /^[^.[]+/.exec(counter ?? "")?.[0] ?? "";
  if (counter !== undefined && isWord(variable) && declared.get(variable)?.keyword !== "var") {
    throw fault(`counter=${counter}: the kernel declares no variable ${variable}`, `counter=${counter}`);
  }
}

function functionsOfForm({ form, settings, suffix }: Request): InKernelFunctions {
  const options = commonOptions(settings, suffix);
  const counter = settings.keys.get("counter") ?? "";
  switch (form.family) {
    case "identity":
      return identityOf<TypeName>({ type: plainTypes[form.type], op: form.op });
    case "numeric":
      return numeric(plainTypes[form.type]);
    case "compact":
      return form.update ? workGroupCompactUpdate({ ...options, counter }) : workGroupCompact(options);
    case "allocate":
      return allocateFunctions(options, settings, counter);
    case "split":
      return workGroupSplit(options);
    case "sort":
      return sortFunctions(form, options, settings);
    case "shuffle":
      return shuffleFunctions(form, options);
    case "work_group":
      return workGroupFunctions(form, options, counter);
    case "coalesced":
      return coalescedFunctions(form, options, counter);
    case "thread_tile":
      return tileFunctions(form, options, counter);
    default:
      return form satisfies never;
  }
}

/** The options that most functions take. */
function commonOptions(
  { workGroupSize, subgroups, keys }: Settings,
  suffix: string | undefined,
): InKernelOptions {
  const algorithm = requireAlgorithm(
    keys.get("algorithm") ?? (subgroups ? "subgroup" : "hillis-steele"),
    "algorithm",
  );
  const least = keys.get("min_subgroup_size");
  const most = keys.get("max_subgroup_size");
  // Sizes are checked even if they mean nothing to the algorithm.
  const bySubgroups = subgroupOf({
    ...(least !== undefined && { minSize: Number(least) }),
    ...(most !== undefined && { maxSize: Number(most) }),
  });
  return {
    workGroupSize,
    algorithm: algorithm === "subgroup" ? bySubgroups : workGroupAlgorithms[algorithm],
    ...(suffix !== undefined && { suffix }),
  };
}

function allocateFunctions(options: InKernelOptions, { keys }: Settings, counter: string): InKernelFunctions {
  const capacity = keys.get("capacity");
  return workGroupAllocate({
    ...options,
    counter,
    ...(capacity !== undefined && { capacity: /^\d+$/.test(capacity) ? Number(capacity) : capacity }),
  });
}

function sortFunctions(
  { type, values, descending }: SortForm,
  options: InKernelOptions,
  { keys }: Settings,
): InKernelFunctions {
  const items = keys.get("items");
  const [from = 0, to = 0] = keys.get("bits")?.split(",").map(Number) ?? [];
  const sortOptions = {
    ...options,
    type: plainTypes[type],
    descending,
    ...(items !== undefined && { items: Number(items) }),
    ...(keys.has("bits") && { bits: [from, to] as const }),
  };
  return values === undefined
    ? workGroupSort(sortOptions)
    : workGroupSortPairs({ ...sortOptions, values: plainTypes[values] });
}

function shuffleFunctions(form: ShuffleForm, options: InKernelOptions): InKernelFunctions {
  const { tileSize } = form;
  const type = plainTypes[form.type];
  const { algorithm: _, ...others } = options;
  return tileSize === 0
    ? workGroupBroadcast({ ...others, type })
    : threadTileShuffle({ ...options, type, tileSize });
}

const withOperator = ({ type, op }: ScanForm, options: InKernelOptions): WorkGroupOptions<TypeName> => ({
  ...options,
  type: plainTypes[type],
  op,
});

function workGroupFunctions(form: ScanForm, common: InKernelOptions, counter: string): InKernelFunctions {
  const options = withOperator(form, common);
  if (form.update) {
    return workGroupScanUpdate({ ...options, counter });
  }
  if (form.uniform) {
    return workGroupScanUniform(options);
  }
  if (form.segmented) {
    return form.kind === "reduce" ? workGroupSegmentedReduce(options) : workGroupSegmentedScan(options);
  }
  return form.kind === "reduce" ? workGroupReduce(options) : workGroupScan(options);
}

function coalescedFunctions(form: ScanForm, common: InKernelOptions, counter: string): InKernelFunctions {
  const options = withOperator(form, common);
  if (form.update) {
    return coalescedScanUpdate({ ...options, counter });
  }
  if (form.uniform) {
    return coalescedScanUniform(options);
  }
  return form.kind === "reduce" ? coalescedReduce(options) : coalescedScan(options);
}

function tileFunctions(form: ScanForm, common: InKernelOptions, counter: string): InKernelFunctions {
  const { kind, update, coalesced, segmented, tileSize } = form;
  const options = { ...withOperator(form, common), tileSize };
  if (update) {
    return (coalesced ? threadTileCoalescedScanUpdate : threadTileScanUpdate)({ ...options, counter });
  }
  if (coalesced) {
    return kind === "reduce" ? threadTileCoalescedReduce(options) : threadTileCoalescedScan(options);
  }
  if (segmented) {
    return kind === "reduce" ? threadTileSegmentedReduce(options) : threadTileSegmentedScan(options);
  }
  return kind === "reduce" ? threadTileReduce(options) : threadTileScan(options);
}
