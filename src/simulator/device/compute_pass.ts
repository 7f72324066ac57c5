import type { Bound } from "./bind_group.ts";
import { bindingRules, SimulatedBindGroup } from "./bind_group.ts";
import { SimulatedBuffer } from "./buffer.ts";
import type { Command, DispatchRange, Groups } from "./commands.ts";
import type { Compiled } from "./compute_pipeline.ts";
import { SimulatedComputePipeline } from "./compute_pipeline.ts";
import { nameOf, useProblem } from "./device_object.ts";
import { unsupported } from "./errors.ts";
import { integer32, integer64, listOf, objectOf } from "./idl.ts";
import { isEquivalent } from "./layouts.ts";
import { Recorder } from "./recorder.ts";
import { INDIRECT } from "./usage.ts";

interface SetGroup {
  readonly group: SimulatedBindGroup;
  readonly dynamicOffsets: readonly number[];
}

interface GroupRange extends Bound {
  readonly group: number;
}

/** Bytes of the numbers of an indirect dispatch. */
const INDIRECT_BYTES = 12;

export class SimulatedComputePass extends Recorder implements GPUComputePassEncoder {
  declare readonly __brand: "GPUComputePassEncoder";
  readonly #encoder: Recorder;
  readonly #last: Command | undefined;
  readonly #groups = new Map<number, SetGroup>();
  #pipeline: SimulatedComputePipeline | undefined;

  /** `last` is the command that ends the pass. */
  constructor(encoder: Recorder, descriptor: GPUComputePassDescriptor | undefined, last?: Command) {
    super(encoder.core, descriptor);
    this.#encoder = encoder;
    this.#last = last;
  }

  get [Symbol.toStringTag](): string {
    return "GPUComputePassEncoder";
  }

  setPipeline(given: GPUComputePipeline): undefined {
    const pipeline = objectOf(
      SimulatedComputePipeline,
      "GPUComputePipeline",
      given,
      "setPipeline: the pipeline",
    );
    this.record("setPipeline", [useProblem(this.core, pipeline)], () => {
      this.#pipeline = pipeline;
      return undefined;
    });
    return undefined;
  }

