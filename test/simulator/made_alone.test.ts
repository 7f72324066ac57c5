import { expect, test } from "vitest";
import { Machine } from "../../src/simulator/machine/machine.ts";
import { Memory, StorageRange } from "../../src/simulator/machine/memory.ts";
import { Program, readModule } from "../../src/simulator/program.ts";

// A program that has run many threads is made anew, for itself alone. All that it does and finds stays.

const THREADS = 256;
const GROUPS = 512;

const code = `
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> last: array<u32>;
var<workgroup> held: array<u32, ${THREADS}>;
var<private> calls: u32 = 3u;

fn both(thread: u32) -> vec2<u32> {
  calls++;
  return vec2(held[thread], held[(thread + 1u) % ${THREADS}u]);
}

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
  held[thread] = input[thread] + group.x;
  workgroupBarrier();
  let words = both(thread);
  if (thread == group.x % ${THREADS}u) {
    sums[group.x] = words.x + words.y + both(thread).y * calls;
    last[0] = group.x;
  }
}
`;

const sumOf = (base: number, group: number): number => {
  const thread = group % THREADS;
  const [first, second] = [thread, (thread + 1) % THREADS].map((at) => base + at + group) as [number, number];
  return first + second + second * 5;
};

test("a program that is made anew gives the same words and findings", () => {
  const program = new Program(readModule(code), "main");
  const machine = new Machine({ seed: 1 });
  machine.context = { file: "test", entryPoint: "main", sites: program.sites };
  const messages = [1000, 2000, 3000].map((base) => {
    const memories = [THREADS, GROUPS, 1].map((words) => new Memory(4 * words, `of ${words} words`));
    const [input, sums] = memories as [Memory, Memory];
    input.words.set(input.words.map((_, at) => base + at));
    const ranges = memories.map((memory, binding): [string, StorageRange] => [
      `0,${binding}`,
      new StorageRange(memory, 0, memory.bytes.length, binding > 0),
    ]);
    const before = machine.findings.length;
    program.run(machine, [GROUPS, 1, 1], new Map(ranges));
    expect([...sums.words]).toEqual(Array.from({ length: GROUPS }, (_, group) => sumOf(base, group)));
    return machine.findings.slice(before).map(({ message }) => message);
  });
  const found = [
    'thread 1 of work-group (1, 0, 0) writes word 0 of last, buffer "of 1 words" at line 20 (in main), which thread 0 of work-group (0, 0, 0) wrote at line 20 (in main); nothing orders work-groups of one dispatch',
  ];
  expect(messages).toEqual([found, found, found]);
});
