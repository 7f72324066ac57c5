import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "../src/codegen/callers.ts";
import type { Declaration, Parsed } from "../src/codegen/module.ts";
import { assemble, declared, directivesFor, reachable, split } from "../src/codegen/module.ts";
import { failures, useNullDevice } from "./support/null_device.ts";
import { rows } from "./support/rows.ts";

const device = useNullDevice();
const read = (path: string): string => readFileSync(new URL(`../shaders/${path}`, import.meta.url), "utf8");

/** What takes a contract of pairs, which no kernel here has. */
const ofPairs = ["numeric/binary64_order.wgsl", "device/subgroup_add_u64.wgsl"];
const PAIRS = `alias Element = vec2<u32>;
fn identity() -> Element { return vec2<u32>(); }
const MAX_SUBGROUP_SIZE = 128u;`;

/** Where items are not loaded as vectors, a vector is one item. */
const ONE_ITEM = `
alias InputVector = Input;
alias OutputVector = Output;
const VECTOR = 1u;
fn input_items(vector: InputVector) -> array<Input, VECTOR> { return array<Input, VECTOR>(vector); }
fn output_items(vector: OutputVector) -> array<Output, VECTOR> { return array<Output, VECTOR>(vector); }
fn output_vector(items: array<Output, VECTOR>) -> OutputVector { return items[0]; }
`;