  setBindGroup(
    index: number,
    given: GPUBindGroup | null | undefined,
    offsets: Iterable<number> = [],
    start?: number,
    length?: number,
  ): undefined {
    const at = integer32(index, "setBindGroup: index");
    const group =
      given === null || given === undefined
        ? undefined
        : objectOf(SimulatedBindGroup, "GPUBindGroup", given, "setBindGroup: the bind group");
    const dynamicOffsets = offsetsOf(offsets, start, length);
    this.record("setBindGroup", this.#groupProblems(at, group, dynamicOffsets), () => {
      if (group) {
        this.#groups.set(at, { group, dynamicOffsets });
        for (const buffer of group.buffers) {
          this.used.add(buffer);
        }
      } else {
        this.#groups.delete(at);
      }
      return undefined;
    });
    return undefined;
  }

  *#groupProblems(
    index: number,
    group: SimulatedBindGroup | undefined,
    dynamicOffsets: readonly number[],
  ): Iterable<string | undefined> {
    const { limits } = this.core;
    if (index >= limits.maxBindGroups) {
      yield `index is ${index}, and maxBindGroups is ${limits.maxBindGroups}`;
    }
    const dynamic = group?.layout.entries.filter(({ hasDynamicOffset }) => hasDynamicOffset) ?? [];
    yield group && useProblem(this.core, group);
    if (dynamicOffsets.length !== dynamic.length) {
      yield `there are ${dynamicOffsets.length} dynamic offsets; ${group ? nameOf(group) : "no bind group"} takes ${dynamic.length}`;
    }
    for (const { entry, buffer, offset, size } of group?.boundAt(dynamicOffsets) ?? []) {
      const { alignment } = bindingRules[entry.type];
      if (entry.hasDynamicOffset && offset % limits[alignment] !== 0) {
        yield `binding ${entry.binding} is at byte ${offset}; ${alignment} is ${limits[alignment]}`;
      }
      if (entry.hasDynamicOffset && offset + size > buffer.size) {
        yield `binding ${entry.binding}: bytes ${offset} to ${offset + size} are not in ${nameOf(buffer)} of ${buffer.size} bytes`;
      }
    }
  }

  dispatchWorkgroups(x: number, y = 1, z = 1): undefined {
    const caller = "dispatchWorkgroups";
    const groups: Groups = [
      integer32(x, `${caller}: x`),
      integer32(y, `${caller}: y`),
      integer32(z, `${caller}: z`),
    ];
    const most = this.core.limits.maxComputeWorkgroupsPerDimension;
    const tooMany = groups.some((count) => count > most)
      ? `there are ${groups.join(" × ")} work-groups, and maxComputeWorkgroupsPerDimension is ${most}`
      : undefined;
    this.#dispatch(caller, [tooMany], groups);
    return undefined;
  }

  dispatchWorkgroupsIndirect(indirectBuffer: GPUBuffer, indirectOffset: number): undefined {
    const caller = "dispatchWorkgroupsIndirect";
    const buffer = objectOf(SimulatedBuffer, "GPUBuffer", indirectBuffer, `${caller}: the buffer`);
    const offset = integer64(indirectOffset, `${caller}: the offset`);
    this.#dispatch(caller, this.#indirectProblems(buffer, offset), { buffer, offset });
    return undefined;
  }

  *#indirectProblems(buffer: SimulatedBuffer, offset: number): Iterable<string | undefined> {
    yield useProblem(this.core, buffer);
    if ((buffer.usage & INDIRECT) === 0) {
      yield `${nameOf(buffer)} has no usage INDIRECT`;
    }
    if (offset % 4 !== 0) {
      yield `the offset is ${offset}; it takes a multiple of 4`;
    }
    if (offset + INDIRECT_BYTES > buffer.size) {
      yield `bytes ${offset} to ${offset + INDIRECT_BYTES} are not in ${nameOf(buffer)} of ${buffer.size} bytes`;
    }
  }

  #dispatch(
    caller: string,
    problems: Iterable<string | undefined>,
    groups: Extract<Command, { kind: "dispatch" }>["groups"],
  ): void {
    const compiled = this.#pipeline?.compiled;
    const bound = compiled ? this.#boundFor(compiled) : [];
    const indirect = "buffer" in groups ? groups.buffer : undefined;
    const all = concat(problems, this.#bindingProblems(compiled, bound), usageProblems(bound, indirect));
    this.record(caller, all, () => {
      if (compiled === undefined) {
        return undefined;
      }
      if (indirect) {
        this.used.add(indirect);
      }
      return { kind: "dispatch", compiled, groups, ranges: rangesFor(compiled, bound) };
    });
  }

  /**
   * The ranges of the bind groups that a pipeline uses. The specification's rule of what a buffer is used for looks at all bind groups
   * that are set; Dawn's looks at these.
   */
  #boundFor({ layout }: Compiled): GroupRange[] {
    return layout.groups.flatMap((needed, at) => {
      const set = needed && this.#groups.get(at);
      return set ? set.group.boundAt(set.dynamicOffsets).map((bound) => ({ ...bound, group: at })) : [];
    });
  }

  *#bindingProblems(compiled: Compiled | undefined, bound: readonly GroupRange[]): Iterable<string> {
    if (compiled === undefined) {
      yield "no pipeline is set";
      return;
    }
    for (const [at, needed] of compiled.layout.groups.entries()) {
      const set = this.#groups.get(at);
      if (needed && !set) {
        yield `the pipeline takes a bind group ${at}, and none is set`;
      }
      if (needed && set && !isEquivalent(needed, set.group.layout)) {
        yield `${nameOf(set.group)} at ${at} has another layout than the pipeline`;
      }
    }
    for (const { group, binding, minSize } of compiled.entryPoint.bindings) {
      const range = bound.find(
        (candidate) => candidate.group === group && candidate.entry.binding === binding,
      );
      if (range && range.size < minSize) {
        yield `@group(${group}) @binding(${binding}) has ${range.size} bytes, and the shader takes ${minSize}`;
      }
    }
  }

  setImmediates(): never {
    unsupported("setImmediates");
  }

  /** https://www.w3.org/TR/webgpu/#dom-gpucomputepassencoder-end */
  end(): undefined {
    if (this.state !== "open" || this.#encoder.state !== "locked") {
      this.core.report("validation", `end: ${nameOf(this)} or its encoder has ended`);
      return undefined;
    }
    this.state = "ended";
    this.#encoder.state = "open";
    const problem = this.endProblem;
    if (problem !== undefined) {
      this.#encoder.invalidate(problem);
      return undefined;
    }
    this.#encoder.commands.push(...this.commands, ...(this.#last ? [this.#last] : []));
    for (const object of this.used) {
      this.#encoder.used.add(object);
    }
    return undefined;
  }
}

