import type { CpuLengths } from "../../adapters/tables.ts";
import type { Context, CpuUse } from "../device/context.ts";
import { contextWithCpu } from "../device/device.ts";
import { Fold } from "../fold.ts";

/** A call that stands for all of its kind. */
type Call = (
  fold: Fold,
  words: Uint32Array<ArrayBuffer>,
  ascending: Uint32Array<ArrayBuffer>,
) => Promise<unknown>;
/** Exact sums are left out: with them, each page would load their operator. */
type Kind = Exclude<keyof CpuLengths, "exactAdd">;

const ROW = 16;

const calls: Readonly<Record<Kind, Call>> = {
  scan: (fold, words) => fold.scan(words),
  reduce: (fold, words) => fold.reduce(words),
  sort: (fold, words) => fold.sort(words),
  argSort: (fold, words) => fold.argSort(words),
  segments: (fold, words) => fold.reduce(words, { segments: { rows: words.length / ROW } }),
  histogram: (fold, words) => fold.histogram(words, { bins: 256, range: [0, 2 ** 32] }),
  searchSorted: (fold, words, ascending) => fold.searchSorted(ascending, words),
  others: (fold, words) => fold.compact(words, { where: "x > 0x7fffffffu" }),
};

/** The most of a tuning's time in which calls are timed. */
const SHARE = 0.2;
/** The shortest and the longest calls that are timed have 2^8 and 2^20 elements. */
const LEAST = 8;
const MOST = 20;
/** A call is repeated as often as it takes to fill this time, but at least so often. The median counts. */
const ENOUGH_MS = 4;
const REPEATS = 5;

/** A fold on the same device, whose calls at hand use the CPU in another way. */
const foldWith = (context: Context, cpu: CpuUse | undefined): Fold =>
  new Fold(contextWithCpu(context, cpu), () => {});

/** How long a call takes: milliseconds. */
async function timeOf(call: () => Promise<unknown>): Promise<number> {
  // It compiles, and the next one is the first to find kept buffers.
  await call();
  await call();
  const times: number[] = [];
  const begun = performance.now();
  while (times.length < REPEATS || performance.now() - begun < ENOUGH_MS) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1] as number;
}

/**
 * Measures up to which length the CPU takes less time for calls at hand than a device does, there and back: for each kind of call, as far as
 * there is time. A greatest length of 2^20, or what `most` is the binary logarithm of, means that the CPU was never slower.
 */
export async function measureCpuLengths(
  context: Context,
  isOver: () => boolean,
  most = MOST,
): Promise<Partial<Record<Kind, number>>> {
  const [onCpu, onDevice] = [foldWith(context, {}), foldWith(context, undefined)];
  const words = Uint32Array.from({ length: 2 ** most }, (_, at) => Math.imul(at, 2654435761));
  const ascending = words.map((_, at) => 2 ** (32 - most) * at);
  const found: Partial<Record<Kind, number>> = {};
  for (const [name, call] of Object.entries(calls) as [Kind, Call][]) {
    // The CPU is taken to be faster at 2^low, and slower at 2^high.
    let [low, high] = [LEAST - 1, most + 1];
    while (high - low > 1 && !isOver()) {
      const power = (low + high) >> 1;
      const [some, sorted] = [words.subarray(0, 2 ** power), ascending.subarray(0, 2 ** power)];
      const cpu = await timeOf(() => call(onCpu, some, sorted));
      const device = await timeOf(() => call(onDevice, some, sorted));
      [low, high] = cpu <= device ? [power, high] : [low, power];
    }
    if (high - low > 1) {
      break;
    }
    found[name] = 2 ** low;
  }
  return found;
}

/** The same for a tuning that takes so many seconds. A software adapter is never faster. */
export async function tunedCpuLengths(context: Context, seconds: number): Promise<Partial<CpuLengths>> {
  const deadline = performance.now() + 1000 * SHARE * seconds;
  return context.facts.software ? {} : measureCpuLengths(context, () => performance.now() > deadline);
}
