// Times calls at hand on the CPU beside loops by hand that make the same results in new arrays. A call should take at most 1.2 times its loop and
// 20 microseconds of CPU; what takes up to 10 percent more is "about" met. Each row has processes of its own, in which V8 sees no other calls.
// usage: node build/bench/cpu_loops.js [--only sort,unique] [--powers 8,12,16,18,20] [--processes 3]
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { max, min, mul, openFold, or } from "wavefold/node";
import { lineOfWidths } from "./line.ts";
import { wordAt, wordsBy } from "./words.ts";

type Fold = Awaited<ReturnType<typeof openFold>>;

/** What calls and loops read. Segments, runs and counts have 8 elements, those at heads and of keys on average. */
function dataOf(length: number) {
  const other = (salt: number, count = length) => wordsBy(count, (at) => wordAt(at ^ salt));
  const words = other(0);
  const heads = Uint8Array.from(other(0x5a5a5a), (word, at) => Number(at === 0 || word % 8 === 0));
  let run = 0;
  const keys = wordsBy(length, (at) => {
    run += heads[at] as number;
    return wordAt(run);
  });
  return {
    words,
    floats: Float32Array.from(words, (word) => word / 2 ** 31 - 1),
    longs: new BigUint64Array(other(0x777777, 2 * length).buffer),
    heads,
    keys,
    offsets: Uint32Array.from([...heads.keys(), length].filter((at) => heads[at] !== 0)),
    sorted: words.slice().sort(),
    few: words.map((word) => word % 64),
    places: other(0x333333).map((word) => word % length),
    runs: words.subarray(0, length / 8),
    counts: other(0x111111, length / 8).map((word) => word % 16),
  };
}

type Data = ReturnType<typeof dataOf>;
type Loop = (data: Data) => unknown;
type Row = readonly [name: string, call: (fold: Fold, data: Data) => Promise<unknown>, loop: Loop];

/** A loop of a text over the arrays of the data. So no two rows share a function, even where they share a text. */
const loopOf = (text: string): Loop =>
  new Function(`{ ${Object.keys(dataOf(8)).join(", ")} }`, `{ ${text} }`) as Loop;

/** A loop over all elements `x` of an array. */
const over = (data: string, before: string, each: string, result: string): Loop =>
  loopOf(`${before}
    for (let at = 0; at < ${data}.length; at++) { const x = ${data}[at]; ${each} }
    return ${result};`);

const OUT = "const out = new Uint32Array(words.length);";
const ADD = "(sum + x) | 0";
const KEPT = "out.slice(0, count)";

/** Folds segments, and stores each total, or each prefix. `next` is what `sum` and an element `x` combine to. */
const folded = (data: string, begin: string, end: string, start: string, next: string, isScan = false) =>
  loopOf(`const count = ${end.includes("8") ? `${data}.length / 8` : "offsets.length - 1"};
    const out = new ${data}.constructor(${isScan ? `${data}.length` : "count"});
    for (let row = 0; row < count; row++) {
      let sum = ${start};
      for (let at = ${begin}, end = ${end}; at < end; at++) {
        const x = ${data}[at];
        sum = ${next};
        ${isScan ? "out[at] = sum;" : ""}
      }
      ${isScan ? "" : "out[row] = sum;"}
    }
    return out;`);
const rowsOf = (data: string, start: string, next: string, isScan = false) =>
  folded(data, "8 * row", "8 * row + 8", start, next, isScan);
const offsetsOf = (data: string, start: string, next: string) =>
  folded(data, "offsets[row]", "offsets[row + 1]", start, next);

/** Leaves out elements that are equal to the one before. */
const uniqueOf = (data: string): string => `let count = 1, before = ${data}[0];
  out[0] = before;
  for (let at = 1; at < ${data}.length; at++) {
    const x = ${data}[at];
    out[count] = x;
    count += Number(x !== before);
    before = x;
  }
  return ${KEPT};`;

