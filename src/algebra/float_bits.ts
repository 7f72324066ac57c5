import { encodeFloat16 } from "./float16.ts";
import type { ScalarType } from "./types.ts";

/** The bits of a number of a float type, as an unsigned integer. */
export function bitsOfFloat({ bytes }: ScalarType, number: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (bytes === 2) {
    view.setUint16(6, encodeFloat16(number));
  } else if (bytes === 4) {
    view.setFloat32(4, number);
  } else {
    view.setFloat64(0, number);
  }
  return view.getBigUint64(0);
}