/** The entry point that a file has, if it has one. */
const entryOf = (text: string): string | undefined => /@compute[^{]*?fn (\w+)/.exec(text)?.[1];
/** The entry point of a combination: the last file that has one is the kernel's. */
const entryOfAll = (texts: readonly string[]): string | undefined =>
  texts
    .map(entryOf)
    .filter((one) => one !== undefined)
    .at(-1);

/** Files that have functions in place of another's. */
const comesFirst =
  /keep_flagged|load_mapped|one_by_one|_whole|any_order|lane_totals|scan_first|rows_together/;

/** What a kernel's files declare and its entry point reaches: of a name the first declaration, as in code generation. */
function linked(paths: readonly string[], entry: string): { kept: readonly Declaration[]; code: string } {
  const isItems = paths.some((path) => /\/(input|one_buffer)_items/.test(path));
  const { directives, declarations } = declared([
    ...(isItems ? [{ name: "vectors of one item", text: ONE_ITEM }] : []),
    // Flags decide in place of the contract, maps and whole vectors load in place of load_items.wgsl, and those store.
    ...[...paths]
      .sort((a, b) => Number(comesFirst.test(b)) - Number(comesFirst.test(a)))
      .map((path) => ({ name: path, text: read(path) })),
  ]);
  const kept = reachable(declarations, [entry]);
  return { kept, code: assemble(directivesFor(directives, kept), kept) };
}

/** One text of several files: what the kernel among them reaches, or all, with the directives first. */
function joined(paths: readonly string[]): string {
  const texts = paths.map(read);
  const entry = entryOfAll(texts);
  if (entry !== undefined) {
    return linked(paths, entry).code;
  }
  const lines = [...(paths.some((path) => ofPairs.includes(path)) ? [PAIRS] : []), ...texts].flatMap((text) =>
    text.split("\n"),
  );
  const isDirective = (line: string): boolean => line.startsWith("enable ");
  return [...lines.filter(isDirective), ...lines.filter((line) => !isDirective(line))].join("\n");
}

const contract = ["contract.wgsl"];
const algorithms = [
  [
    "work_group/hillis_steele.wgsl",
    "work_group/hillis_steele_uniform.wgsl",
    "work_group/hillis_steele_reduce.wgsl",
  ],
  ["work_group/blelloch.wgsl"],
  ["work_group/subgroup_contract.wgsl", "work_group/subgroup_place.wgsl", "work_group/subgroup.wgsl"],
];

/** Every pair of one of the first and one of the second. */
const pairs = <A, B>(a: readonly A[], b: readonly B[]): [A, B][] =>
  a.flatMap((one) => b.map((other): [A, B] => [one, other]));

/** The same for kernels of our own, and how their work-groups look back. */
const deviceAlgorithms = [
  {
    files: ["work_group/hillis_steele.wgsl", "work_group/hillis_steele_reduce.wgsl", "device/portable.wgsl"],
    lookBack: "threads",
  },
  { files: ["work_group/blelloch.wgsl", "device/portable.wgsl"], lookBack: "threads" },
  ...["threads", "votes"].flatMap((lookBack) =>
    pairs(
      // Where subgroups may lack lanes, each thread looks back by itself.
      lookBack === "threads" ? ["id", "count", "lanes"] : ["id", "count"],
      [
        ["rows"],
        ["any_order", "rows"],
        ["any_order", "lane_totals", "rows"],
        ["any_order", "rows_together", "rows"],
        ["scan_first", "rows_together", "rows"],
        ["votes"],
      ],
    ).map(([numbered, rows]) => ({
      files: [
        "work_group/subgroup_contract.wgsl",
        ...[...(numbered === "lanes" ? [] : ["count"]), `by_${numbered}`, "ballot", ...rows].map(
          (file) => `device/subgroup_${file}.wgsl`,
        ),
        "device/subgroup.wgsl",
      ],
      lookBack,
    })),
  ),
];

const deviceFiles = (...names: string[]): string[] => names.map((name) => `device/${name}.wgsl`);
const inputs = ["input_items", "input_vectors", "input_whole"];
const arrangements = [
  ["input_items", "output_items"],
  ["input_vectors", "output_vectors"],
  ["input_whole", "output_whole"],
  ["one_buffer_items"],
  ["one_buffer_vectors"],
];
const lengths = ["length_params", "length_buffer"];
const totals = ["total_none", "total_buffer", "total_dispatch", "total_draw"];
const carries = ["carry_none", "carry_spine"];
const tiles = ["tile_by_number", "tile_by_ticket"];

const threadTiles = [
  ["thread_tile/hillis_steele.wgsl"],
  ["work_group/subgroup_contract.wgsl", "work_group/subgroup_place.wgsl", "thread_tile/subgroup.wgsl"],
];

/** What each file needs, beside itself, in every combination that is meant to work. */
const combinations: string[][] = [
  ...["f16_bits", "float_order"].map((name) => [...contract, `numeric/${name}.wgsl`]),
  ["numeric/int64.wgsl"],
  ["numeric/int64.wgsl", "numeric/binary64.wgsl"],
  ["numeric/int64.wgsl", "numeric/binary64.wgsl", "numeric/binary64_order.wgsl"],
  deviceFiles("subgroup_add_u64"),
  [...contract, ...deviceFiles("input_items", "output_items", "copy_items")],
  [...contract, ...deviceFiles("input_items", "output_items", "combine_pairs")],
  ...threadTiles.flatMap((algorithm) => [
    [...contract, ...algorithm],
    [...contract, ...algorithm, "thread_tile/scan.wgsl"],
    [...contract, ...algorithm, "thread_tile/reduce.wgsl"],
    [...contract, ...algorithm, "thread_tile/counter.wgsl", "thread_tile/update.wgsl"],
  ]),
  ...algorithms.flatMap((algorithm) => [
    [...contract, ...algorithm],
    ...[
      ["scan"],
      ["scan_uniform"],
      ["reduce"],
      ["counter", "update"],
      ["coalesced", "coalesced_total", "coalesced_scan"],
      ["coalesced", "coalesced_total", "coalesced_scan_uniform"],
      ["coalesced", "coalesced_total", "coalesced_reduce"],
      ["coalesced", "coalesced_total_start", "coalesced_scan"],
      ["coalesced", "coalesced_total_start", "coalesced_scan_uniform"],
      ["coalesced", "coalesced_total_start", "coalesced_reduce"],
      ["coalesced", "counter", "coalesced_update"],
      ["compact"],
      ["counter", "compact_update"],
      ["allocate_counter", "allocate"],
    ].map((names) => [...contract, ...algorithm, ...names.map((name) => `work_group/${name}.wgsl`)]),
  ]),
  ...deviceAlgorithms.flatMap(({ files, lookBack }) => {
    const scan = (last: string, arrangement: readonly string[], ...names: string[]): string[] => [
      ...contract,
      ...files,
      ...deviceFiles(...arrangement, "load_items", "store_prefixes", ...names, last),
    ];
    const compact = (last: string, input: string, ...names: string[]): string[] => [
      ...contract,
      ...files,
      ...deviceFiles(input, "load_items", "load_kept", ...names, last),
    ];
    const lookBackFiles = deviceFiles("look_back", `look_back_${lookBack}`);
    const single = (tile: string): string[] => [
      // Either as the other: one for each tile.
      tile === "tile_by_ticket" ? "faults_by_run" : "faults_none",
      "spine_entries",
      tile,
    ];
    return [
      ...inputs.map((input) => [
        ...contract,
        ...files,
        ...deviceFiles(input, "output_items", "length_params", "load_items", "reduce_tiles"),
      ]),
      ...pairs(arrangements, carries).flatMap(([arrangement, carry], at) => [
        scan("scan_tiles", arrangement, carry, lengths[at % 2] ?? "", totals[at % totals.length] ?? ""),
      ]),
      ...pairs(tiles, totals).map(([tile, total], at) => [
        ...scan("scan_single_pass", arrangements[1] ?? [], ...single(tile), lengths[at % 2] ?? "", total),
        ...lookBackFiles,
      ]),
      [
        ...contract,
        ...files,
        ...deviceFiles(
          "load_mapped",
          "input_items",
          "output_items",
          "length_params",
          "load_items",
          "reduce_tiles",
        ),
      ],
      ...arrangements.map((arrangement) =>
        scan("scan_tiles", arrangement, "load_mapped", "carry_spine", "length_params", "total_none"),
      ),
      [
        ...scan(
          "scan_single_pass",
          arrangements[1] ?? [],
          "load_mapped",
          ...single("tile_by_ticket"),
          "length_params",
          "total_none",
        ),
        ...lookBackFiles,
      ],
      // A thread's items are consecutive there.
      ...(files.includes("device/portable.wgsl")
        ? [
            ...pairs([["input_items", "output_items"], ["one_buffer_items"]], carries).map(
              ([arrangement, carry]) => scan("scan_tiles", arrangement, carry, "length_params", "one_by_one"),
            ),
            scan(
              "scan_tiles",
              ["one_buffer_items"],
              "load_mapped",
              "carry_spine",
              "length_params",
              "one_by_one",
            ),
            [
              ...contract,
              ...files,
              ...deviceFiles(
                "one_by_one",
                "input_items",
                "output_items",
                "length_buffer",
                "load_items",
                "reduce_tiles",
              ),
            ],
            compact("count_tiles", "input_items", "output_items", "length_params", "one_by_one"),
            ...[[], ["keep_flagged"]].map((keep) =>
              compact(
                "compact_tiles",
                "input_items",
                "output_items",
                "length_params",
                "carry_spine",
                "store_kept",
                ...keep,
                "one_by_one",
              ),
            ),
          ]
        : []),
      ...["input_items", "input_vectors", "no_input"].flatMap((input) => [
        compact("count_tiles", input, "output_items", "length_params"),
        compact("count_tiles", input, "output_items", "length_buffer", "keep_flagged"),
        compact(
          "compact_tiles",
          input,
          "output_items",
          "length_params",
          "carry_spine",
          "total_buffer",
          "store_kept",
        ),
        compact(
          "compact_tiles",
          input,
          "output_items",
          "length_buffer",
          "keep_flagged",
          "carry_spine",
          "total_draw",
          "store_kept",
        ),
      ]),
      compact(
        "compact_tiles",
        "one_buffer_items",
        "length_params",
        "carry_spine",
        "total_none",
        "store_kept",
      ),
      ...pairs(tiles, totals).flatMap(([tile, total], at) =>
        [[], ["keep_flagged"]].map((keep) => [
          ...compact(
            "compact_single_pass",
            "input_vectors",
            "output_items",
            ...single(tile),
            lengths[at % 2] ?? "",
            total,
            ...keep,
            "store_kept",
          ),
          ...lookBackFiles,
        ]),
      ),
    ];
  }),
];

const files = readdirSync(new URL("../shaders", import.meta.url), {
  recursive: true,
  encoding: "utf8",
}).filter((path) => path.endsWith(".wgsl"));

test("every shader is in a combination", () => {
  const covered = new Set(combinations.flat());
  expect(files.filter((file) => !covered.has(file))).toEqual([]);
});

test("everything that a file of shaders/device/ declares is reached by some kernel", () => {
  const reached = new Set(
    combinations.flatMap((paths) => {
      const entry = entryOfAll(paths.map(read));
      return entry === undefined ? [] : linked(paths, entry).kept.map(({ text }) => text);
    }),
  );
  const missed = files
    .filter((path) => path.startsWith("device/") && !ofPairs.includes(path))
    .flatMap((path) =>
      split(read(path))
        .declarations.filter(({ text }) => !reached.has(text))
        .map(({ name }) => `${path}: ${name}`),
    );
  expect(missed).toEqual([]);
});

test.each(
  rows(
    combinations.map((paths) => [paths.at(-1) ?? "", paths] as const),
    { of: 10 },
  ),
)("%s is valid: %j", async (_, paths) => {
  expect(await failures(device(), [{ title: paths.join(" + "), code: joined(paths) }])).toEqual([]);
});

test("the check can fail", async () => {
  const code = joined(contract).replace("earlier + later", "earlier + 1.5f");
  expect(await failures(device(), [{ title: "broken", code }])).not.toEqual([]);
});

test.each(files)("%s has a header, and no tab or trailing space", (path) => {
  const text = read(path);
  expect(text).toMatch(/^\/\/ \S/);
  expect(text).not.toMatch(/\t| $/m);
});

const built = new URL("../scripts/modules.mjs", import.meta.url).href;
const { withoutComments } = (await import(built)) as { withoutComments(text: string): string };

const names = new Set(files.flatMap((path) => split(read(path)).declarations.map(({ name }) => name)));

/** What a text declares, with its lines of code, and which other declarations these refer to. */
const codeOf = ({ declarations }: Parsed) =>
  declarations.map(({ text, references, ...one }) => ({
    ...one,
    references: [...references].filter((name) => names.has(name) && name !== one.name).sort(),
    lines: text
      .split("\n")
      .map((line) => (line.endsWith("// unroll") ? line : line.replace(/\s*\/\/.*/, "")))
      .filter((line) => line.trim() !== "" && !line.startsWith("const_assert ")),
  }));

test.each(files)("%s: what is split by its form is what it declares", (path) => {
  const text = read(path);
  expect(codeOf(split(text))).toEqual(codeOf(parse(text)));
  expect(split(text).directives).toEqual(parse(text).directives);
});

test.each(files)("%s without comments is the same code on the same lines", (path) => {
  const text = read(path);
  const bare = withoutComments(text);
  expect(bare).not.toMatch(/\/\/(?! unroll$)/m);
  expect(codeOf(split(bare))).toEqual(codeOf(split(text)));
  const lines = text.split("\n");
  bare.split("\n").forEach((line, at) => {
    expect(lines[at]?.startsWith(line)).toBe(true);
  });
});