/** A radix sort by digits of 11 bits. Elements are as many words; `toKey` makes a key of the bits `x`, and `toBits` bits of a key. */
function radixSort(words: string, size: 1 | 2, toKey: string, toBits: string, result: string): Loop {
  const digits = Array.from({ length: 3 * size }, (_, digit) => digit);
  const value = (digit: number, key: string): string =>
    `${2048 * digit} + ((${key} >>> ${11 * (digit % 3)}) & 2047)`;
  const keyAt = (digit: number, from: string): string => `${from}[${size} * at + ${Math.floor(digit / 3)}]`;
  const pass = (digit: number): string => {
    const [from, to] = digit === 0 ? ["given", "out"] : digit % 2 === 0 ? ["aside", "out"] : ["out", "aside"];
    const [first, last] = [digit === 0 ? toKey : "x", digit === digits.length - 1 ? toBits : "x"];
    const move =
      size === 2
        ? `${to}[place] = ${from}[2 * at]; ${to}[place + 1] = ${from}[2 * at + 1];`
        : `x = ${last}; ${to}[place] = x;`;
    return `for (let at = ${2048 * digit}, sum = 0; at < ${2048 * digit + 2048}; at++) {
        const count = counts[at];
        counts[at] = sum;
        sum += count;
      }
      for (let at = 0; at < length; at++) {
        let x = ${keyAt(digit, from as string)};
        x = ${first};
        const place = ${size} * counts[${value(digit, "x")}]++;
        ${move}
      }`;
  };
  return loopOf(`const given = ${words}, length = given.length / ${size};
    const out = new Uint32Array(given.length), aside = new Uint32Array(given.length);
    const counts = new Uint32Array(${2048 * digits.length});
    for (let at = 0; at < length; at++) {
      ${digits
        .map((digit) => `{ let x = ${keyAt(digit, "given")}; x = ${toKey}; counts[${value(digit, "x")}]++; }`)
        .join("\n")}
    }
    ${digits.map(pass).join("\n")}
    ${result}`);
}

/** The 16 greatest elements and their positions, by insertion. */
const greatest = (data: string, least: string): Loop =>
  over(
    data,
    `const values = new ${data}.constructor(16).fill(${least}), indices = new Uint32Array(16); let last = ${least};`,
    `if (x > last) {
      let to = 15;
      for (; to > 0 && values[to - 1] < x; to--) { values[to] = values[to - 1]; indices[to] = indices[to - 1]; }
      values[to] = x;
      indices[to] = at;
      last = values[15];
    }`,
    "{ values, indices }",
  );

