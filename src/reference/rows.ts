import { describe } from "../algebra/check_value.ts";
import type { Value } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Grouping } from "../plan/grouping.ts";
import type { ColumnOptions } from "./columns.ts";
import type { ReferenceMonoid } from "./twins.ts";

type Combine = Pick<ReferenceMonoid, "identity" | "reference">;

/** The numbers of a grouping of rows. @throws {ArgumentError} for what no plan of rows has. */
function numbersOf(
  grouping: Grouping | undefined,
  caller: string,
): Record<"fan" | "most" | "vector", number> {
  const numbers = {
    fanIn: grouping?.fanIn,
    itemsPerRow: grouping?.itemsPerRow,
    itemsPerVector: grouping?.itemsPerVector ?? 1,
  };
  for (const [name, value] of Object.entries(numbers)) {
    if (!(Number.isInteger(value) && (value as number) >= (name === "fanIn" ? 2 : 1))) {
      throw new ArgumentError(
        `${caller}: grouping: ${name} is ${describe(value)}; for rows it takes what groupingOf of a plan of rows returns`,
        "grouping",
      );
    }
  }
  return {
    fan: numbers.fanIn as number,
    most: numbers.itemsPerRow as number,
    vector: numbers.itemsPerVector,
  };
}

const partsOf = <T>(values: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );

const fold = ({ reference }: Combine, values: readonly Value[]): Value =>
  values.slice(1).reduce((earlier, later) => reference(earlier, later), values[0] as Value);

/** shaders/device/kernels/reduce_each_row.wgsl: the total of each row, level by level; of a longer row, of its parts, and then of their totals. */
export function rowTotals(
  monoid: Combine,
  elements: readonly Value[],
  columns: number,
  { initial, grouping }: ColumnOptions,
  caller: string,
): readonly Value[] {
  const { fan, most, vector } = numbersOf(grouping, caller);
  const tile = (grouping as Grouping).workGroupSize * (grouping as Grouping).itemsPerThread;
  const totalOf = (items: readonly Value[], own: number): Value => {
    let level: readonly Value[] = partsOf(items, own).map((unit) => fold(monoid, unit));
    while (level.length > 1) {
      level = partsOf(level, fan).map((run) => fold(monoid, run));
    }
    return level[0] as Value;
  };
  return partsOf(elements, columns).map((items) => {
    let totals = partsOf(items, Math.max(1, most)).map((part) => totalOf(part, vector));
    while (totals.length > 1) {
      totals = partsOf(totals, tile).map((part) => totalOf(part, 1));
    }
    const total = totals[0] as Value;
    return initial === undefined ? total : monoid.reference(initial, total);
  });
}

/** shaders/device/kernels/scan_each_row.wgsl: the prefixes of each row. Totals go up level by level, and what comes before each comes down. */
export function rowsScan(
  monoid: Combine,
  elements: readonly Value[],
  columns: number,
  { exclusive = false, initial, grouping }: ColumnOptions,
  caller: string,
): readonly Value[] {
  const { identity, reference } = monoid;
  const { fan } = numbersOf(grouping, caller);
  /** What comes before each of some values. */
  const before = (values: readonly Value[], first: Value): Value[] => {
    let prefix = first;
    return values.map((value) => {
      const earlier = prefix;
      prefix = reference(prefix, value);
      return earlier;
    });
  };
  return partsOf(elements, columns).flatMap((items) => {
    const levels: (readonly Value[])[] = [items];
    while ((levels.at(-1) as readonly Value[]).length > fan) {
      levels.push(partsOf(levels.at(-1) as readonly Value[], fan).map((run) => fold(monoid, run)));
    }
    let prefixes: readonly Value[] = [initial ?? identity];
    for (const level of levels.reverse()) {
      const above = prefixes;
      prefixes = partsOf(level, fan).flatMap((run, at) => before(run, above[at] as Value));
    }
    return exclusive ? prefixes : items.map((item, at) => reference(prefixes[at] as Value, item));
  });
}
