import type { AnyArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { matrix2x2 } from "../../src/monoids/index.ts";
import { untyped } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { anyItems, randomBits, randomItems } from "../support/random.ts";

const letters = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** Some maps x -> scale·x + shift modulo 2^32, of 8 bytes each, and the operator that applies the earlier maps, then the later ones. It does not commute. */
function mapsOf(name: string, count: number) {
  const names = letters.slice(0, count);
  const type = struct({
    name,
    fields: Object.fromEntries(
      names.flatMap((one) => [[`scale_${one}`, u32] as const, [`shift_${one}`, u32] as const]),
    ),
  });
  const inTurn = operator({
    name: "mapsInTurn",
    type,
    identity: Object.fromEntries(
      names.flatMap((one) => [
        [`scale_${one}`, 1],
        [`shift_${one}`, 0],
      ]),
    ),
    combine: [
      `return ${name}(`,
      ...names.map(
        (one) =>
          `  later.scale_${one} * earlier.scale_${one}, later.scale_${one} * earlier.shift_${one} + later.shift_${one},`,
      ),
      ");",
    ].join("\n"),
    reference: (earlier, later) => {
      const of = (value: object, field: string): number => (value as Record<string, number>)[field] ?? 0;
      return Object.fromEntries(
        names.flatMap((one) => {
          const scale = of(later, `scale_${one}`);
          return [
            [`scale_${one}`, Math.imul(scale, of(earlier, `scale_${one}`)) >>> 0],
            [
              `shift_${one}`,
              (Math.imul(scale, of(earlier, `shift_${one}`)) + of(later, `shift_${one}`)) >>> 0,
            ],
          ];
        }),
      );
    },
  });
  return { type, inTurn };
}

/** 64 bytes, as many as an element may have. */
export const { type: maps, inTurn: mapsInTurn } = mapsOf("Maps", 8);
/** 32 bytes. */
export const { type: fourMaps, inTurn: fourMapsInTurn } = mapsOf("FourMaps", 4);

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
  for (const of of [maps, fourMaps]) {
    if (type.name === of.name) {
      const fields = Object.keys(of.array(1).get(0));
      return of.from(
        Array.from({ length }, () =>
          Object.fromEntries(
            fields.map((field) => [field, (next() | (field.startsWith("scale") ? 1 : 0)) >>> 0]),
          ),
        ),
      );
    }
  }
  return randomItems(type, length, name);
}
