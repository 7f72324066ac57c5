import { rangeFor } from "../machine/index.ts";
import type { Bound } from "./bind_group.ts";
import type { SimulatedBuffer } from "./buffer.ts";
import type { Compiled } from "./compute_pipeline.ts";
import type { Core } from "./core.ts";
import type { SimulatedQuerySet } from "./query_set.ts";

/** How many work-groups a dispatch has. */
export type Groups = readonly [number, number, number];

/** A range that a dispatch binds. */
export interface DispatchRange extends Bound {
  readonly group: number;
  readonly isWritten: boolean;
}

/** What a command buffer holds: all of it checked. */
export type Command =
  | {
      readonly kind: "copy";
      readonly source: SimulatedBuffer;
      readonly sourceOffset: number;
      readonly destination: SimulatedBuffer;
      readonly destinationOffset: number;
      readonly size: number;
    }
  | {
      readonly kind: "clear";
      readonly buffer: SimulatedBuffer;
      readonly offset: number;
      readonly size: number;
    }
  | {
      readonly kind: "resolve";
      readonly querySet: SimulatedQuerySet;
      readonly first: number;
      readonly count: number;
      readonly destination: SimulatedBuffer;
      readonly offset: number;
    }
  | { readonly kind: "timestamp"; readonly querySet: SimulatedQuerySet; readonly index: number }
  | {
      readonly kind: "dispatch";
      readonly compiled: Compiled;
      readonly ranges: readonly DispatchRange[];
      /** Or the place of the three numbers. */
      readonly groups: Groups | { readonly buffer: SimulatedBuffer; readonly offset: number };
    };

type Copy = Extract<Command, { kind: "copy" }>;
type Dispatch = Extract<Command, { kind: "dispatch" }>;

/** Does what a command says. */
export function execute(core: Core, command: Command): void {
  switch (command.kind) {
    case "copy": {
      const { source, sourceOffset, destination, destinationOffset, size } = command;
      writeBytes(
        destination,
        destinationOffset,
        source.memory.bytes.subarray(sourceOffset, sourceOffset + size),
      );
      copyMarks(command);
      return;
    }
    case "clear":
      command.buffer.memory.bytes.fill(0, command.offset, command.offset + command.size);
      command.buffer.memory.markWritten(command.offset, command.size);
      return;
    case "resolve": {
      const values = command.querySet.values.slice(command.first, command.first + command.count);
      writeBytes(command.destination, command.offset, new Uint8Array(values.buffer));
      return;
    }
    case "timestamp":
      command.querySet.values[command.index] = core.timestamp();
      return;
    case "dispatch":
      dispatch(core, command);
      return;
    default:
      command satisfies never;
  }
}

/** Writes bytes into a buffer. */
export function writeBytes({ memory }: SimulatedBuffer, offset: number, bytes: Uint8Array): void {
  memory.bytes.set(bytes, offset);
  memory.markWritten(offset, bytes.byteLength);
}

/** A copy of what nothing has written is still that. */
function copyMarks({ source, sourceOffset, destination, destinationOffset, size }: Copy): void {
  const marks = source.memory.written.subarray(sourceOffset / 4, (sourceOffset + size) / 4);
  destination.memory.written.set(marks, marks.length > 0 ? destinationOffset / 4 : 0);
}

function dispatch(core: Core, { compiled, ranges, groups: given }: Dispatch): void {
  const groups = "buffer" in given ? indirectGroups(given) : given;
  const most = core.limits.maxComputeWorkgroupsPerDimension;
  if (groups.some((count) => count === 0 || count > most)) {
    return;
  }
  const { program, file, entryPoint } = compiled;
  const { machine } = core;
  machine.context = { file, entryPoint: entryPoint.name, sites: program.sites };
  const bound = ranges.map(
    ({ group, entry, buffer, offset, size, isWritten }) =>
      [`${group},${entry.binding}`, rangeFor(machine, buffer.memory, [offset, size], isWritten)] as const,
  );
  program.run(machine, groups, new Map(bound));
}

function indirectGroups({ buffer, offset }: { buffer: SimulatedBuffer; offset: number }): Groups {
  const [x = 0, y = 0, z = 0] = buffer.memory.words.subarray(offset / 4, offset / 4 + 3);
  return [x >>> 0, y >>> 0, z >>> 0];
}
