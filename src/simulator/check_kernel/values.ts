import { Random } from "../machine/random.ts";
import { f16Word, f32Word } from "../numbers/words.ts";
import type { BufferScalar, BufferShape } from "./scalars.ts";

// What buffers hold where nobody says it. Integers in arrays may be indices, and those outside of arrays sizes: with random words, most
// kernels would read past the end, or go on for hours.

/** How integers in arrays are chosen: below the number of items, or any words. */
export type Fill = "indices" | "words";

export interface Filling {
  /** The elements of an array without a length. */
  readonly items: number;
  readonly fill: Fill;
  /** Numbers by the paths of what holds them. */
  readonly values: Readonly<Record<string, number>>;
  /** Numbers that depend on the run: their values in this one, by the paths of what holds them. */
  readonly settings: ReadonlyMap<string, number>;
}

/** Words of names of numbers that say how many there are. */
const COUNTS = /^(?:n|.*counts?|num.*|len|length|total|sizes?)$/;
/** Words of names of numbers that say where something starts, or which one it is. */
const STARTS =
  /^(?:.*offset|origin|start|first|base|begin|min|seed|frame|time|pass|shift|bits?|digit|axis|index|idx|id|iter|iteration|phase|round|layer)$/;
/** Words of names of what numbers in arrays are compared with, or indices: it may be any of them. */
const BOUNDS = /^(?:limit|max|end)$/;
/** Words of names of numbers of which each means another thing. */
const CHOICES = /^(?:flags?|mode|kind|enabled?|use|is|has)$/;
/** Words of names of the sides of something that has two or three. */
const SIDES =
  /^(?:width|height|depth|rows?|cols?|columns?|dims?|dim[xyz]|dimensions?|resolution|extents?|shape|grids?|[nd][xyz])$/;
/** Names of sides if there are several of them: the `n` of a matrix beside `m`, and that of an array alone. */
const LETTERS = /^[mnkwhd]$/i;
/** Words of names of the distance from one to the next. */
const STEPS = /^(?:step|stride|level|stage|scale)$/;

/** Whether a word of a name, such as `row` of `rowCount` and `row_count`, is one of a list. */
const hasWord = (name: string, words: RegExp): boolean =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_")
    .some((word) => words.test(word));

const isInteger = ({ scalar }: BufferScalar): boolean => scalar === "u32" || scalar === "i32";

/** Whether a number stands by itself, so that it may be a size or a setting. */
const isSetting = ({ isInArray, isAtomic }: BufferScalar): boolean => !isInArray && !isAtomic;

/** The name of the member, or of the variable, that has a scalar. */
function nameOf({ path, components }: BufferScalar): string {
  const names = path.split(".");
  return names.at(components > 1 ? -2 : -1) ?? "";
}

/** The numbers among settings that are sides of something. */
function sidesAmong(settings: readonly BufferScalar[]): ReadonlySet<BufferScalar> {
  const letters = settings.filter((one) => LETTERS.test(nameOf(one)));
  const sides = settings.filter(
    (one) =>
      hasWord(nameOf(one), SIDES) ||
      /size_?[xyz]$/i.test(nameOf(one)) ||
      (isInteger(one) && one.components > 1),
  );
  return new Set(letters.length > 1 ? [...sides, ...letters] : sides);
}

/** The side of what has so many items at most, and so many sides. */
function sideOf(one: BufferScalar, sides: ReadonlySet<BufferScalar>, items: number): number {
  const isSolid = [...sides].some((side) => /depth|z$/i.test(nameOf(side)));
  const count = one.components > 1 ? one.components : isSolid ? 3 : 2;
  return Math.max(1, Math.floor(items ** (1 / count) + 1e-9));
}

/** The number that a setting has by its name, in all runs; undefined if that says nothing. */
function settingOf(one: BufferScalar, sides: ReadonlySet<BufferScalar>, items: number): number | undefined {
  const name = nameOf(one);
  const isCount = hasWord(name, COUNTS);
  if (isInteger(one) && hasWord(name, BOUNDS) && !isCount) {
    return undefined;
  }
  if (isInteger(one) && hasWord(name, STARTS) && !isCount) {
    return 0;
  }
  if (sides.has(one)) {
    return sideOf(one, sides, items);
  }
  if (!isInteger(one)) {
    return undefined;
  }
  return isCount ? items : hasWord(name, STEPS) ? 1 : undefined;
}

/** How many values a setting takes by turns whose name says nothing: one in the middle of what data holds, one of the greatest, a low one, any. */
export const VALUE_COUNT = 4;
/** Floats of settings have so many parts of 1, so that they are short. */
const PARTS = 64;

