import { GPUBufferUsage, MAP_READ, MAP_WRITE } from "../src/gpu/device/usage_flags.ts";
import type { Source } from "./buffers.ts";
import { createBuffer, readerOf } from "./buffers.ts";

// Bytes to the GPU and back, by plain WebGPU: what any call from array to array must do at least.

/** Bytes that are copied at once, and how many such pieces are under way. */
const PIECE_BYTES = 2 ** 24;
const PIECES = 4;

/** Something that is timed by the host's clock, from the beginning of `run` to its end. */
export interface HostWork {
  /** Runs before each time, and is not timed. */
  prepare?(): Promise<void>;
  run(): unknown;
}

/** The steps of a copy there and back, in order. */
export const partNames = ["memcpyIn", "copyIn", "copyOut", "memcpyOut"] as const;
export type PartName = (typeof partNames)[number];

export interface Bus {
  /** All steps, those of one piece beside those of others. */
  readonly copy: HostWork;
  /** Each step alone, for all pieces. To time them, run them in turn: a step that runs again and again finds its memory in the CPU's cache. */
  readonly parts: Readonly<Record<PartName, HostWork>>;
  /** What lies on the GPU. */
  readonly written: Source;
  /** Overwrites what lies on the GPU. */
  clear(): void;
  destroy(): void;
}

interface Piece {
  readonly stage: GPUBuffer;
  readonly at: number;
  readonly bytes: number;
}

/**
 * Writes `data` to a buffer, and reads the first bytes of it into `into`. Both are whole words, and not empty. Besides the
 * two, it holds a buffer as long as `data`, and for each way staging buffers of four pieces of 16 MiB at most.
 *
 * @throws {NoRoomError} when the adapter has no room for them.
 */
export async function openBus(
  device: GPUDevice,
  data: Uint8Array,
  into: Uint8Array,
  pieceBytes = PIECE_BYTES,
): Promise<Bus> {
  const owned: GPUBuffer[] = [];
  const destroy = (): void => {
    for (const one of owned) {
      one.destroy();
    }
  };
  const make = async (name: string, bytes: number, usage?: number): Promise<GPUBuffer> => {
    const buffer = await createBuffer(device, name, bytes, usage);
    owned.push(buffer);
    return buffer;
  };
  const piecesOf = async (name: string, bytes: number, usage: number): Promise<Piece[]> => {
    const pieces: Piece[] = [];
    for (let at = 0; at < bytes; at += pieceBytes) {
      const stage =
        pieces[pieces.length - PIECES]?.stage ?? (await make(name, Math.min(pieceBytes, bytes), usage));
      pieces.push({ stage, at, bytes: Math.min(pieceBytes, bytes - at) });
    }
    return pieces;
  };
  try {
    const buffer = await make("copy", data.byteLength);
    const { MAP_READ: READ, MAP_WRITE: WRITE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const inward = await piecesOf("staging", data.byteLength, WRITE | COPY_SRC);
    const outward = await piecesOf("read-back", into.byteLength, READ | COPY_DST);

    const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
      const encoder = device.createCommandEncoder({ label: "bench copy there and back" });
      record(encoder);
      device.queue.submit([encoder.finish()]);
    };
    type RecordCopy = (encoder: GPUCommandEncoder, piece: Piece) => void;
    const submitAll = (pieces: readonly Piece[], record: RecordCopy): void =>
      submit((encoder) => {
        for (const piece of pieces) {
          record(encoder, piece);
        }
      });
    const copyIn: RecordCopy = (encoder: GPUCommandEncoder, { stage, at, bytes }) =>
      encoder.copyBufferToBuffer(stage, 0, buffer, at, bytes);
    const copyOut: RecordCopy = (encoder: GPUCommandEncoder, { stage, at, bytes }) =>
      encoder.copyBufferToBuffer(buffer, at, stage, 0, bytes);
    // A view of what is mapped is made once: WebGPU gives no range twice.
    const views = new Map<GPUBuffer, Uint8Array>();
    const viewOf = (stage: GPUBuffer): Uint8Array => {
      const view = views.get(stage) ?? new Uint8Array(stage.getMappedRange());
      views.set(stage, view);
      return view;
    };
    const unmap = (stage: GPUBuffer): void => {
      views.delete(stage);
      stage.unmap();
    };
    const stagesOf = (pieces: readonly Piece[], state: GPUBufferMapState): GPUBuffer[] =>
      [...new Set(pieces.map(({ stage }) => stage))].filter(({ mapState }) => mapState === state);
    const mapAll = async (pieces: readonly Piece[], mode: number): Promise<void> => {
      await Promise.all(stagesOf(pieces, "unmapped").map((stage) => stage.mapAsync(mode)));
    };
    const unmapAll = (pieces: readonly Piece[]): void => stagesOf(pieces, "mapped").forEach(unmap);
    const write = ({ stage, at, bytes }: Piece): void => viewOf(stage).set(data.subarray(at, at + bytes));
    const read = ({ stage, at, bytes }: Piece): void => into.set(viewOf(stage).subarray(0, bytes), at);

    const copyAll = async (): Promise<void> => {
      const mapped = new Map<GPUBuffer, Promise<unknown>>();
      for (const piece of inward) {
        const { stage } = piece;
        await mapped.get(stage);
        write(piece);
        unmap(stage);
        submit((encoder) => copyIn(encoder, piece));
        mapped.set(stage, stage.mapAsync(MAP_WRITE));
      }
      const start = (piece: Piece): Promise<unknown> => {
        submit((encoder) => copyOut(encoder, piece));
        return piece.stage.mapAsync(MAP_READ);
      };
      const started = outward.slice(0, PIECES).map(start);
      for (const [number, piece] of outward.entries()) {
        await started[number];
        read(piece);
        unmap(piece.stage);
        const next = outward[number + PIECES];
        if (next !== undefined) {
          started.push(start(next));
        }
      }
      // The staging is ready for the next time.
      await Promise.all(mapped.values());
    };

    return {
      copy: {
        async prepare() {
          unmapAll(outward);
          await mapAll(inward, MAP_WRITE);
        },
        run: copyAll,
      },
      parts: {
        memcpyIn: {
          prepare: () => mapAll(inward, MAP_WRITE),
          run: () => inward.forEach(write),
        },
        copyIn: {
          prepare: async () => unmapAll(inward),
          run() {
            submitAll(inward, copyIn);
            return device.queue.onSubmittedWorkDone();
          },
        },
        copyOut: {
          prepare: async () => unmapAll(outward),
          run() {
            submitAll(outward, copyOut);
            return mapAll(outward, MAP_READ);
          },
        },
        memcpyOut: {
          prepare: () => mapAll(outward, MAP_READ),
          run: () => outward.forEach(read),
        },
      },
      written: () => readerOf(device, buffer),
      clear: () => submit((encoder) => encoder.clearBuffer(buffer)),
      destroy,
    };
  } catch (cause) {
    destroy();
    throw cause;
  }
}
