/** Histograms of an Apache Arrow table's columns, each under the filters of all other columns, on the GPU. */
import type { Vector } from "apache-arrow";
import { Float32, makeVector, Table, vectorFromArray } from "apache-arrow";
import type { Fold, f32 } from "wavefold";
import { u32 } from "wavefold";

/** A column to filter by, and the bins of its histogram. */
export interface Dimension {
  readonly column: string;
  readonly bins: number;
  /** Whole numbers, if the column holds such. Values outside are counted in no bin. */
  readonly range: readonly [low: number, high: number];
}

/** What stands for null: the greatest f32. It is in no bin and passes no filter. */
const NULL = (2 - 2 ** -23) * 2 ** 127;

/** A column as Wavefold takes it. Without nulls, f32, i32 and u32 in one chunk are not copied. All else becomes f32. */
export function columnOf(vector: Vector): Float32Array | Int32Array | Uint32Array {
  const values: unknown = vector.nullCount === 0 && vector.toArray();
  return values instanceof Float32Array || values instanceof Int32Array || values instanceof Uint32Array
    ? values
    : Float32Array.from(vector, (value) => (value === null ? NULL : Number(value)));
}

/** The same back, with its nulls. */
const vectorOf = (values: Float32Array | Int32Array | Uint32Array, hasNulls: boolean): Vector =>
  hasNulls
    ? vectorFromArray(
        Array.from(values, (value) => (value === NULL ? null : value)),
        new Float32(),
      )
    : makeVector(values);

/** Puts columns of a table on the GPU, 32 at most. */
export async function makeCrossfilter(fold: Fold, table: Table, dimensions: readonly Dimension[]) {
  const columns = new Map(
    await Promise.all(
      dimensions.map(async ({ column, ...bins }, at) => {
        const vector = table.getChild(column);
        if (vector === null || at >= 32) {
          throw new RangeError(
            vector === null ? `the table has no column ${column}` : "there are over 32 columns",
          );
        }
        const values = await fold.upload(columnOf(vector));
        return [column, { ...bins, values, bit: 2 ** at, hasNulls: vector.nullCount > 0 }] as const;
      }),
    ),
  );
  const columnNamed = (name: string) => {
    const found = columns.get(name);
    if (found === undefined) {
      throw new RangeError(`the crossfilter has no column ${name}`);
    }
    return found;
  };
  // A word for each row, with a bit for each column whose filter it fails.
  const failed = await fold.upload(new Uint32Array(table.numRows));
  const passes = await fold.upload(new Uint32Array(table.numRows));

  return {
    /** Lets pass the rows whose value in a column is from `low` up to, but not, `high`. Without a range, all pass. */
    async filter(column: string, range?: readonly [low: number, high: number]): Promise<void> {
      const { values, bit } = columnNamed(column);
      const params = { bit: [u32, bit] } as const;
      if (range === undefined) {
        await fold.map(failed, { map: "x & ~bit", params, into: failed });
        return;
      }
      const [low, high] = range;
      // Or i32 or u32, whose values are numbers, too.
      const type = values.type as typeof f32;
      await fold.map(failed, {
        with: { value: values },
        map: "select(x | bit, x & ~bit, value >= low && value < high)",
        params: { ...params, low: [type, low], high: [type, high] },
        into: failed,
      });
    },

    /** A column's histogram, of the rows that pass the filters of all other columns. */
    async histogram(column: string): Promise<Uint32Array> {
      const { values, bit, bins, range } = columnNamed(column);
      const params = { others: [u32, ~bit >>> 0] } as const;
      await fold.map(failed, { map: "u32((x & others) == 0u)", params, into: passes });
      const counts = await fold.histogram(values, { bins, range, weights: passes });
      const read = await counts.read();
      counts.destroy();
      return read;
    },

    /** How many rows pass all filters. */
    async count(): Promise<number> {
      const count = await fold.count(failed, { where: "x == 0u" });
      const [rows = 0] = await count.read();
      count.destroy();
      return rows;
    },

    /** The rows that pass all filters, in their order: a table of the crossfilter's columns. */
    async rows(): Promise<Table> {
      const places = await fold.compact(failed, { where: "x == 0u", indices: true });
      const vectors: Record<string, Vector> = {};
      for (const [name, { values, hasNulls }] of columns) {
        const kept = await fold.gather(values, places);
        vectors[name] = vectorOf(await kept.read(), hasNulls);
        kept.destroy();
      }
      places.destroy();
      return new Table(vectors);
    },

    destroy(): void {
      for (const one of [failed, passes, ...Array.from(columns.values(), ({ values }) => values)]) {
        one.destroy();
      }
    },
  };
}
