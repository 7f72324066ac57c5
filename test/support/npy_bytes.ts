import { Buffer } from "node:buffer";
import type { Input } from "../../src/cli/files.ts";

/** A `.npy` file of version 1.0, whose header is a text that is padded as NumPy pads it. Nothing is checked. */
export function npyBytes(header: string, data: Uint8Array): Uint8Array {
  const text = `${header.padEnd(Math.ceil((10 + header.length + 1) / 64) * 64 - 11)}\n`;
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0, 0]);
  start.writeUInt16LE(text.length, 8);
  return Uint8Array.from(Buffer.concat([start, Buffer.from(text, "latin1"), data]));
}

/** The header that NumPy writes. */
export const npyHeaderText = (descr: string, shape: readonly number[], isFortran = false): string =>
  `{'descr': '${descr}', 'fortran_order': ${isFortran ? "True" : "False"}, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;

/** Bytes as an input, which counts those that were read. A pipe does not tell its size. */
export function inputOf(bytes: Uint8Array, isPipe = false): Input & { readonly read: number } {
  const input = {
    path: "in.npy",
    size: isPipe ? undefined : bytes.length,
    read: 0,
    async fill(room: Uint8Array): Promise<number> {
      const piece = bytes.subarray(input.read, input.read + room.length);
      room.set(piece);
      input.read += piece.length;
      return piece.length;
    },
    abandon() {},
  };
  return input;
}
