import { i32, u32 } from "./integers.ts";
import type { ElementType, NarrowArrays, NarrowName, ScalarType } from "./types.ts";

// Integers of 8 and 16 bits. WGSL has no such types: in buffers, several items share a word, and each has a value of 32 bits in WGSL.

/** A type whose items are narrower than a word. */
export interface NarrowType<Name extends NarrowName = NarrowName> extends ElementType<Name, number> {
  /** The type of 32 bits that its values have in WGSL, and in sums: u32 for u8 and u16, i32 for i8 and i16. */
  readonly wide: ElementType<"u32" | "i32", number>;
  /** The least value. */
  readonly lowest: number;
  /** The greatest value. */
  readonly greatest: number;
}

function narrow<Name extends NarrowName>(
  wide: ScalarType<"u32" | "i32", number>,
  name: Name,
  bytes: 1 | 2,
): NarrowType<Name> {
  const shift = 8 * (4 - bytes);
  const isSigned = wide === i32;
  const lowest = isSigned ? -(2 ** (8 * bytes - 1)) : 0;
  return {
    ...wide,
    name,
    bytes,
    wide,
    lowest,
    greatest: lowest + 2 ** (8 * bytes) - 1,
    round: (value) => (isSigned ? (value << shift) >> shift : (value << shift) >>> shift),
  };
}

/** 8-bit unsigned integers, as the data of calls and recordings. In WGSL they are u32. */
export const u8: NarrowType<"u8"> = /* @__PURE__ */ narrow(u32, "u8", 1);
/** 8-bit signed integers, as the data of calls and recordings. In WGSL they are i32. */
export const i8: NarrowType<"i8"> = /* @__PURE__ */ narrow(i32, "i8", 1);
/** 16-bit unsigned integers, as the data of calls and recordings. In WGSL they are u32. */
export const u16: NarrowType<"u16"> = /* @__PURE__ */ narrow(u32, "u16", 2);
/** 16-bit signed integers, as the data of calls and recordings. In WGSL they are i32. */
export const i16: NarrowType<"i16"> = /* @__PURE__ */ narrow(i32, "i16", 2);

/** Every narrow type, by name. */
export const narrowTypes = { u8, i8, u16, i16 } as const satisfies {
  readonly [Name in keyof NarrowArrays]: NarrowType<Name>;
};
