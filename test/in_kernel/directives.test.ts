import { describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import { max } from "../../src/algebra/operators.ts";
import { ArgumentError, SourceError } from "../../src/errors.ts";
import { blelloch, subgroupOf } from "../../src/in_kernel/algorithms.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import {
  threadTileScan,
  workGroupAllocate,
  workGroupReduce,
  workGroupScan,
} from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { piecesOf, textOf } from "../../src/text/pieces.ts";
import { operatorsOf } from "../support/kernels.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { pairs } from "../support/pairs.ts";

const device = useNullDevice();

/** A kernel of 64 threads that runs statements, after the lines given. */
const kernel = (directives: string, statements: string, size = "64"): string => `${directives}
struct Bump { used: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> bump: Bump;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
var<workgroup> votes: atomic<i32>;

@compute @workgroup_size(${size})
fn main(@builtin(local_invocation_index) local_index: u32) {
  atomicStore(&bump.used, 0u);
  atomicStore(&votes, 0);
  list[0] = 0u;
  ${statements}
}
`;
const RANK = "_ = work_group_scan_exclusive_add_u32(1u, local_index);";
const ASK = "// wavefold: work_group_scan_exclusive_add_u32 64";

async function expectCompiles(code: string): Promise<void> {
  expect(await failures(device(), [{ title: "kernel", code }])).toEqual([]);
}

/** What linking throws, which is a SourceError of the text. */
function errorOf(source: string): SourceError {
  try {
    linkDirectives(source, { name: "in.wgsl" });
  } catch (cause) {
    expect(cause).toBeInstanceOf(SourceError);
    expect((cause as SourceError).source).toBe(source);
    return cause as SourceError;
  }
  throw new Error("it was accepted");
}

