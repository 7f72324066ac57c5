import { SimulatedBuffer } from "./buffer.ts";
import type { Command } from "./commands.ts";
import { SimulatedComputePass } from "./compute_pass.ts";
import type { Core } from "./core.ts";
import { DeviceObject, firstOf, nameOf, useProblem } from "./device_object.ts";
import { unsupported } from "./errors.ts";
import { dictionaryOf, integer32, integer64, objectOf, optional64 } from "./idl.ts";
import { SimulatedQuerySet } from "./query_set.ts";
import type { Used } from "./recorder.ts";
import { Recorder } from "./recorder.ts";
import { COPY_DST, COPY_SRC, QUERY_RESOLVE } from "./usage.ts";

/** Bytes of a query's result. */
const QUERY_BYTES = 8;

export class SimulatedCommandBuffer extends DeviceObject implements GPUCommandBuffer {
  declare readonly __brand: "GPUCommandBuffer";
  readonly commands: readonly Command[];
  readonly used: ReadonlySet<Used>;

  constructor(
    core: Core,
    descriptor: GPUCommandBufferDescriptor | undefined,
    { commands, used }: Pick<Recorder, "commands" | "used">,
  ) {
    super(core, descriptor);
    this.commands = commands;
    this.used = used;
  }

  get [Symbol.toStringTag](): string {
    return "GPUCommandBuffer";
  }
}

export class SimulatedCommandEncoder extends Recorder implements GPUCommandEncoder {
  declare readonly __brand: "GPUCommandEncoder";

  get [Symbol.toStringTag](): string {
    return "GPUCommandEncoder";
  }

  beginComputePass(given?: GPUComputePassDescriptor): SimulatedComputePass {
    const caller = "beginComputePass";
    const descriptor = dictionaryOf(given, `${caller}: the descriptor`);
    const writes = descriptor.timestampWrites && timestampWritesOf(descriptor.timestampWrites);
    const end = writes?.end;
    const pass = new SimulatedComputePass(
      this,
      descriptor,
      writes && end !== undefined ? { kind: "timestamp", querySet: writes.querySet, index: end } : undefined,
    );
    if (!this.canRecord(caller)) {
      pass.isValid = false;
      return pass;
    }
    this.state = "locked";
    const problem = writes && firstOf(timestampProblems(this.core, writes));
    if (problem !== undefined) {
      pass.invalidate(`${caller}: ${problem}`);
    } else if (writes) {
      this.used.add(writes.querySet);
      if (writes.beginning !== undefined) {
        this.commands.push({ kind: "timestamp", querySet: writes.querySet, index: writes.beginning });
      }
    }
    return pass;
  }

  /** Takes `(source, destination, size)`, too. */
  copyBufferToBuffer(given: GPUBuffer, ...rest: readonly (GPUBuffer | number | undefined)[]): undefined {
    const caller = "copyBufferToBuffer";
    const [from, to, at, bytes] =
      typeof rest[0] === "object" ? [0, rest[0], 0, rest[1]] : [rest[0], rest[1], rest[2], rest[3]];
    const source = objectOf(SimulatedBuffer, "GPUBuffer", given, `${caller}: the source`);
    const destination = objectOf(SimulatedBuffer, "GPUBuffer", to, `${caller}: the destination`);
    const sourceOffset = integer64(from, `${caller}: sourceOffset`);
    const destinationOffset = integer64(at, `${caller}: destinationOffset`);
    const size = optional64(bytes, `${caller}: size`) ?? source.size - sourceOffset;
    const problems = [
      ...rangeProblems(this.core, { buffer: source, offset: sourceOffset, size }, COPY_SRC, "COPY_SRC"),
      ...rangeProblems(
        this.core,
        { buffer: destination, offset: destinationOffset, size },
        COPY_DST,
        "COPY_DST",
      ),
      source === destination ? `${nameOf(source)} is source and destination` : undefined,
    ];
    this.record(caller, problems, () => {
      this.used.add(source).add(destination);
      return { kind: "copy", source, sourceOffset, destination, destinationOffset, size };
    });
    return undefined;
  }

  clearBuffer(given: GPUBuffer, from = 0, bytes?: number): undefined {
    const caller = "clearBuffer";
    const buffer = objectOf(SimulatedBuffer, "GPUBuffer", given, `${caller}: the buffer`);
    const offset = integer64(from, `${caller}: offset`);
    const size = optional64(bytes, `${caller}: size`) ?? Math.max(0, buffer.size - offset);
    this.record(caller, rangeProblems(this.core, { buffer, offset, size }, COPY_DST, "COPY_DST"), () => {
      this.used.add(buffer);
      return { kind: "clear", buffer, offset, size };
    });
    return undefined;
  }

