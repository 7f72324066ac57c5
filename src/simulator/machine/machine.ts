import { WavefoldError } from "../../errors.ts";
import type { Finding, FindingKind, FindingThread } from "../findings.ts";
import { type MachineOptions, machineOptions, type SimulatorOptions } from "../options.ts";
import { Random } from "./random.ts";

/** A place of a module's text that findings name. */
export interface Site {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The function around it. */
  readonly function: string;
  /** Of a place in a linked function: that function. The place is then that of the call. */
  readonly called?: string;
}

/** The places that the numbers of sites stand for. */
export interface Sites {
  at(site: number): Site | undefined;
}

/** What a dispatch runs, as findings name it. */
export interface Context {
  /** The module's label. */
  readonly file: string;
  readonly entryPoint: string;
  readonly sites: Sites;
  /** The variables of work-group memory, with their places there in words. Without them, findings name words of the whole memory. */
  readonly workGroupVariables?: readonly {
    readonly name: string;
    readonly first: number;
    readonly count: number;
  }[];
}

/** Epochs fit an int32, with room for those of one more dispatch. */
const MOST_EPOCHS = 2 ** 30;

/** The machine that runs one dispatch after another: its options, its random choices and what it found. */
export class Machine {
  /** Another object after each {@link restart}. */
  options: MachineOptions;
  random: Random;
  /** All findings since it was made. */
  readonly findings: Finding[] = [];
  /** What runs: set before each dispatch. */
  context: Context = { file: "", entryPoint: "", sites: [] };
  /** How many stores of atomics have changed a word of storage memory. */
  changes = 0;
  /** The first epoch of this dispatch. Those of earlier dispatches are smaller. */
  firstEpoch = 1;
  /** The `workgroup_id`s of the dispatch are below these. */
  groups: readonly [number, number, number] = [1, 1, 1];
  /** The number of the dispatch. */
  dispatch = 0;
  /** Of a program that is watched: 1 for each of its blocks that has run. */
  ran: Uint8Array = new Uint8Array(0);
  /** Called before a finding is told. @internal */
  beforeFinding: (() => void) | undefined;

  /** Of arrays and vectors, by how many elements they have: the greatest index past their end that was taken. */
  readonly outside = new Map<number, number>();

  #lastEpoch = 0;
  /** For each epoch of this dispatch, the index of its work-group. */
  readonly #groupIndices: number[] = [];
  readonly #reported = new Set<string>();
  /** Whether the next dispatch was begun before, with subgroups of the other size. */
  #isBegun = false;
  #otherOptions: MachineOptions | undefined;
  /** By the sizes of subgroups that kernels ask for. */
  readonly #sizedOptions = new Map<number, MachineOptions>();

  /** The options are those of {@link requireSimulatorOptions}. */
  constructor(options: SimulatorOptions = {}) {
    this.options = machineOptions(options);
    this.random = new Random(this.options.seed);
    this.#otherOptions = otherOptions(this.options);
  }

  /** Runs by other options from now on, as a new machine would, and forgets its findings. */
  restart(options: SimulatorOptions): void {
    this.options = machineOptions(options);
    this.random = new Random(this.options.seed);
    this.#otherOptions = otherOptions(this.options);
    this.#sizedOptions.clear();
    this.findings.length = 0;
    this.outside.clear();
    this.changes = 0;
  }

  /**
   * Begins a dispatch with subgroups of the other size; the next one is the same dispatch. That makes the same choices at random, and faults
   * that were reported in the first are not reported again.
   */
  withOtherSubgroups(run: () => void): void {
    const { options, random } = this;
    this.options = this.#otherOptions ?? options;
    this.random = random.copy();
    try {
      run();
    } finally {
      this.options = options;
      this.random = random;
    }
    this.#isBegun = true;
  }