const value = {
  u32: "1u",
  i32: "1i",
  f32: "1f",
  f16: "1h",
  u64: "vec2(1u)",
  i64: "vec2(1u)",
  f64: "vec2(1u)",
};
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe("a directive", () => {
  test("is what the same functions are by hand, and stays in the text", () => {
    const source = kernel(ASK, RANK);
    const code = linkDirectives(source);
    expect(code).toBe(link(source, [workGroupScan({ type: u32, workGroupSize: 64 })]));
    expect(code.split("\n")[0]).toBe(ASK);
    expect(linkDirectives(source)).toBe(code);
  });

  test("asks for any operator on any type, by the name that the kernel calls", async () => {
    // All operators of a type in one kernel.
    const sources = Object.values(elementTypes).map((type) => {
      const names = operatorsOf(type).map((op) => `work_group_reduce_${snakeCase(op.name)}_${type.name}`);
      expect(names).toHaveLength(type.kind === "float" ? 9 : 12);
      const calls = names.map((name) => `_ = ${name}(${value[type.name]}, local_index);`);
      return {
        title: type.name,
        code: linkDirectives(kernel(`// wavefold: ${names.join(", ")} 64`, calls.join("\n"))),
      };
    });
    expect(await failures(device(), sources)).toEqual([]);
  });

  test("asks for a broadcast, which takes no algorithm", async () => {
    const code = linkDirectives(
      kernel(
        "// wavefold: work_group_broadcast_f64 64",
        "_ = work_group_broadcast_f64(vec2(1u), 3u, local_index);",
      ),
    );
    await expectCompiles(code);
  });

  const scans = (scope: string, endings: readonly string[]): string[] =>
    endings.flatMap((ending) =>
      ["inclusive", "exclusive"].map((direction) => `${scope}_scan_${direction}_max_u32${ending}`),
    );
  const asked: readonly (readonly [string, string])[] = [
    ...["work_group", "thread_tile_8"].flatMap((scope) =>
      [...scans(scope, ["", "_total", "_update"]), `${scope}_reduce_max_u32`].map(
        (name): [string, string] => [name, `${name}(1u, local_index)`],
      ),
    ),
    ...[...scans("coalesced", ["", "_total", "_update"]), "coalesced_reduce_max_u32"].map(
      (name): [string, string] => [name, `${name}(1u, true, local_index)`],
    ),
    ...["work_group_segmented", "thread_tile_8_segmented"].flatMap((scope) =>
      [...scans(scope, ["", "_total"]), `${scope}_reduce_max_u32`].map((name): [string, string] => [
        name,
        `${name}(1u, true, local_index)`,
      ]),
    ),
    ...[
      ...scans("thread_tile_8_coalesced", ["", "_total", "_update"]),
      "thread_tile_8_coalesced_reduce_max_u32",
    ].map((name): [string, string] => [name, `${name}(1u, true, local_index)`]),
    ...scans("work_group", ["_uniform"]).map((name): [string, string] => [
      name,
      `${name}(1u, local_index, &total)`,
    ]),
    ...scans("coalesced", ["_uniform"]).map((name): [string, string] => [
      name,
      `${name}(1u, true, local_index, &total)`,
    ]),
    ["work_group_compact_uniform", "work_group_compact_uniform(true, local_index, &total)"],
    ["work_group_compact_update_uniform", "work_group_compact_update_uniform(true, local_index, &total)"],
    ["work_group_allocate_uniform", "work_group_allocate_uniform(1u, local_index, &total)"],
    ["work_group_compact", "work_group_compact(true, local_index)"],
    ["work_group_split", "work_group_split(true, local_index)"],
    ["work_group_split_total", "work_group_split_total(true, local_index)"],
    ["work_group_split_uniform", "work_group_split_uniform(true, local_index, &total)"],
    ...["broadcast", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"].map((kind): [string, string] => [
      `thread_tile_8_${kind}_u32`,
      `thread_tile_8_${kind}_u32(1u, 2u, local_index)`,
    ]),
    ["work_group_compact_update", "work_group_compact_update(true, local_index)"],
    ["work_group_allocate", "work_group_allocate(1u, local_index)"],
  ];
  const ways = pairs({ subgroups: ["", " subgroups"], suffix: ["", "twin"], long: ["", "_64"] });
  test.each(asked.map(([name, call], at) => [name, call, at] as const))(
    "asks for %s",
    async (name, call, at) => {
      const counter = /_update(_|$)|allocate/.test(name) ? " counter=bump.used" : "";
      // Names of a scope have all ways between them.
      const way = ways[at % ways.length];
      for (const { subgroups, suffix, long } of way ? [way] : []) {
        const ending = suffix === "" ? "" : `_${suffix}`;
        const settings = `64${counter}${subgroups}${suffix === "" ? "" : ` suffix=${suffix}`}`;
        const called = call.replace("(", `${ending}${long}(`);
        const statement = `var total: u32; _ = ${called};`;
        const code = linkDirectives(kernel(`// wavefold: ${name} ${settings}`, statement));
        expect(code).toContain(`fn ${called.replace(/\(.*/, "")}(`);
        expect(code.startsWith("enable subgroups;")).toBe(subgroups !== "");
        // By the name as it is called, too.
        const spelled = `// wavefold: ${name}${ending}${long} ${settings}`;
        const same = linkDirectives(kernel(spelled, statement));
        expect(same.split("\n").slice(1)).toEqual(code.split("\n").slice(1));
        await expectCompiles(code);
      }
    },
  );

  test("takes settings, in any order", () => {
    const statements = `_ = work_group_allocate(1u, local_index); _ = work_group_reduce_max_f32_tree(1f, local_index);
      _ = thread_tile_4_scan_inclusive_add_u32_total(1u, local_index);`;
    const source = kernel(
      `// wavefold: work_group_allocate counter=bump.used capacity=arrayLength(&list) 64
  //wavefold:work_group_reduce_max_f32 suffix=tree algorithm=blelloch 64
// unrelated
\t// wavefold:  thread_tile_4_scan_inclusive_add_u32_total  min_subgroup_size=32\tmax_subgroup_size=64 subgroups 64 \r`,
      statements,
    );
    const capacity = "arrayLength(&list)";
    const code = link(source, [
      workGroupAllocate({ workGroupSize: 64, counter: "bump.used", capacity }),
      workGroupReduce({ type: f32, op: max, workGroupSize: 64, algorithm: blelloch, suffix: "tree" }),
      threadTileScan({
        type: u32,
        tileSize: 4,
        workGroupSize: 64,
        algorithm: subgroupOf({ minSize: 32, maxSize: 64 }),
      }),
    ]);
    // What names the counter and the capacity stands on the directive's line.
    const declarations = (text: string): string[] =>
      piecesOf(text)
        .map((piece) =>
          textOf(piece)
            .replace(/\/\/.*|\s+/g, " ")
            .replace(/ +/g, " ")
            .trim(),
        )
        .sort();
    expect(declarations(linkDirectives(source))).toEqual(declarations(code));
    expect(code).toContain("_blelloch_tree_max_f32_64_tree");
    expect(code).toContain("_thread_tile_totals_add_u32_4_64: array<u32, 2u>;");
  });

  test("takes a capacity in numbers, and one algorithm for thread tiles beside work-group functions", async () => {
    const statements = `${RANK} _ = thread_tile_8_reduce_add_u32(1u, local_index); _ = work_group_allocate(1u, local_index);`;
    const code = linkDirectives(
      kernel(
        "// wavefold: work_group_scan_exclusive_add_u32, thread_tile_8_reduce_add_u32 64 algorithm=subgroup\n// wavefold: work_group_allocate counter=bump.used capacity=1024",
        statements,
      ),
    );
    expect(code).toContain("1024u");
    expect(code).not.toContain("_thread_tile_elements");
    expect(code).toContain("_thread_tile_turn");
    await expectCompiles(code);
  });

  test("asks for several functions, and two may ask for the same", async () => {
    const source = kernel(
      `// wavefold: work_group_scan_exclusive_add_u32 , work_group_scan_inclusive_add_u32,work_group_scan_exclusive_add_u32_update 64 counter=bump.used\n${ASK}`,
      `${RANK} _ = work_group_scan_inclusive_add_u32(1u, local_index); _ = work_group_scan_exclusive_add_u32_update(1u, local_index);`,
    );
    const code = linkDirectives(source);
    expect(code.match(/fn work_group_scan_exclusive_add_u32\(/g)).toHaveLength(1);
    expect(code.match(/fn _combine_add_u32_64\(/g)).toHaveLength(1);
    await expectCompiles(code);
  });

  test.each([
    ["8, 8", 64],
    ["4u, 2i, 3,", 24],
    ["0x10", 16],
    ["5", 5],
  ])("takes its work-group size from @workgroup_size(%s)", (size, threads) => {
    const ask = "// wavefold: work_group_scan_exclusive_add_u32 suffix=own";
    const code = linkDirectives(
      `/* @workgroup_size(7) */ // @workgroup_size(9)\n${kernel(ask, RANK.replace("u32(", "u32_own("), size)}`,
    );
    expect(code).toContain(`: array<u32, 2u * ${threads}u>;`);
  });

  test("for two work-group sizes, functions go by their long names", async () => {
    const source = `// wavefold: work_group_scan_exclusive_add_u32 32
// wavefold: work_group_scan_exclusive_add_u32_64 64
@compute @workgroup_size(32) fn a(@builtin(local_invocation_index) i: u32) { _ = work_group_scan_exclusive_add_u32_32(1u, i); }
@compute @workgroup_size(64) fn b(@builtin(local_invocation_index) i: u32) { _ = work_group_scan_exclusive_add_u32_64(1u, i); }`;
    await expectCompiles(linkDirectives(source));
  });
});

describe("a text that asks for nothing comes out as it was", () => {
  test.each([
    ["", ""],
    ["no directive", kernel("", "")],
    ["CRLF, and no line at the end", "// wavefold\r\nfn main() {}\r\n// unrelated: wavefold: nothing"],
    ["no colon", "// Wavefold has what this calls\nfn main() {} // wavefold"],
    ["prose in a block comment", "/* Wavefold: sums, and so on */"],
    ["in a block comment", "/* a /* b */\n// wavefold: nothing */\nfn main() {}"],
    ["in a line comment", "// // wavefold: nothing\n//// wavefold: nothing"],
    ["in nested comments", "/* /* */\n// wavefold: nothing\n*/"],
  ])("%s", (_, source) => {
    expect(linkDirectives(source)).toBe(source);
  });

  test("a comment's end after two strokes ends it all the same", () => {
    const source = kernel(`/* // */\n${ASK}`, RANK);
    expect(linkDirectives(source)).toContain("fn work_group_scan_exclusive_add_u32(");
  });
});

describe("a directive is taken", () => {
  test.each([
    ["after code", `struct A { a: u32 } ${ASK}`],
    ["with a capital", ASK.replace("w", "W")],
    ["in capitals, with no blank", ASK.replace("// wavefold", "//WAVEFOLD")],
    ["with a blank before the colon", ASK.replace(":", " :")],
    ["behind a comment", `/* a */ ${ASK}`],
    ["before CR", `${ASK}\r`],
    ["before NEL", `${ASK}\u0085`],
    ["before LS", `// é\u2028${ASK}\u2028`],
  ])("%s", async (_, lines) => {
    const source = kernel(lines, RANK);
    const code = linkDirectives(source);
    expect(code).toBe(link(source, [workGroupScan({ type: u32, workGroupSize: 64 })]));
    await expectCompiles(code);
  });

  test("inside a function, and what it counts is then at the end", async () => {
    const inside =
      "// wavefold: work_group_allocate 64 counter=bump.used\n_ = work_group_allocate(1u, local_index);";
    await expectCompiles(linkDirectives(kernel("", inside)));
  });

  test.each([
    ["struct A { a: u32 } // wavefold: work_group_reduce_sub_u32 64", 34],
    ["/* wavefold */ // Wavefold : work_group_reduce_sub_u32 64", 30],
  ])("and what is wrong with it has its column: %s", (line, column) => {
    const error = errorOf(kernel(`// é\r${line}`, ""));
    expect([error.line, error.column]).toEqual([2, column]);
    expect(error.message).toContain("in.wgsl, line 2: work_group_reduce_sub_u32: sub is not an operator");
  });

  test("in a comment of several lines it is an error at its line", () => {
    const error = errorOf(`\n /* wavefold: work_group_scan_exclusive_add_u32 64 */${kernel("", RANK)}`);
    expect(error.message).toBe(
      "in.wgsl, line 2: a directive is a comment of one line, as in // wavefold: work_group_scan_exclusive_add_u32 256",
    );
    expect(error.column).toBe(5);
  });
});

describe("a counter and a capacity", () => {
  const allocate = (settings: string): string =>
    kernel(
      `// é\n\n// wavefold: work_group_allocate 64 ${settings}`,
      "_ = work_group_allocate(1u, local_index);",
    );

  test("of no variable of the kernel's is an error at the directive", () => {
    for (const counter of ["nowhere", "Bump.used", "main", "local_index"]) {
      const error = errorOf(allocate(`counter=${counter}`));
      expect(error.message).toBe(
        `in.wgsl, line 3: counter=${counter}: the kernel declares no variable ${counter.split(".")[0]}`,
      );
      expect(error.column).toBe("// wavefold: work_group_allocate 64 c".length);
    }
  });

  test.each([
    "counter=bump",
    "counter=bump.total",
    "counter=list",
    "counter=list[0]",
    "counter=bump.used capacity=nowhere",
    "counter=bump.used capacity=1.5f",
    "counter=bump.used capacity=vec2(1u)",
    "counter=bump.used capacity=room(/*no*/)",
  ])("that the compiler refuses is told at the directive's line: %s", async (settings) => {
    const code = linkDirectives(allocate(settings));
    const failed = await failures(device(), [{ title: "kernel", code }]);
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(/^kernel: line 3: /);
    expect(failed[0]).toContain(`// wavefold: work_group_allocate 64 ${settings}`);
  });

  test("of two directives go to the line of each", async () => {
    const source = kernel(
      `// wavefold: work_group_allocate 64 counter=bump.used capacity=arrayLength(&list) suffix=own
enable f16; // wavefold: work_group_scan_inclusive_add_i32_update, work_group_scan_exclusive_add_i32_update 64 counter=votes`,
      `_ = work_group_allocate_own(1u, local_index);
       _ = work_group_scan_inclusive_add_i32_update(1i, local_index) + work_group_scan_exclusive_add_i32_update(1i, local_index);`,
    );
    const code = linkDirectives(source);
    await expectCompiles(code);
    const lines = code.split("\n");
    expect(lines[0]).toMatch(
      /^enable f16; fn .*&bump\.used.*arrayLength\(&list\).*\/\/ wavefold: work_group_allocate/,
    );
    expect(lines[1]).toMatch(
      /^ +fn [^{]*\{ return atomicAdd\(&votes, total\); \} \/\/ wavefold: work_group_scan/,
    );
    expect(code.match(/atomicAdd\(&votes/g)).toHaveLength(1);
    expect(lines.slice(2, source.split("\n").length)).toEqual(source.split("\n").slice(2));
  });
});

describe("an entry point of another size is an error at the directive", () => {
  const helper = `fn helper(i: u32) { ${RANK.replace("local_index", "i")} }`;
  const entry = (size: string, name: string, body = "helper(i);"): string =>
    `@compute @workgroup_size(${size}) fn ${name}(@builtin(local_invocation_index) i: u32) { ${body} }`;

  test("where it is not the first one", () => {
    const source = `${entry("64", "a")}\n\n${ASK}\n${helper}\n${entry("32", "b")}`;
    expect(errorOf(source).message).toBe(
      "in.wgsl, line 3: b calls work_group_scan_exclusive_add_u32, which takes 64 threads, and has 32",
    );
    // One that does not call it may have any size.
    expect(() => linkDirectives(source.replace(/helper\(i\);(?= \}$)/, ""))).not.toThrow();
  });

  test("where it is an override; a constant's name is asserted", async () => {
    const by = (declaration: string): string => `${declaration}\n${ASK}\n${helper}\n${entry("N, 2", "a")}`;
    expect(errorOf(by("override N = 32u;")).message).toBe(
      "in.wgsl, line 2: a calls work_group_scan_exclusive_add_u32, which takes 64 threads, and has the override N; make it a const",
    );
    await expectCompiles(linkDirectives(by("const N = 32u;")));
    const wrong = linkDirectives(by("const N = 16u;"));
    expect(await failures(device(), [{ title: "kernel", code: wrong }])).toEqual([
      expect.stringMatching(/const assertion failed: const_assert .*takes 64 threads$/),
    ]);
  });
});

const operatorNames = Object.keys(operators).map(snakeCase).join(", ");
test.each<[string, string, string, RegExp | string, string?]>([
  [
    "an unknown operator",
    "work_group_reduce_sub_u32 64",
    "",
    `sub is not an operator; it takes ${operatorNames}`,
    "work_group_reduce_sub_u32",
  ],
  [
    "an operator in camel case",
    "work_group_reduce_logicalAnd_u32 64",
    "",
    "logicalAnd is not an operator; it takes add",
  ],
  [
    "an unknown type",
    "work_group_reduce_add_u8 64",
    "",
    "add_u8 does not end in an operator and an element type; the types are u32, i32, f32, f16, u64, i64, f64",
  ],
  ["no operator", "work_group_reduce_u32 64", "", "u32 does not end in an operator and an element type"],
  [
    "a type that is a property of all objects",
    "work_group_reduce_add_constructor 64",
    "",
    "does not end in an operator",
  ],
  [
    "an operator that is a property of all objects",
    "work_group_reduce_constructor_u32 64",
    "",
    "constructor is not an operator",
  ],
  [
    "a combination without a meaning",
    "work_group_scan_inclusive_xor_f32 64",
    "",
    "work_group_scan_inclusive_xor_f32: xor has no meaning on f32; it takes u32, i32, u64, i64",
  ],
  [
    "a total of a reduction",
    "work_group_reduce_add_u32_total 64",
    "",
    "_total is for scans, and this is a reduction; leave it out",
  ],
  [
    "a uniform total of tiles",
    "thread_tile_8_scan_inclusive_add_u32_uniform 64",
    "",
    "a tile's total is not the same for all threads of the work-group; use _total",
  ],
  [
    "an unknown function",
    "workgroup_scan_add_u32 64",
    "",
    "workgroup_scan_add_u32 is not a function; it takes work_group_scan_(inclusive|exclusive)_<op>_<type>[_total|_uniform|_update], work_group_reduce_<op>_<type>, both after coalesced_ or thread_tile_<N>_ too, work_group_compact[_update][_uniform], work_group_allocate[_uniform]",
  ],
  [
    "segments of coalesced threads",
    "coalesced_segmented_reduce_add_u32 64",
    "",
    "coalesced_segmented_reduce_add_u32 is not a function",
  ],
  [
    "a uniform total of segments",
    "work_group_segmented_scan_inclusive_add_u32_uniform 64",
    "",
    "_uniform is not for segments, which have totals of their own; use _total",
  ],
  [
    "a counter for segments",
    "thread_tile_8_segmented_scan_inclusive_add_u32_update 64 counter=bump.used",
    "",
    "_update is not for segments, which have totals of their own; use _total",
  ],
  [
    "a shuffle of no type",
    "thread_tile_8_shuffle_up_add_u32 64",
    "",
    "thread_tile_8_shuffle_up_add_u32 is not a function",
  ],
  [
    "a shuffle of an unknown type",
    "thread_tile_8_shuffle_up_u8 64",
    "",
    "thread_tile_8_shuffle_up_u8: u8 is not an element type; the types are u32, i32, f32, f16, u64, i64, f64",
  ],
  [
    "a shuffle of no tile",
    "thread_tile_6_broadcast_u32 64",
    "",
    "thread_tile_6_broadcast_u32: the tile is 6; it takes a power of two up to the work-group size, which is 64",
  ],
  [
    "an algorithm for a broadcast",
    "work_group_broadcast_u32 64 algorithm=blelloch",
    "",
    "algorithm means nothing to work_group_broadcast_u32; it is for",
  ],
  ["a scan that is neither", "work_group_scan_add_u32 64", "", "work_group_scan_add_u32 is not a function"],
  [
    "a thread tile of no size",
    "thread_tile_reduce_add_u32 64",
    "",
    "thread_tile_reduce_add_u32 is not a function",
  ],
  [
    "a tile that is no power of two",
    "thread_tile_6_reduce_add_u32 64",
    "",
    "thread_tile_6_reduce_add_u32: the tile is 6; it takes a power of two up to the work-group size, which is 64",
  ],
  [
    "a work-group size out of range",
    "work_group_compact 2000",
    "",
    "work_group_compact: the work-group size is 2000; it takes 1 to 1024",
  ],
  [
    "another work-group size than the file's",
    "work_group_compact 128",
    "",
    "the work-group size is 128, and the file's @workgroup_size has 64 threads",
    "128",
  ],
  [
    "two work-group sizes",
    "work_group_compact 64 32",
    "",
    "the work-group size is given twice, as 64 and 32",
    "32",
  ],
  [
    "no comma",
    "work_group_compact work_group_allocate 64",
    "",
    "work_group_allocate is neither a work-group size, nor subgroups, nor a setting such as algorithm=blelloch; functions are divided by commas",
    "work_group_allocate",
  ],
  [
    "nothing",
    "",
    "",
    "a directive takes functions, divided by commas, and then their settings, as in // wavefold: work_group_scan_exclusive_add_u32 256",
  ],
  [
    "an unknown setting",
    "work_group_compact 64 size=3",
    "",
    "size is not a setting; it takes algorithm, counter, capacity, items, bits, suffix, min_subgroup_size, max_subgroup_size",
    "size=3",
  ],
  ["a setting of nothing", "work_group_compact 64 suffix=", "", "suffix= is neither a work-group size"],
  ["a setting twice", "work_group_compact 64 suffix=a suffix=b", "", "suffix is given twice"],
  ["subgroups twice", "work_group_compact 64 subgroups subgroups", "", "subgroups is given twice"],
  [
    "an unknown algorithm",
    "work_group_compact 64 algorithm=best",
    "",
    'work_group_compact: algorithm is "best"; it takes blelloch, hillis-steele, subgroup',
  ],
  [
    "subgroups and an algorithm without",
    "work_group_compact 64 subgroups algorithm=blelloch",
    "",
    "subgroups and algorithm=blelloch contradict each other; leave one of them out",
    "algorithm",
  ],
  [
    "an algorithm for a thread tile",
    "thread_tile_8_reduce_add_u32 64 algorithm=blelloch",
    "",
    "algorithm means nothing to thread_tile_8_reduce_add_u32; it is for work_group_ and coalesced_ functions",
  ],
  [
    "a counter that nobody takes",
    "work_group_compact 64 counter=bump.used",
    "",
    "counter means nothing to work_group_compact; it is for _update functions and work_group_allocate",
    "counter=bump.used",
  ],
  [
    "a capacity that nobody takes",
    "work_group_compact 64 capacity=3",
    "",
    "capacity means nothing to work_group_compact; it is for work_group_allocate",
  ],
  [
    "a counter that is missing",
    "work_group_allocate 64",
    "",
    "work_group_allocate takes a counter: an atomic<u32>, by its name in the kernel, such as counter=bump.used",
  ],
  [
    "a counter that is missing for an update",
    "work_group_compact_update 64",
    "",
    "work_group_compact_update takes a counter",
  ],
  [
    "a counter that is no name",
    "work_group_allocate 64 counter=a+b",
    "",
    'work_group_allocate: counter is "a+b"; it takes the atomic\'s name in the kernel',
  ],
  [
    "a counter on a type without atomics",
    "work_group_scan_inclusive_add_u64_update 64 counter=bump.used",
    "",
    "WGSL's atomics have 32 bits; a counter takes u32, i32, f32 or f16",
  ],
  [
    "a capacity that is too large",
    "work_group_allocate 64 counter=bump.used capacity=4294967296",
    "",
    "capacity is 4294967296; it takes a whole number from 0 to 2^32 - 1, or a WGSL expression of u32",
  ],
  [
    "a capacity that does not end",
    "work_group_allocate 64 counter=bump.used capacity=min(1u,2u",
    "",
    "work_group_allocate: the capacity: '(' is not closed",
  ],
  [
    "a suffix that is no name",
    "work_group_compact 64 suffix=a-b",
    "",
    'work_group_compact: suffix is "a-b"; it takes letters, digits and _',
  ],
  [
    "a least subgroup size that is none",
    "work_group_compact 64 min_subgroup_size=5",
    "",
    "min_subgroup_size is 5; it takes 4, 8, 16, 32, 64 or 128",
  ],
  [
    "a least subgroup size in words",
    "work_group_compact 64 min_subgroup_size=few",
    "",
    "min_subgroup_size=few: it takes 4, 8, 16, 32, 64 or 128",
  ],
  [
    "what is not called",
    "work_group_scan_exclusive_add_u32 64",
    "",
    "work_group_scan_exclusive_add_u32 is asked for, and not called; the kernel calls no such function",
    "work_group_scan_exclusive_add_u32",
  ],
  [
    "what is called by another name",
    "work_group_scan_exclusive_add_u32 64",
    RANK.replace("u32", "i32"),
    "work_group_scan_exclusive_add_u32 is asked for, and not called; the kernel calls work_group_scan_exclusive_add_i32",
  ],
  [
    "what is called in a comment",
    "work_group_scan_exclusive_add_u32 64",
    `// ${RANK}`,
    "is asked for, and not called",
  ],
  [
    "the second function that is not called",
    "work_group_scan_exclusive_add_u32, work_group_scan_exclusive_add_u32_total 64",
    RANK,
    "work_group_scan_exclusive_add_u32_total is asked for, and not called",
    "work_group_scan_exclusive_add_u32_total",
  ],
  [
    "what is called without its suffix",
    "work_group_scan_exclusive_add_u32 64 suffix=own",
    RANK,
    "work_group_scan_exclusive_add_u32_own is asked for, and not called",
  ],
])("%s is an error at its line", (_, directive, statements, message, word = "wavefold") => {
  const text = `  // wavefold: ${directive}`;
  const error = errorOf(kernel(`// a comment\n\n${text}`, statements));
  expect(error.message).toMatch(/^in\.wgsl, line 3: [^\n]+$/);
  expect(error.message).toContain(message);
  expect(error.line).toBe(3);
  expect(error.column).toBeGreaterThan(0);
  if (word !== "wavefold") {
    expect(text.slice(error.column - 1)).toMatch(new RegExp(`^${word}(?!\\w)`));
  }
});

test("a size that cannot be read off the file is asked for", () => {
  const ask = "// wavefold: work_group_scan_exclusive_add_u32";
  const missing = "in.wgsl, line 1: the work-group size is missing, and the file";
  expect(errorOf(kernel(ask, RANK, "THREADS")).message).toContain(
    `${missing} has a @workgroup_size that is not written in numbers; write it after the functions, as in`,
  );
  expect(errorOf(kernel(ask, RANK, "max(8, 4)")).message).toContain("not written in numbers");
  expect(errorOf(`${ask}\nfn main() { ${RANK} }`).message).toContain(`${missing} has no @workgroup_size;`);
  expect(errorOf(`${kernel(ask, RANK)}@compute @workgroup_size(64) fn b() {}`).message).toContain(
    `${missing} has 2 @workgroup_size;`,
  );
  // One that is not in numbers may be anything.
  expect(linkDirectives(kernel(ASK.replace("64", "96"), RANK, "THREADS"))).toContain(
    ": array<u32, 2u * 96u>;",
  );
});

test("directives that clash are an error at the second", () => {
  const allocate = (counter: string): string => `// wavefold: work_group_allocate 64 counter=${counter}`;
  const call = "_ = work_group_allocate(1u, local_index);";
  const clash = errorOf(kernel(`${allocate("bump.used")}\n\n${allocate("list")}\n${ASK}`, `${call} ${RANK}`));
  expect(clash.message).toMatch(
    /^in\.wgsl, line 3: two functions named \w+ differ; give one of them another name, with suffix=name$/,
  );
  expect(clash.line).toBe(3);
  const sizes = errorOf(`${ASK}\nfn a() { ${RANK} }\n${ASK.replace("64", "32")}`);
  expect(sizes.message).toBe(
    "in.wgsl, line 3: the kernel calls work_group_scan_exclusive_add_u32, which is given for several work-group sizes; call work_group_scan_exclusive_add_u32_64 or work_group_scan_exclusive_add_u32_32",
  );
});

test("a name of theirs that the kernel declares is an error at its line", () => {
  const error = errorOf(`${ASK}\nfn a() { ${RANK} }\n\nfn _combine_add_u32_64() {}`);
  expect(error.message).toBe(
    "in.wgsl, line 4: the name _combine_add_u32_64 is taken by a linked function; choose another, or if the text is linked already, leave its // wavefold: lines out",
  );
});

test("a text without a name is a kernel, and what is no text is refused", () => {
  expect(() => linkDirectives("\n// wavefold: nothing 4")).toThrow(
    "kernel, line 2: nothing is not a function",
  );
  for (const [given, shown] of [
    [3, "3"],
    [undefined, "undefined"],
    [null, "null"],
    [Buffer.from("fn main() {}"), "of the class Uint8Array"],
    [Promise.resolve(""), "of the class Promise"],
    [["fn main() {}"], "of the class Array"],
  ] as const) {
    const call = () => linkDirectives(given as unknown as string);
    expect(call).toThrow(ArgumentError);
    expect(call).toThrow(`linkDirectives: source is ${shown}; it takes WGSL text, as a string`);
  }
});

test("a byte order mark is not text", () => {
  const source = kernel(ASK, RANK);
  expect(linkDirectives(`\uFEFF${source}`)).toBe(linkDirectives(source));
  expect(linkDirectives("\uFEFFfn main() {}")).toBe("fn main() {}");
  const call = () => linkDirectives("\uFEFF// wavefold: nothing 4");
  expect(call).toThrow(expect.objectContaining({ line: 1, column: 14, source: "// wavefold: nothing 4" }));
});

describe("a function that the kernel calls, and neither declares nor asks for,", () => {
  const refused = (source: string): string => {
    const { message, line, column } = errorOf(source);
    const called = source.split("\n")[line - 1]?.slice(column - 1) ?? "";
    const [, name = ""] = /line \d+: (\w+)/.exec(message) ?? [];
    expect(called).toMatch(name === "a" ? /^\/\/ *wavefold/i : RegExp(`^${name}\\(`));
    return message;
  };

  test.each([
    ["work_group_reduce_max_u32(1u, local_index)", "work_group_reduce_max_u32 64"],
    ["work_group_reduce_max_u32_32(1u, local_index)", "work_group_reduce_max_u32 32"],
    ["coalesced_scan_exclusive_add_f32(1f, true, local_index)", "coalesced_scan_exclusive_add_f32 64"],
    ["thread_tile_8_shuffle_xor_u32(1u, 1u, local_index)", "thread_tile_8_shuffle_xor_u32 64"],
    ["work_group_sort_pairs_u32_u32(1u, 1u, local_index)", "work_group_sort_pairs_u32_u32 64"],
    ["work_group_compact_update(true, local_index)", "work_group_compact_update 64 counter=NAME"],
    ["identity_max_f32()", "identity_max_f32"],
    ["mul_f64(vec2(1u), vec2(1u))", "mul_f64"],
    ["bits_from_f16(1u)", "bits_from_f16"],
  ])("is an error at the call: %s", (call, directive) => {
    const message = `is called, and neither declared nor asked for; write // wavefold: ${directive}, or give the text to link() alone`;
    for (const asked of ["", ASK]) {
      const statements = `_ = ${call}; ${asked && RANK}`;
      expect(refused(kernel(`// a comment\n${asked}`, statements))).toBe(
        `in.wgsl, line 13: ${call.slice(0, call.indexOf("("))} ${message}`,
      );
    }
  });

  test("is asked for with the example's size, if the text has several or none", () => {
    expect(refused(`fn a() { ${RANK} }`)).toContain("work_group_scan_exclusive_add_u32 256, or");
    expect(refused(kernel("", RANK, "THREADS"))).toContain("work_group_scan_exclusive_add_u32 256, or");
  });

  test.each(["// wavefold", "//wavefold ;", "// Wavefold -"])(
    "is an error at a comment without the colon: %s",
    (start) => {
      expect(refused(kernel(`\n${start} work_group_scan_exclusive_add_u32 64`, RANK))).toBe(
        "in.wgsl, line 2: a directive has a colon after the word wavefold, as in // wavefold: work_group_scan_exclusive_add_u32 256",
      );
      // The same of an operator of the caller's, which no directive asks for.
      const least = RANK.replace("add_u32", "least_u32");
      expect(refused(kernel(`${start} work_group_scan_exclusive_least_u32 64`, least))).toContain(
        "has a colon",
      );
    },
  );

  test.each([
    [
      "that the kernel declares",
      "fn work_group_reduce_max_u32(x: u32) -> u32 { return x; }\n@compute @workgroup_size(64) fn main() { _ = work_group_reduce_max_u32(1u); }",
    ],
    [
      "that is a struct of the kernel's",
      "struct work_group_split { x: u32 }\nfn main() { _ = work_group_split(1u); }",
    ],
    ["in a comment", "// work_group_reduce_max_u32(1u)\n/* wavefold work_group_split() */ fn main() {}"],
    ["that is a variable", "fn main() { let work_group_split = 1u; _ = (work_group_split); _ = a.mul_f64; }"],
    [
      "of an operator of the caller's, which link() takes",
      "fn main() { _ = work_group_reduce_least_u32(1u, 0u); }",
    ],
    [
      "of another file, by a name that is none of ours",
      "fn main() { _ = work_group_index(0u); _ = load_u64(1u); _ = identity_matrix(); }",
    ],
    [
      "in text for a preprocessor",
      "#import wavefold::sums\nfn main() { _ = work_group_reduce_max_u32(1u, 0u); }",
    ],
    [
      "that is imported",
      "import package::sums::work_group_reduce_max_u32;\nfn main() { _ = work_group_reduce_max_u32(1u, 0u); }",
    ],
    ["with a comment that only mentions it", "// wavefold is quick\nfn main() {}"],
  ])("is none %s", (_, source) => {
    expect(linkDirectives(source)).toBe(source);
  });

  test("is none of a text that is linked already", () => {
    const code = link(kernel("", RANK), [workGroupScan({ type: u32, workGroupSize: 64 })]);
    expect(linkDirectives(code)).toBe(code);
  });
});