  resolveQuerySet(
    givenSet: GPUQuerySet,
    firstQuery: number,
    queryCount: number,
    givenBuffer: GPUBuffer,
    destinationOffset: number,
  ): undefined {
    const caller = "resolveQuerySet";
    const querySet = objectOf(SimulatedQuerySet, "GPUQuerySet", givenSet, `${caller}: the query set`);
    const first = integer32(firstQuery, `${caller}: firstQuery`);
    const count = integer32(queryCount, `${caller}: queryCount`);
    const destination = objectOf(SimulatedBuffer, "GPUBuffer", givenBuffer, `${caller}: the destination`);
    const offset = integer64(destinationOffset, `${caller}: destinationOffset`);
    const size = count * QUERY_BYTES;
    const problems = [
      useProblem(this.core, querySet),
      first >= querySet.count || first + count > querySet.count
        ? `queries ${first} to ${first + count} are not in ${nameOf(querySet)} of ${querySet.count}`
        : undefined,
      ...rangeProblems(this.core, { buffer: destination, offset, size }, QUERY_RESOLVE, "QUERY_RESOLVE"),
      offset % 256 !== 0 ? `destinationOffset is ${offset}; it takes a multiple of 256` : undefined,
    ];
    this.record(caller, problems, () => {
      this.used.add(querySet).add(destination);
      return { kind: "resolve", querySet, first, count, destination, offset };
    });
    return undefined;
  }

  /** https://www.w3.org/TR/webgpu/#dom-gpucommandencoder-finish */
  finish(descriptor?: GPUCommandBufferDescriptor): SimulatedCommandBuffer {
    const given = dictionaryOf(descriptor, "finish: the descriptor");
    const made = new SimulatedCommandBuffer(this.core, given, this);
    const problem = firstOf([this.#stateProblem(), this.endProblem]);
    this.state = "ended";
    if (problem !== undefined) {
      made.isValid = false;
      this.core.report("validation", `finish: ${problem}`);
    }
    return made;
  }

  #stateProblem(): string | undefined {
    if (this.state === "locked") {
      return `a pass of ${nameOf(this)} has not ended`;
    }
    return this.state === "ended" ? `${nameOf(this)} has ended` : undefined;
  }

  beginRenderPass(): never {
    unsupported("beginRenderPass");
  }

  copyBufferToTexture(): never {
    unsupported("copyBufferToTexture");
  }

  copyTextureToBuffer(): never {
    unsupported("copyTextureToBuffer");
  }

  copyTextureToTexture(): never {
    unsupported("copyTextureToTexture");
  }
}

interface Range {
  readonly buffer: SimulatedBuffer;
  readonly offset: number;
  readonly size: number;
}

function* rangeProblems(
  core: Core,
  { buffer, offset, size }: Range,
  usage: number,
  usageName: string,
): Iterable<string | undefined> {
  yield useProblem(core, buffer);
  if ((buffer.usage & usage) === 0) {
    yield `${nameOf(buffer)} has no usage ${usageName}`;
  }
  if (offset % 4 !== 0 || size % 4 !== 0) {
    yield `bytes ${offset} to ${offset + size} of ${nameOf(buffer)} are no whole words`;
  }
  if (size < 0 || offset + size > buffer.size) {
    yield `bytes ${offset} to ${offset + size} are not in ${nameOf(buffer)} of ${buffer.size} bytes`;
  }
}

interface TimestampWrites {
  readonly querySet: SimulatedQuerySet;
  readonly beginning: number | undefined;
  readonly end: number | undefined;
}

function timestampWritesOf(given: GPUComputePassTimestampWrites): TimestampWrites {
  const of = "beginComputePass: timestampWrites";
  const { querySet, beginningOfPassWriteIndex, endOfPassWriteIndex } = dictionaryOf(given, of);
  const indexOf = (index: number | undefined, name: string): number | undefined =>
    index === undefined ? undefined : integer32(index, `${of}.${name}`);
  return {
    querySet: objectOf(SimulatedQuerySet, "GPUQuerySet", querySet, `${of}.querySet`),
    beginning: indexOf(beginningOfPassWriteIndex, "beginningOfPassWriteIndex"),
    end: indexOf(endOfPassWriteIndex, "endOfPassWriteIndex"),
  };
}

function* timestampProblems(
  core: Core,
  { querySet, beginning, end }: TimestampWrites,
): Iterable<string | undefined> {
  yield useProblem(core, querySet);
  if (querySet.type !== "timestamp") {
    yield `${nameOf(querySet)} is of the type "${querySet.type}"; timestamps take "timestamp"`;
  }
  if (beginning === undefined && end === undefined) {
    yield "timestampWrites has neither beginningOfPassWriteIndex nor endOfPassWriteIndex";
  }
  if (beginning !== undefined && beginning === end) {
    yield `beginningOfPassWriteIndex and endOfPassWriteIndex are both ${end}`;
  }
  for (const index of [beginning ?? 0, end ?? 0]) {
    if (index >= querySet.count) {
      yield `there is no query ${index} in ${nameOf(querySet)} of ${querySet.count}`;
    }
  }
}
