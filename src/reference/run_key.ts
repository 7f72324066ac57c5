import { settable, valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, ArrayOf, ValueIn } from "../algebra/arrays.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { describe, problemOf } from "../algebra/check_value.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import { kindOf } from "./twins.ts";

/** How the keys of runs are computed, on the CPU. */
export interface ReferenceRunKey<V> {
  /** Gives the key of an element. Its results are rounded, or wrapped, to the nearest value of the key's type. */
  readonly key?: (value: V) => Value;
  /** The type of the keys. The default is the type of the elements. */
  readonly keyType?: ElementType;
}

/** Segments whose keys are computed, on the CPU. */
export interface ReferenceByKey<
  Keys extends AnyArray,
  Name extends string = string,
  K extends Value = Value,
> {
  /** An element for each item, from which its key is computed. The default is the data. */
  readonly keys?: Keys;
  /** The type of these elements. Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType;
  /** Gives the key of such an element. Its results are rounded, or wrapped, to the nearest value of the key's type. */
  readonly key: (value: ValueIn<Keys>) => NoInfer<K>;
  /** The type of the keys. The default is the type of the elements. */
  readonly keyType?: ElementType<Name, K>;
}

/** An array of computed keys. If their type is not named, it is not known here. */
export type ReferenceKeys<Name extends string, K extends Value> = string extends Name
  ? AnyArray
  : ArrayOf<Name, K>;

/** An array, and the type of its elements. */
export interface Typed {
  readonly array: AnyArray;
  readonly type: ElementType;
}

/**
 * The keys of elements: computed, or the elements themselves. `option` is the one that has `key` and `keyType` in it, if they are no
 * options themselves.
 *
 * @throws {ArgumentError}
 */
export function keysOfRuns(
  given: Typed,
  { key, keyType }: { readonly key?: unknown; readonly keyType?: unknown },
  caller: string,
  option?: "segments",
): Typed {
  const wrong = (name: "key" | "keyType", shown: string, takes: string): never =>
    refuse(caller, option ?? name, option === undefined ? shown : `${name}: ${shown}`, takes);
  if (key === undefined) {
    if (keyType !== undefined) {
      wrong(
        "keyType",
        (keyType as Partial<ElementType> | null)?.name ?? describe(keyType),
        "a type only beside key",
      );
    }
    return given;
  }
  if (typeof key !== "function") {
    wrong("key", describe(key), "a function of an element");
  }
  if (keyType === undefined && given.type.kind === "struct") {
    wrong("keyType", "undefined", "the type that key gives");
  }
  const type =
    keyType === undefined ? given.type : requireType(keyType, `${caller}: keyType`, option ?? "keyType");
  const { array, set } = settable(arrayOver(type, bytesFor(given.array.length, type, caller)), type);
  const read = valuesOf(given.array, given.type);
  for (let index = 0; index < given.array.length; index++) {
    const value = (key as (value: Value) => unknown)(read(index));
    if (typeof value !== kindOf(type)) {
      throw new ArgumentError(`${caller}: the key gave ${problemOf(type, value)}`, option ?? "key");
    }
    set(index, type.round(value as Value));
  }
  return { array, type };
}
