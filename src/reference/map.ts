import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, ArrayOf, NameOf, ValueIn } from "../algebra/arrays.ts";
import { namedType } from "../algebra/arrays.ts";
import { describe, problemOf } from "../algebra/check_value.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { emptyFor, typeOfArray } from "./items.ts";
import { kindOf } from "./twins.ts";

/** What {@link mapReference} takes. */
export interface MapReferenceOptions<
  A extends AnyArray,
  Name extends string = string,
  V extends Value = Value,
> {
  /** What an element becomes, by its value, its index, and the values of `with` and `neighbours` by their names. */
  readonly map: (value: ValueIn<A>, index: number, others: Readonly<Record<string, never>>) => V;
  /** The type of the results. The default is that of the data. */
  readonly type?: ElementType<Name, V>;
  /** The type of the elements. Needed only for f16 bits in a `Uint16Array`, if the results have another type. */
  readonly from?: ElementType<NameOf<A>>;
  /** Other arrays, as long as the data. */
  readonly with?: Readonly<Record<string, AnyArray>>;
  /** Elements at a distance. */
  readonly neighbours?: Readonly<Record<string, number>>;
  /** What stands for those past the ends. */
  readonly edge?: "nearest" | "wrap" | Value;
}

const names = {
  map: true,
  type: true,
  from: true,
  with: true,
  neighbours: true,
  edge: true,
} as const satisfies OptionTable<MapReferenceOptions<AnyArray>>;

/** What an option has by names. @throws {ArgumentError} for what is no object. */
function namedIn<T>(
  given: Readonly<Record<string, T>> | undefined,
  caller: string,
  option: string,
  takes: string,
): readonly (readonly [name: string, value: T])[] {
  if (given !== undefined && (typeof given !== "object" || given === null)) {
    refuse(caller, option, describe(given), takes);
  }
  return Object.entries(given ?? {});
}

/**
 * What `map` means: what each element becomes, by a function.
 *
 * @throws {ArgumentError} for what is no array of an element type, for arrays of another length, and for results of another type.
 *
 * @example
 * ```ts
 * mapReference(Float32Array.of(1, 3, 2), { map: (x) => x * x }); // 1 9 4
 * const before = { neighbours: { before: -1 }, edge: "nearest" } as const;
 * mapReference(Float32Array.of(1, 3, 2), { map: (x, _, { before }) => x - before, ...before }); // 0 2 -1
 * ```
 */
export function mapReference<
  A extends AnyArray,
  Name extends string = NameOf<A>,
  V extends Value = ValueIn<A>,
>(data: A, options: MapReferenceOptions<A, Name, V>): ArrayOf<Name, V> {
  const caller = "mapReference";
  requireOptions(caller, options, names);
  const { map, edge } = options;
  if (typeof map !== "function") {
    refuse(caller, "map", describe(map), "a function of an element, its index and others");
  }
  const from = typeOfArray(data, namedType(data, { ...options, map } as never), caller);
  const type = options.type === undefined ? from : requireType(options.type, caller);
  const { length } = data;
  const own = valuesOf(data, from);
  const arrays = namedIn(options.with, caller, "with", "an object of arrays, such as { y: array }");
  const others = arrays.map(([name, array]) => {
    const read = valuesOf(array, typeOfArray(array, undefined, caller, "with", "with"));
    if (array.length !== length) {
      refuse(caller, "with", `${array.length} elements of ${name} for ${length}`, "one for each");
    }
    return [name, read] as const;
  });
  const takes = "an object of distances, such as { before: -1 }";
  const neighbours = namedIn(options.neighbours, caller, "neighbours", takes);
  if (neighbours.some(([, distance]) => !Number.isInteger(distance))) {
    refuse(caller, "neighbours", "an object of other values", takes);
  }
  if (neighbours.length > 0 && edge === undefined) {
    refuse(caller, "edge", "undefined", '"nearest", "wrap", or a value');
  }
  const at = (place: number): Value => {
    if (place >= 0 && place < length) {
      return own(place);
    }
    switch (edge) {
      case "nearest":
        return own(place < 0 ? 0 : length - 1);
      case "wrap":
        return own(((place % length) + length) % length);
      default:
        return from.kind === "float" ? from.round(edge as never) : (edge as Value);
    }
  };
  const { array, set } = emptyFor(data, { from, type }, length, caller);
  for (let index = 0; index < length; index++) {
    const seen = Object.fromEntries([
      ...others.map(([name, read]) => [name, read(index)]),
      ...neighbours.map(([name, distance]) => [name, at(index + distance)]),
    ]);
    const value: unknown = map(own(index) as ValueIn<A>, index, seen);
    if (typeof value !== kindOf(type as never)) {
      throw new ArgumentError(`${caller}: the map gave ${problemOf(type, value)}`, "map");
    }
    set(index, type.round(value as never));
  }
  return array as never;
}