/** Dynamic offsets: all of a list, or a part of an array. */
function offsetsOf(
  offsets: Iterable<number>,
  start: number | undefined,
  length: number | undefined,
): number[] {
  const caller = "setBindGroup";
  if (start === undefined) {
    return listOf(offsets, `${caller}: dynamicOffsets`).map((offset) =>
      integer32(offset, `${caller}: a dynamic offset`),
    );
  }
  if (!(offsets instanceof Uint32Array)) {
    throw new TypeError(`${caller}: dynamicOffsetsData is ${String(offsets)}; it takes a Uint32Array`);
  }
  const from = integer64(start, `${caller}: dynamicOffsetsDataStart`);
  const count = integer32(length, `${caller}: dynamicOffsetsDataLength`);
  if (from + count > offsets.length) {
    throw new RangeError(
      `${caller}: entries ${from} to ${from + count} are not in dynamicOffsetsData of ${offsets.length}`,
    );
  }
  return [...offsets.subarray(from, from + count)];
}

function* concat<T>(...lists: readonly Iterable<T>[]): Iterable<T> {
  for (const list of lists) {
    yield* list;
  }
}

const isWritable = ({ entry }: Bound): boolean => entry.type === "storage";

/** Where a range is bound, as the shader says it. */
const placeOf = ({ group, entry }: GroupRange): string => `@group(${group}) @binding(${entry.binding})`;

/**
 * What a dispatch must not bind together: https://www.w3.org/TR/webgpu/#usage-scope-validation and
 * https://www.w3.org/TR/webgpu/#abstract-opdef-encoder-bind-groups-alias-a-writable-resource.
 */
function* usageProblems(
  ranges: readonly GroupRange[],
  indirect: SimulatedBuffer | undefined,
): Iterable<string | undefined> {
  for (const [at, range] of ranges.entries()) {
    if (range.buffer === indirect && isWritable(range)) {
      yield `${nameOf(range.buffer)} holds the number of work-groups and is bound to be written, at ${placeOf(range)}`;
    }
    for (const earlier of ranges.slice(0, at)) {
      if (range.buffer === earlier.buffer) {
        yield pairProblem(earlier, range);
      }
    }
  }
}

/** Why a buffer cannot be bound in two places; undefined if it can. */
function pairProblem(earlier: GroupRange, later: GroupRange): string | undefined {
  const { buffer } = later;
  const places = `${placeOf(earlier)} and ${placeOf(later)}`;
  if (isWritable(earlier) !== isWritable(later)) {
    return `${nameOf(buffer)} is bound to be written and to be read alone, at ${places}`;
  }
  const overlap = earlier.offset < later.offset + later.size && later.offset < earlier.offset + earlier.size;
  return isWritable(later) && overlap
    ? `two ranges of ${nameOf(buffer)} that are written overlap, at ${places}`
    : undefined;
}

/** The ranges that the shader uses. */
const rangesFor = ({ entryPoint }: Compiled, bound: readonly GroupRange[]): DispatchRange[] =>
  bound
    .filter(({ group, entry }) =>
      entryPoint.bindings.some((use) => use.group === group && use.binding === entry.binding),
    )
    .map((range) => ({ ...range, isWritten: isWritable(range) }));