const rows: readonly Row[] = [
  [
    "reduce rows",
    (fold, { words }) => fold.reduce(words, { segments: { rows: 8 } }),
    rowsOf("words", "0", ADD),
  ],
  [
    "reduce offsets",
    (fold, { words, offsets }) => fold.reduce(words, { segments: { offsets } }),
    offsetsOf("words", "0", ADD),
  ],
  [
    "reduce heads",
    (fold, { words, heads }) => fold.reduce(words, { segments: { heads } }),
    over(
      "words",
      `${OUT} let count = 0, sum = 0;`,
      `if (heads[at] !== 0 && at > 0) { out[count++] = sum; sum = 0; } sum = ${ADD};`,
      "(out[count++] = sum, out.slice(0, count))",
    ),
  ],
  [
    "reduce keys",
    (fold, { words, keys }) => fold.reduce(words, { segments: { keys } }),
    over(
      "words",
      `${OUT} const first = new Uint32Array(words.length); let count = 0, sum = 0, key = keys[0];`,
      `if (keys[at] !== key) { out[count] = sum; first[count++] = key; sum = 0; key = keys[at]; } sum = ${ADD};`,
      "(out[count] = sum, first[count++] = key, { keys: first.slice(0, count), values: out.slice(0, count) })",
    ),
  ],
  [
    "scan rows",
    (fold, { words }) => fold.scan(words, { segments: { rows: 8 } }),
    rowsOf("words", "0", ADD, true),
  ],
  [
    "scan heads",
    (fold, { words, heads }) => fold.scan(words, { segments: { heads } }),
    over("words", `${OUT} let sum = 0;`, `out[at] = sum = heads[at] !== 0 ? x : ${ADD};`, "out"),
  ],
  [
    "scan keys",
    (fold, { words, keys }) => fold.scan(words, { segments: { keys } }),
    over(
      "words",
      `${OUT} let sum = 0, key = 0;`,
      `const next = keys[at]; out[at] = sum = next !== key ? x : ${ADD}; key = next;`,
      "out",
    ),
  ],
  [
    "max rows",
    (fold, { words }) => fold.reduce(words, { op: max, segments: { rows: 8 } }),
    rowsOf("words", "0", "x > sum ? x : sum"),
  ],
  [
    "mul rows",
    (fold, { words }) => fold.reduce(words, { op: mul, segments: { rows: 8 } }),
    rowsOf("words", "1", "Math.imul(sum, x)"),
  ],
  [
    "or offsets",
    (fold, { words, offsets }) => fold.reduce(words, { op: or, segments: { offsets } }),
    offsetsOf("words", "0", "sum | x"),
  ],
  [
    "max rows f32",
    (fold, { floats }) => fold.reduce(floats, { op: max, segments: { rows: 8 } }),
    rowsOf("floats", "-Infinity", "Math.max(sum, x)"),
  ],
  [
    "min offsets f32",
    (fold, { floats, offsets }) => fold.reduce(floats, { op: min, segments: { offsets } }),
    offsetsOf("floats", "Infinity", "Math.min(sum, x)"),
  ],
  [
    "scan rows by max",
    (fold, { words }) => fold.scan(words, { op: max, segments: { rows: 8 } }),
    rowsOf("words", "0", "x > sum ? x : sum", true),
  ],
  [
    "histogram f32",
    (fold, { floats }) => fold.histogram(floats, { bins: 256, range: [-1, 1] }),
    over(
      "floats",
      "const out = new Uint32Array(256);",
      "if (x >= -1 && x <= 1) { out[Math.min(((x + 1) * 128) | 0, 255)]++; }",
      "out",
    ),
  ],
  [
    "histogram u32",
    (fold, { words }) => fold.histogram(words, { bins: 100, range: [0, 2 ** 32] }),
    over("words", "const out = new Uint32Array(100);", "out[((x * 100) / 2 ** 32) | 0]++;", "out"),
  ],
  [
    "weights u32",
    (fold, { words, keys }) => fold.histogram(words, { bins: 64, bin: "x % 64u", weights: keys }),
    over("words", "const out = new Uint32Array(64);", "out[x % 64] += keys[at];", "out"),
  ],
  [
    "weights f32",
    (fold, { words, floats }) => fold.histogram(words, { bins: 64, bin: "x % 64u", weights: floats }),
    over("words", "const out = new Float64Array(64);", "out[x % 64] += floats[at];", "new Float32Array(out)"),
  ],
  [
    "scan map u32",
    (fold, { words }) => fold.scan(words, { map: "x >> 4u" }),
    over("words", `${OUT} let sum = 0;`, "out[at] = sum = (sum + (x >>> 4)) | 0;", "out"),
  ],
  [
    "scan map f32",
    (fold, { floats }) => fold.scan(floats, { map: "x * x" }),
    over(
      "floats",
      "const out = new Float32Array(floats.length); let sum = 0;",
      "out[at] = sum = Math.fround(sum + Math.fround(x * x));",
      "out",
    ),
  ],
  ["unique any", (fold, { words }) => fold.unique(words), loopOf(OUT + uniqueOf("words"))],
  ["unique sorted", (fold, { sorted }) => fold.unique(sorted), loopOf(OUT + uniqueOf("sorted"))],
  [
    "unique sort",
    (fold, { few }) => fold.unique(few, { sort: true }),
    radixSort("few", 1, "x", "x", uniqueOf("out")),
  ],
  [
    "gather",
    (fold, { words, places }) => fold.gather(words, places),
    over("places", OUT, "out[at] = words[x];", "out"),
  ],
  [
    "scatter",
    (fold, { words, places }) => fold.scatter(words, places, { length: words.length }),
    over("places", OUT, "out[x] = words[at];", "out"),
  ],
  [
    "compact map",
    (fold, { words }) => fold.compact(words, { where: "(x & 1u) == 1u", map: "x >> 1u" }),
    over("words", `${OUT} let count = 0;`, "out[count] = x >>> 1; count += x & 1;", KEPT),
  ],
  [
    "partition in 8",
    async (fold, { words }) => (await fold.partition(words, { classes: 8, class: "x % 8u" })).values,
    over(
      "words",
      `const classes = new Uint8Array(words.length), next = new Int32Array(8);
      for (let at = 0; at < words.length; at++) { next[classes[at] = words[at] & 7]++; }
      for (let at = 0, sum = 0; at < 8; at++) { const count = next[at]; next[at] = sum; sum += count; }
      ${OUT}`,
      "out[next[classes[at]]++] = x;",
      "out",
    ),
  ],
  ["topK 16", (fold, { words }) => fold.topK(words, 16), greatest("words", "0")],
  ["topK 16 f32", (fold, { floats }) => fold.topK(floats, 16), greatest("floats", "-Infinity")],
  [
    "expandRuns",
    (fold, { runs, counts }) => fold.expandRuns(runs, counts),
    over(
      "runs",
      `let length = 0, to = 0;
      for (let run = 0; run < counts.length; run++) { length += counts[run]; }
      const out = new Uint32Array(length);`,
      "for (const end = to + counts[at]; to < end; to++) { out[to] = x; }",
      "out",
    ),
  ],
  [
    "searchSorted",
    (fold, { sorted, words }) => fold.searchSorted(sorted, words),
    over(
      "words",
      OUT,
      `let from = 0, to = sorted.length;
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (sorted[middle] < x) { from = middle + 1; } else { to = middle; }
      }
      out[at] = from;`,
      "out",
    ),
  ],
  ["sort u32", (fold, { words }) => fold.sort(words), radixSort("words", 1, "x", "x", "return out;")],
  [
    "sort f32",
    (fold, { floats }) => fold.sort(floats),
    radixSort(
      "new Uint32Array(floats.buffer)",
      1,
      "(x ^ ((x >> 31) | 0x80000000)) >>> 0",
      "x ^ ((~x >> 31) | 0x80000000)",
      "return new Float32Array(out.buffer);",
    ),
  ],
  [
    "sort u64",
    (fold, { longs }) => fold.sort(longs),
    radixSort("new Uint32Array(longs.buffer)", 2, "x", "x", "return new BigUint64Array(aside.buffer);"),
  ],
];

