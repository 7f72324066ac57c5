import { elementTypes } from "../../src/algebra/element_types.ts";
import { decodeFloat16 } from "../../src/algebra/float16.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { randomBits } from "./random.ts";

/** How a tile is sorted. */
export interface Sorting {
  readonly type: TypeName;
  readonly descending: boolean;
  readonly bits?: readonly [from: number, to: number] | undefined;
}

const widthOf = (type: TypeName): number => 8 * elementTypes[type].bytes;

/** The number that bits are, of a float type. */
export function numberOf(type: TypeName, bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return type === "f16"
    ? decodeFloat16(Number(bits))
    : type === "f32"
      ? view.getFloat32(4)
      : view.getFloat64(0);
}

const isFloat = (type: TypeName): boolean => elementTypes[type].kind === "float";
const isNaNBits = (type: TypeName, bits: bigint): boolean =>
  isFloat(type) && Number.isNaN(numberOf(type, bits));

/** Less than 0 if the key of the first bits comes before that of the second ones, in ascending order. */
function compare(type: TypeName, a: bigint, b: bigint): number {
  if (!isFloat(type)) {
    const [x, y] = [a, b].map((bits) =>
      elementTypes[type].kind === "signed" ? BigInt.asIntN(widthOf(type), bits) : bits,
    ) as [bigint, bigint];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const [x, y] = [numberOf(type, a), numberOf(type, b)];
  if (Number.isNaN(x) || Number.isNaN(y)) {
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  }
  return x - y || Number(Object.is(y, -0)) - Number(Object.is(x, -0)) || (x < y ? -1 : x > y ? 1 : 0);
}

/** Some bits of a key as the guide says them: of an unsigned integer in the order of keys. */
function someBits(type: TypeName, key: bigint, [from, to]: readonly [number, number]): bigint {
  const width = BigInt(widthOf(type));
  const sign = 1n << (width - 1n);
  const all = (1n << width) - 1n;
  const order = isNaNBits(type, key)
    ? all
    : elementTypes[type].kind === "unsigned"
      ? key
      : isFloat(type) && key >= sign
        ? key ^ all
        : key ^ sign;
  return (order >> BigInt(from)) & ((1n << BigInt(to - from)) - 1n);
}

/** Where the items of a sorted tile come from: a stable sort of the first `count` keys, and the others as they are. */
export function sortedPlaces(
  keys: readonly bigint[],
  count: number,
  { type, descending, bits }: Sorting,
): number[] {
  const sign = descending ? -1 : 1;
  const all = keys.map((_, place) => place);
  const key = (place: number): bigint => keys[place] as bigint;
  const order = (a: number, b: number): number => {
    if (bits === undefined) {
      return sign * compare(type, key(a), key(b));
    }
    const [x, y] = [someBits(type, key(a), bits), someBits(type, key(b), bits)];
    return sign * (x < y ? -1 : x > y ? 1 : 0);
  };
  return [...all.slice(0, count).sort(order), ...all.slice(count)];
}

/** Bits of keys that sorts go wrong on: the ends of ranges, both zeros, subnormals, infinities, and NaNs of both signs. */
export function specialKeys(type: TypeName): bigint[] {
  const width = BigInt(widthOf(type));
  const sign = 1n << (width - 1n);
  const all = (1n << width) - 1n;
  const integers = [0n, 1n, sign - 1n, sign, sign + 1n, all - 1n, all, 0x55n, all ^ 0xffn];
  if (!isFloat(type)) {
    return integers;
  }
  const mantissa = { f16: 10n, f32: 23n, f64: 52n }[type as "f32"];
  const infinity = sign - (1n << mantissa);
  const one = infinity >> 1n;
  const positive = [0n, 1n, (1n << mantissa) - 1n, 1n << mantissa, one, infinity - 1n, infinity];
  const nans = [infinity + 1n, infinity + (1n << (mantissa - 1n)), sign - 1n, infinity + 0x55n];
  return [...positive, ...nans].flatMap((bits) => [bits, bits | sign]);
}

/** How the keys of a tile are chosen. */
export const keyKinds = ["any", "few", "special", "equal", "sorted", "reversed"] as const;
export type KeyKind = (typeof keyKinds)[number];

/** The keys of a tile, as bits. */
export function keysOf(kind: KeyKind, length: number, sorting: Sorting, name: string): bigint[] {
  const { type } = sorting;
  const next = randomBits(name);
  const width = widthOf(type);
  const specials = specialKeys(type);
  const any = (): bigint => BigInt.asUintN(width, (BigInt(next()) << 32n) | BigInt(next()));
  const few = [any(), any(), specials[next() % specials.length] as bigint];
  const one = any();
  const choose = {
    any: () => (next() % 8 === 0 ? (specials[next() % specials.length] as bigint) : any()),
    few: () => few[next() % few.length] as bigint,
    special: () => specials[next() % specials.length] as bigint,
    equal: () => one,
    sorted: any,
    reversed: any,
  };
  const keys = Array.from({ length }, choose[kind]);
  if (kind !== "sorted" && kind !== "reversed") {
    return keys;
  }
  const inOrder = sortedPlaces(keys, length, sorting).map((place) => keys[place] as bigint);
  return kind === "sorted" ? inOrder : inOrder.reverse();
}
