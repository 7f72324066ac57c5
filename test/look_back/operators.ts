import type { AnyArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { matrix2x2 } from "../../src/monoids/index.ts";
import { untyped } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { anyItems, randomBits, randomItems } from "../support/random.ts";

const names = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** Eight maps x -> scale·x + shift modulo 2^32: 64 bytes, as many as an element may have. */
export const maps = struct({
  name: "Maps",
  fields: Object.fromEntries(
    names.flatMap((name) => [[`scale_${name}`, u32] as const, [`shift_${name}`, u32] as const]),
  ),
});

/** Applies the earlier maps, then the later ones. It does not commute. */
export const mapsInTurn = operator({
  name: "mapsInTurn",
  type: maps,
  identity: Object.fromEntries(
    names.flatMap((name) => [
      [`scale_${name}`, 1],
      [`shift_${name}`, 0],
    ]),
  ),
  combine: [
    "return Maps(",
    ...names.map(
      (name) =>
        `  later.scale_${name} * earlier.scale_${name}, later.scale_${name} * earlier.shift_${name} + later.shift_${name},`,
    ),
    ");",
  ].join("\n"),
  reference: (earlier, later) => {
    const of = (value: object, field: string): number => (value as Record<string, number>)[field] ?? 0;
    return Object.fromEntries(
      names.flatMap((name) => {
        const scale = of(later, `scale_${name}`);
        return [
          [`scale_${name}`, Math.imul(scale, of(earlier, `scale_${name}`)) >>> 0],
          [
            `shift_${name}`,
            (Math.imul(scale, of(earlier, `shift_${name}`)) + of(later, `shift_${name}`)) >>> 0,
          ],
        ];
      }),
    );
  },
});

export const matrix = matrix2x2(u32);

/** Maps of test/support/operators.ts with odd scales. */
export const affineItems = (length: number, name: string): Uint32Array =>
  (anyItems("u32", length, name) as Uint32Array).map((x) => x | 0x10000);

/** A case of maps, which are composed in order. */
export const ofAffine = {
  type: u32,
  op: untyped(affine),
  items: (_: ElementType, length: number, name: string): AnyArray => affineItems(length, name),
};

/**
 * Items that can be told from any prefix they went into, however long: with even scales and determinants,
 * products would soon vanish, and what comes from far away with them.
 */
export function lastingItems(type: ElementType, length: number, name: string): AnyArray {
  const next = randomBits(name);
  if (type.name === matrix.type.name) {
    const odd = (): number => (next() | 1) >>> 0;
    const even = (): number => (next() & ~1) >>> 0;
    return matrix.type.from(Array.from({ length }, () => ({ a: odd(), b: even(), c: next(), d: odd() })));
  }
  if (type.name === maps.name) {
    return maps.from(
      Array.from({ length }, () =>
        Object.fromEntries(
          names.flatMap((field) => [
            [`scale_${field}`, (next() | 1) >>> 0],
            [`shift_${field}`, next()],
          ]),
        ),
      ),
    );
  }
  return randomItems(type, length, name);
}