/** What a setting takes whose name says nothing: whole numbers of so many parts of 1, from `least` to `most`. */
function rangeOf(
  one: BufferScalar,
  items: number,
): { readonly least: number; readonly most: number; readonly parts: number } {
  if (!isInteger(one)) {
    return { least: 0, most: PARTS, parts: PARTS };
  }
  return hasWord(nameOf(one), CHOICES)
    ? { least: 0, most: 2, parts: 1 }
    : { least: 1, most: items, parts: 1 };
}

/** The value of this number in the order of {@link VALUE_COUNT}. Behind those, there are more of any. */
function valueWith(one: BufferScalar, items: number, number: number, random: Random): number {
  const { least, most, parts } = rangeOf(one, items);
  const count = most - least + 1;
  const isChoice = parts === 1 && least === 0;
  const eighth = Math.max(1, count >> 3);
  const values = isChoice
    ? [0, 1, 2]
    : [least + ((count - 1) >> 1), most, least + (parts > 1 ? 1 : 0) + random.below(eighth)];
  return (values[number] ?? least + random.below(count)) / parts;
}

/** The settings of a shape whose names say nothing, and that are not given: they take other values in other runs. */
function freeSettings(
  { fixed }: BufferShape,
  { items, values }: Pick<Filling, "items" | "values">,
): readonly BufferScalar[] {
  const settings = fixed.filter(isSetting);
  const sides = sidesAmong(settings);
  return settings.filter(
    (one) =>
      one.components === 1 &&
      settingOf(one, sides, items) === undefined &&
      givenFor(one.path, values) === undefined,
  );
}

/** The values with this number of the settings that take several, by their paths. */
export function settingsOf(
  shape: BufferShape,
  filling: Pick<Filling, "items" | "values">,
  number: number,
  seed: number,
): readonly (readonly [path: string, value: number])[] {
  return freeSettings(shape, filling).map((one, at) => {
    const random = new Random((seed + 7919 * number + 104_729 * at) >>> 0);
    return [one.path, valueWith(one, filling.items, number, random)];
  });
}

/** A float from 0 up to below 1. */
const fraction = (random: Random): number => (random.next() >>> 8) / 2 ** 24;

const wordOf = ({ scalar }: BufferScalar, value: number): number =>
  scalar === "f32" ? f32Word(value) : scalar === "f16" ? f16Word(value) : value | 0;

function randomWord(one: BufferScalar, { items, fill }: Filling, random: Random): number {
  if (one.isAtomic) {
    return 0;
  }
  if (!isInteger(one)) {
    return wordOf(one, fraction(random));
  }
  return fill === "words" ? random.next() : random.below(items);
}

/** The number that is given for a scalar, by its path or by that of what it is in. */
function givenFor(path: string, values: Filling["values"]): number | undefined {
  const key = Object.keys(values).find((name) => path === name || path.startsWith(`${name}.`));
  return key === undefined ? undefined : values[key];
}

/** Fills a buffer, whose bytes are zeros. Returns what it holds, in words. */
export function fillBuffer(
  bytes: Uint8Array,
  { fixed, fixedBytes, element, stride }: BufferShape,
  filling: Filling,
  random: Random,
): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sides = sidesAmong(fixed.filter(isSetting));
  const told = new Set<string>();
  const put = (one: BufferScalar, at: number, value: number | undefined): void => {
    const word = value === undefined ? randomWord(one, filling, random) : wordOf(one, value);
    if (one.scalar === "f16") {
      view.setUint16(at, word, true);
    } else {
      view.setInt32(at, word, true);
    }
    told.add(value === undefined ? randomText(one, filling) : `${one.path} = ${value}${inOtherRuns(one)}`);
  };
  const inOtherRuns = (one: BufferScalar): string => {
    const { least, most, parts } = rangeOf(one, filling.items);
    return filling.settings.has(one.path) ? ` (${least / parts} to ${most / parts} in other runs)` : "";
  };
  for (const one of fixed) {
    const own = isSetting(one) ? settingOf(one, sides, filling.items) : undefined;
    put(one, one.offset, givenFor(one.path, filling.values) ?? filling.settings.get(one.path) ?? own);
  }
  const given = element.map(({ path }) => givenFor(path, filling.values));
  for (let start = fixedBytes; stride > 0 && start + stride <= bytes.length; start += stride) {
    element.forEach((one, at) => {
      put(one, start + one.offset, given[at]);
    });
  }
  return [...told].join(", ");
}

/** What {@link randomWord} gives, in words. */
function randomText(one: BufferScalar, { items, fill }: Filling): string {
  return one.isAtomic
    ? "atomics 0"
    : isInteger(one)
      ? `integers ${fill === "words" ? "at random" : `random below ${items}`}`
      : "floats random from 0 to 1";
}
