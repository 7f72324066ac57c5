import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { failures, useNullDevice } from "./support/null_device.ts";

const device = useNullDevice();
const read = (path: string): string => readFileSync(new URL(`../shaders/${path}`, import.meta.url), "utf8");

/** binary64_order.wgsl takes a contract of pairs. */
const PAIRS = "alias Element = vec2<u32>;\nfn identity() -> Element { return vec2<u32>(); }";

/** One text of several files, with the directives first. */
function joined(paths: readonly string[]): string {
  const texts = paths.map(read);
  const lines = [...(paths.includes("numeric/binary64_order.wgsl") ? [PAIRS] : []), ...texts].flatMap(
    (text) => text.split("\n"),
  );
  const isDirective = (line: string): boolean => line.startsWith("enable ");
  return [...lines.filter(isDirective), ...lines.filter((line) => !isDirective(line))].join("\n");
}

// The contract's load and store call what an io file brings.
const io = ["device/io_two_buffers.wgsl", "device/io_one_buffer.wgsl"] as const;
const contract = ["contract.wgsl", io[0]];
const algorithms = [
  ["work_group/hillis_steele.wgsl"],
  ["work_group/blelloch.wgsl"],
  ["work_group/subgroup_contract.wgsl", "work_group/subgroup_place.wgsl", "work_group/subgroup.wgsl"],
];

const threadTiles = [
  ["thread_tile/hillis_steele.wgsl"],
  ["work_group/subgroup_contract.wgsl", "work_group/subgroup_place.wgsl", "thread_tile/subgroup.wgsl"],
];

/** What each file needs, beside itself, in every combination that is meant to work. */
const combinations: string[][] = [
  ...io.map((file) => ["contract.wgsl", file]),
  ...["f16_bits", "float_order"].map((name) => [...contract, `numeric/${name}.wgsl`]),
  ["numeric/int64.wgsl"],
  ["numeric/int64.wgsl", "numeric/binary64.wgsl"],
  ["numeric/int64.wgsl", "numeric/binary64.wgsl", "numeric/binary64_order.wgsl"],
  [...contract, "device/flags_buffer.wgsl"],
  [...contract, "device/copy_items.wgsl"],
  [...contract, "device/combine_pairs.wgsl"],
  ...threadTiles.flatMap((algorithm) => [
    [...contract, ...algorithm],
    [...contract, ...algorithm, "thread_tile/functions.wgsl"],
    [...contract, ...algorithm, "thread_tile/functions.wgsl", "thread_tile/update.wgsl"],
  ]),
  ...algorithms.flatMap((algorithm) => [
    [...contract, ...algorithm],
    [...contract, ...algorithm, "work_group/functions.wgsl"],
    [...contract, ...algorithm, "work_group/functions.wgsl", "work_group/update.wgsl"],
    [...contract, ...algorithm, "work_group/functions.wgsl", "work_group/coalesced.wgsl"],
    [
      ...contract,
      ...algorithm,
      ...["functions", "update", "coalesced", "coalesced_update"].map((name) => `work_group/${name}.wgsl`),
    ],
    ...["compact", "allocate"].map((name) => [
      ...contract,
      ...algorithm,
      "work_group/functions.wgsl",
      "work_group/update.wgsl",
      `work_group/${name}.wgsl`,
    ]),
    ...io.flatMap((file) => [
      ["contract.wgsl", file, ...algorithm, "device/reduce_tiles.wgsl"],
      ["contract.wgsl", file, "device/carry_spine.wgsl", ...algorithm, "device/compact_tiles.wgsl"],
      ...["carry_none", "carry_spine"].flatMap((carry) =>
        ["total_none", "total_buffer"].map((total) => [
          "contract.wgsl",
          file,
          `device/${carry}.wgsl`,
          `device/${total}.wgsl`,
          ...algorithm,
          "device/scan_tiles.wgsl",
        ]),
      ),
    ]),
  ]),
];

const files = readdirSync(new URL("../shaders", import.meta.url), {
  recursive: true,
  encoding: "utf8",
}).filter((path) => path.endsWith(".wgsl"));

test("every shader is in a combination", () => {
  const covered = new Set(combinations.flat());
  expect(files.filter((file) => !covered.has(file))).toEqual([]);
});

test.each(combinations.map((paths) => [paths.at(-1) ?? "", paths] as const))(
  "%s is valid: %j",
  async (_, paths) => {
    expect(await failures(device(), [{ title: paths.join(" + "), code: joined(paths) }])).toEqual([]);
  },
);

test("the check can fail", async () => {
  const code = joined(contract).replace("earlier + later", "earlier + 1.5f");
  expect(await failures(device(), [{ title: "broken", code }])).not.toEqual([]);
});

test.each(files)("%s has a header, and no tab or trailing space", (path) => {
  const text = read(path);
  expect(text).toMatch(/^\/\/ \S/);
  expect(text).not.toMatch(/\t| $/m);
});
