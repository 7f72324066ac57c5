import loadKeptFile from "../../shaders/device/io/load_kept_one_by_one.wgsl";
import itemsFile from "../../shaders/device/io/one_by_one.wgsl";
import storeKeptFile from "../../shaders/device/io/store_kept_one_by_one.wgsl";
import storeRowsFile from "../../shaders/device/io/store_rows_one_by_one.wgsl";
import storeRunsFile from "../../shaders/device/io/store_runs_one_by_one.wgsl";
import rowsFile from "../../shaders/device/tiles/one_by_one_rows.wgsl";
import runsFile from "../../shaders/device/tiles/one_by_one_runs.wgsl";
import { file } from "./contract.ts";
import type { OneByOne, ThreadsTake } from "./tiles.ts";

// For items that go one by one. See `Sizes.oneByOne`.

const items = /* @__PURE__ */ file("io/one_by_one.wgsl", itemsFile);
const loadKept = /* @__PURE__ */ file("io/load_kept_one_by_one.wgsl", loadKeptFile);
const storeKept = /* @__PURE__ */ file("io/store_kept_one_by_one.wgsl", storeKeptFile);
const kept = [loadKept, storeKept];

/** The files for items that go one by one. Some of them scan and reduce a tile, and store its prefixes. */
export const oneByOne: Readonly<Record<ThreadsTake, OneByOne>> = {
  runs: {
    items: [
      items,
      /* @__PURE__ */ file("tiles/one_by_one_runs.wgsl", runsFile),
      /* @__PURE__ */ file("io/store_runs_one_by_one.wgsl", storeRunsFile),
    ],
    kept,
  },
  rows: {
    items: [
      items,
      /* @__PURE__ */ file("tiles/one_by_one_rows.wgsl", rowsFile),
      /* @__PURE__ */ file("io/store_rows_one_by_one.wgsl", storeRowsFile),
    ],
    kept,
  },
};
