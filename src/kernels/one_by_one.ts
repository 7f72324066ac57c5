import loadKept from "#shaders/device/io/load_kept_one_by_one.wgsl";
import items from "#shaders/device/io/one_by_one.wgsl";
import storeKept from "#shaders/device/io/store_kept_one_by_one.wgsl";
import storeRowsFile from "#shaders/device/io/store_rows_one_by_one.wgsl";
import storeRunsFile from "#shaders/device/io/store_runs_one_by_one.wgsl";
import rowsFile from "#shaders/device/tiles/one_by_one_rows.wgsl";
import runsFile from "#shaders/device/tiles/one_by_one_runs.wgsl";
import type { OneByOne, ThreadsTake } from "./tiles.ts";

// For items that go one by one. See `Sizes.oneByOne`.

const kept = [loadKept, storeKept];

/** The files for items that go one by one. Some of them scan and reduce a tile, and store its prefixes. */
export const oneByOne: Readonly<Record<ThreadsTake, OneByOne>> = {
  runs: {
    items: [items, runsFile, storeRunsFile],
    kept,
  },
  rows: {
    items: [items, rowsFile, storeRowsFile],
    kept,
  },
};
