import { expect, test } from "vitest";
import { runProgram } from "../run_program.ts";

/** Two ways in which the threads of a function come by a place: each for itself, and all together. */
const meetings = {
  "where threads do not meet": "fn meet() {}",
  "where threads meet": "fn meet() { _ = subgroupElect(); }",
} as const;

/** What the bodies of functions may use. `same` and `truth` give what they get. Threads may meet in them. */
const common = `
enable subgroups, f16;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> trace: u32;
fn same(x: u32) -> u32 { meet(); return x; }
fn truth(x: bool) -> bool { meet(); return x; }
/** Notes the order of calls: each adds a decimal digit. */
fn note(x: u32) -> u32 { trace = trace * 10u + x; meet(); return x; }
`;

/** A row of a table: its name, the body of \`fn work(t: u32) -> u32\`, what it gives each thread, and what the module declares for it. */
export type Row = readonly [
  name: string,
  body: string,
  expected: (t: number) => number,
  declarations?: string,
];

const THREADS = 6;

/** Runs a body in a function in which threads do not meet, and in one in which they do. */
export function testWork(rows: readonly Row[]): void {
  for (const [place, meet] of Object.entries(meetings)) {
    const named = rows.map(([name, ...row]) => ({ name, row }));
    test.each(named)(`$name, ${place}`, ({ row: [body, expected, declarations = ""] }) => {
      const code = `${common}${meet}
${declarations}
fn work(t: u32) -> u32 {
${body}
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) t: u32) { out[t] = work(t); }`;
      expect(resultsOf(code, THREADS)).toEqual(Array.from({ length: THREADS }, (_, t) => expected(t) >>> 0));
    });
  }
}

/** The words that a shader writes to its first binding. It finds nothing but threads that meet without the others. */
export function resultsOf(
  code: string,
  count: number,
  more: readonly (readonly number[] | number)[] = [],
  groups: readonly [number, number, number] = [1, 1, 1],
): readonly number[] {
  const poison = Array<number>(count).fill(0x5eadbeef);
  const { words, findings } = runProgram(code, [poison, ...more], groups);
  expect(findings.filter(({ kind }) => kind !== "divergence")).toEqual([]);
  return Array.from(words[0] ?? [], (word) => word >>> 0);
}

/** The bits of a float. */
export const bitsOf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
