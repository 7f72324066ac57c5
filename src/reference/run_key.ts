import { settable } from "../algebra/array_values.ts";
import type { AnyArray, ArrayOf, ValueIn } from "../algebra/arrays.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { describe, problemOf } from "../algebra/check_value.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import { requireRunKey } from "../plan/run_key.ts";
import type { Typed } from "./texts.ts";
import { resultsOver } from "./texts.ts";
import { kindOf } from "./twins.ts";

/** How the keys of runs are computed, on the CPU. */
export interface ReferenceRunKey<V> {
  /**
   * Gives the key of an element. The results of a function are rounded, or wrapped, to the nearest value of the key's type. Or WGSL over `x`,
   * as the call itself takes it.
   */
  readonly key?: ((value: V) => Value) | string;
  /** The type of the keys. The default is the type of the elements, or that of the part which a text names, such as `"x.cell"`. */
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
  /**
   * Gives the key of such an element. The results of a function are rounded, or wrapped, to the nearest value of the key's type. Or WGSL
   * over `x`, as the call itself takes it.
   */
  readonly key: ((value: ValueIn<Keys>) => NoInfer<K>) | string;
  /** The type of the keys. The default is the type of the elements, or that of the part which a text names, such as `"x.cell"`. */
  readonly keyType?: ElementType<Name, K>;
}

/** An array of computed keys. If their type is not named, it is not known here. */
export type ReferenceKeys<Name extends string, K extends Value> = string extends Name
  ? AnyArray
  : ArrayOf<Name, K>;

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
  const isText = typeof key === "string";
  if (!isText && keyType === undefined && given.type.kind === "struct") {
    wrong("keyType", "undefined", "the type that key gives");
  }
  const type = isText
    ? requireRunKey({ key, keyType }, given.type, caller, option).type
    : keyType === undefined
      ? (given.type.wide ?? given.type)
      : requireType(keyType, `${caller}: keyType`, option ?? "keyType");
  const keyed = { caller, option: option ?? "key", name: "key", to: type, hasIndex: false };
  const keyOf = resultsOver(key, given, keyed);
  const { array, set } = settable(arrayOver(type, bytesFor(given.array.length, type, caller)), type);
  for (let index = 0; index < given.array.length; index++) {
    const value = keyOf(index);
    if (typeof value !== kindOf(type)) {
      throw new ArgumentError(`${caller}: the key gave ${problemOf(type, value)}`, option ?? "key");
    }
    set(index, type.round(value as Value));
  }
  return { array, type };
}
