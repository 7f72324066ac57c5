import type { PassParams, Plan, RangeName } from "./plan.ts";

// The ranges of recordings: their names, such as `reordered[1]` and `with.y` of those in lists and in objects, and how many items they hold.

/** What the caller gives a range as: its name, or that of the list or the object that it is in. */
export function givenAs(range: string): string {
  const end = range.search(/[[.]/);
  return end < 0 ? range : range.slice(0, end);
}

/** The name that a range has in an object, as `y` in `with.y`; undefined for one that is in none. */
export const keyInObject = (range: string): string | undefined => range.split(".", 2)[1];

/** Values by the names of ranges, as they are given: those of a list in a list, and those of an object in an object. */
export function inLists<T>(
  named: readonly (readonly [name: string, value: T])[],
): Record<string, T | T[] | Record<string, T>> {
  const given: Record<string, T | T[] | Record<string, T>> = {};
  for (const [name, value] of named) {
    const list = givenAs(name);
    const key = keyInObject(name);
    given[list] =
      list === name
        ? value
        : key === undefined
          ? [...((given[list] as T[] | undefined) ?? []), value]
          : { ...(given[list] as Record<string, T> | undefined), [key]: value };
  }
  return given;
}

/** How many items a range of a recording holds, for a length and the parameters of the recording. */
export function itemsOfRange(plan: Plan, name: RangeName, length: number, params: PassParams = {}): number {
  const { segment_count: count = 0, sorted_length: lookedUp = 0 } = params;
  switch (name) {
    case "output":
      return plan.segments?.reduces ? count : plan.outputLength(length, params);
    case "indices":
    case "reordered":
      return plan.outputLength(length, params);
    case "otherValues":
      return lookedUp;
    case "count":
      return plan.countWords ?? 1;
    case "indirect":
      return plan.indirectWords ?? 0;
    case "length":
    case "initial":
    case "total":
      return 1;
    case "heads":
      return plan.segments?.headsOf(length) ?? length;
    case "offsets":
    case "outputOffsets":
      return count + 1;
    case "k":
    case "begins":
    case "ends":
    case "unique":
    case "ranks":
      return count;
    case plan.lookedUp?.range:
      return lookedUp;
    default:
      return name.endsWith("Count") ? 1 : length;
  }
}