  /** Carries out a dispatch with subgroups of this size, which its kernel asks for. */
  withSubgroupSize(subgroupSize: number, run: () => void): void {
    const { options } = this;
    const { otherSubgroupSize: _, ...others } = options;
    const sized = this.#sizedOptions.get(subgroupSize) ?? { ...others, subgroupSize };
    this.#sizedOptions.set(subgroupSize, sized);
    this.options = sized;
    try {
      run();
    } finally {
      this.options = options;
    }
  }

  /** Forgets who accessed what, and which faults were reported. */
  beginDispatch(groups: readonly [number, number, number]): void {
    if (this.#lastEpoch > MOST_EPOCHS) {
      throw new WavefoldError(`the simulator has run ${this.#lastEpoch} work-groups; make a new one`);
    }
    this.groups = groups;
    this.dispatch++;
    this.firstEpoch = this.#lastEpoch + 1;
    this.#groupIndices.length = 0;
    if (!this.#isBegun) {
      this.#reported.clear();
    }
    this.#isBegun = false;
  }

  /** An epoch is what a work-group does between two storage barriers. No two of this machine have the same number. */
  nextEpoch(groupIndex: number): number {
    this.#groupIndices.push(groupIndex);
    return ++this.#lastEpoch;
  }

  /** The index of the work-group that an epoch of this dispatch belongs to. */
  groupIndexOf(epoch: number): number {
    return this.#groupIndices[epoch - this.firstEpoch] as number;
  }

  /** The `workgroup_id` of the work-group with this index: x runs fastest. */
  idOf(index: number): [number, number, number] {
    const [x, y] = this.groups;
    return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
  }

  /** Notes an index past the end, unless it is one below 0. */
  noteOutside(index: number, count: number): void {
    if (index < 2 ** 31 && index > (this.outside.get(count) ?? 0)) {
      this.outside.set(count, index);
    }
  }

  /** Whether such a fault at these two places was reported in this dispatch. */
  hasReported(kind: FindingKind, site: number, otherSite = site): boolean {
    return this.#reported.has(keyOf(kind, site, otherSite));
  }

  /** Reports a fault that was seen at a place, together with another place if there are two; each once for each dispatch. */
  report(
    kind: FindingKind,
    site: number,
    message: string,
    threads: readonly FindingThread[],
    otherSite?: number,
  ): void {
    if (this.hasReported(kind, site, otherSite)) {
      return;
    }
    this.#reported.add(keyOf(kind, site, otherSite ?? site));
    const { file, entryPoint, sites } = this.context;
    const { line = 0, column = 0, called } = sites.at(site) ?? {};
    const other = otherSite === undefined ? {} : { otherLine: sites.at(otherSite)?.line ?? 0 };
    const linked = called === undefined ? {} : { called };
    this.add({ kind, file, line, column, ...other, ...linked, entryPoint, threads, message });
  }

  /** Adds a finding that was made elsewhere. */
  add(finding: Finding): void {
    this.beforeFinding?.();
    this.findings.push(finding);
    this.options.onFinding?.(finding);
  }

  /** `line 12 (in reduce_tile)` */
  nameOfSite(site: number): string {
    const place = this.context.sites.at(site);
    if (place === undefined) {
      return "an unknown line";
    }
    const { line, called, function: around } = place;
    return `line ${line} (in ${called === undefined ? around : `${called}, which ${around} calls there`})`;
  }
}

/** A dispatch with subgroups of the other size is not traced. */
const otherOptions = ({
  otherSubgroupSize,
  trace: _,
  ...options
}: MachineOptions): MachineOptions | undefined =>
  otherSubgroupSize === undefined ? undefined : { ...options, subgroupSize: otherSubgroupSize };

const keyOf = (kind: FindingKind, site: number, otherSite: number): string =>
  `${kind} ${Math.min(site, otherSite)} ${Math.max(site, otherSite)}`;

/** `thread 5 of work-group (1, 0, 0)`, or `work-group (1, 0, 0)`. */
export function nameOfThread({ workGroup, thread }: FindingThread): string {
  const group = `work-group (${workGroup.join(", ")})`;
  return thread === undefined ? group : `thread ${thread} of ${group}`;
}