/** Microseconds of CPU before samples count, and how many there are. */
const WARM_UP = 200_000;
const SAMPLES = 25;

/** CPU of the process so far, in microseconds. */
const used = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** The samples of a call and its loop, in turn, once V8 has compiled both; so many runs in a sample that the clock can tell. */
async function timed([name, call, loop]: Row, fold: Fold, length: number): Promise<readonly number[][]> {
  const data = dataOf(length);
  if (!isDeepStrictEqual(await call(fold, data), loop(data))) {
    throw new Error(`${name} of ${length} elements: the call and its loop differ`);
  }
  const works = [() => call(fold, data), () => loop(data)];
  const samples: number[][] = [[], []];
  const repeats = Math.max(1, 2 ** 15 / length);
  const begun = used();
  let first = 0;
  for (let turn = 0; turn < first + SAMPLES; turn++) {
    first = used() - begun < WARM_UP ? turn : first;
    for (const [at, work] of works.entries()) {
      const start = used();
      for (let run = 0; run < repeats; run++) {
        await work();
      }
      samples[at]?.push((used() - start) / repeats);
    }
  }
  return samples.map((own) => own.slice(first));
}

const quartile = (samples: readonly number[]): number =>
  [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 4)] as number;

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, powers: text, processes: text, row: text } });
const powers = (values.powers ?? "8,12,16,18,20").split(",").map(Number);

/** Times a row in this process, and prints its samples. */
async function timeRow(row: Row): Promise<void> {
  const fold = await openFold({ cpu: "always" });
  const samples: (readonly number[][])[] = [];
  for (const power of powers) {
    samples.push(await timed(row, fold, 2 ** power));
  }
  console.log(JSON.stringify(samples));
  fold.destroy();
}

/** Times rows in processes of their own, and prints the table. */
function timeRows(): void {
  const line = lineOfWidths([18, 7, 10, 10, 7, 6]);
  console.log(line(["", "length", "call", "loop", "ratio", ""]));
  const wanted = values.only?.split(",") ?? [""];
  const taken = rows.filter(([name]) => wanted.some((part) => name.includes(part)));
  if (taken.length === 0) {
    throw new Error(`no row has one of ${wanted.join(", ")} in its name`);
  }
  for (const [name] of taken) {
    const script = [fileURLToPath(import.meta.url), "--row", name, "--powers", powers.join(",")];
    const found = Array.from({ length: Number(values.processes ?? 3) }, () => {
      const { stdout, stderr, status } = spawnSync(process.execPath, script, { encoding: "utf8" });
      if (status !== 0) {
        throw new Error(stderr);
      }
      return JSON.parse(stdout) as readonly number[][][];
    });
    for (const [at, power] of powers.entries()) {
      const of = (work: 0 | 1): number => quartile(found.flatMap((samples) => samples[at]?.[work] ?? []));
      const [call, loop] = [of(0), of(1)];
      const limit = 1.2 * loop + 20;
      const met = call <= limit ? "met" : call <= 1.1 * limit ? "about" : "short";
      const ratio = ((call - 20) / loop).toFixed(2);
      console.log(line([name, `2^${power}`, call.toFixed(1), loop.toFixed(1), ratio, met]));
    }
  }
}

const row = rows.find(([name]) => name === values.row);
if (row) {
  await timeRow(row);
} else {
  timeRows();
}
