// Draws README's moving picture of a compaction.
// usage: node scripts/picture.mjs [FILE]
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { moduleOf } from "./site.mjs";

const { compactionPicture } = await moduleOf("site/picture/compaction_picture.ts");
const picture = compactionPicture({
  numbers: [3, 1, 7, 0, 4, 1, 6, 3, 2, 8, 5, 1, 0, 9, 2, 4],
  isKept: (x) => x > 3,
  where: "x > 3u",
  words: "above 3",
});
await writeFile(
  process.argv[2] ?? fileURLToPath(new URL("../docs/compaction.svg", import.meta.url)),
  picture,
);
