import loadKeptFile from "../../shaders/device/io/load_kept_one_by_one.wgsl";
import itemsFile from "../../shaders/device/io/one_by_one.wgsl";
import storeKeptFile from "../../shaders/device/io/store_kept_one_by_one.wgsl";
import type { SourceText } from "../text/source.ts";
import { file } from "./kernel.ts";
import type { OneByOne } from "./tiles.ts";

const items = /* @__PURE__ */ file("io/one_by_one.wgsl", itemsFile);
const loadKept = /* @__PURE__ */ file("io/load_kept_one_by_one.wgsl", loadKeptFile);
const storeKept = /* @__PURE__ */ file("io/store_kept_one_by_one.wgsl", storeKeptFile);

/**
 * The files for items that go one by one. `tiles` are those of the algorithm: they scan and reduce a tile, and store its
 * prefixes.
 */
export const oneByOneWith = (tiles: readonly SourceText[]): OneByOne => ({
  items: [items, ...tiles],
  kept: [loadKept, storeKept],
});
