import Table from "cli-table3";
import type { AtHandOutcome, AtHandRow } from "./at_hand.ts";
import { partNames } from "./bus.ts";
import type { Host } from "./host.ts";
import { headOf } from "./host.ts";
import { plain } from "./report.ts";
import { formatLength } from "./sizes.ts";
import type { Timing } from "./timer.ts";

/** A run of `--at-hand`, as its JSON file has it. */
export interface AtHandReport extends Host, Omit<AtHandOutcome, "rows"> {
  readonly atHand: readonly AtHandRow[];
}

const titleOf = ({ primitive, type }: AtHandRow): string =>
  primitive === "compact" ? `compact<${type}>` : `${primitive}<${type}, add>`;

/** Microseconds as milliseconds, of three digits; of what is short, four decimals. */
const decimalsOf = (microseconds: number): number =>
  microseconds >= 1e5 ? 0 : microseconds >= 1e4 ? 1 : microseconds >= 1000 ? 2 : microseconds >= 10 ? 3 : 4;

const milliseconds = (microseconds: number, decimals = decimalsOf(microseconds)): string =>
  (microseconds / 1000).toFixed(decimals);

/** `23.2 ±0.4`: half of what lies between the quartiles. */
const timeOf = ({ median, quartiles: [low, high] }: Timing): string =>
  `${milliseconds(median)} ±${milliseconds((high - low) / 2, decimalsOf(median))}`;

const ratioOf = (ratio: number): string => (ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2));

/** Rows by what they time, each in the order of their lengths. */
function groupsOf(rows: readonly AtHandRow[]): [string, AtHandRow[]][] {
  const groups = new Map<string, AtHandRow[]>();
  for (const row of rows) {
    groups.set(titleOf(row), [...(groups.get(titleOf(row)) ?? []), row]);
  }
  return [...groups].map(([title, own]) => [title, own.sort((a, b) => a.length - b.length)]);
}

function tableOf(rows: readonly AtHandRow[]): string {
  const head = [
    ...["length", "loop", "there and back"],
    ...["memcpy in", "copy in", "copy out", "memcpy out"],
    ...["first call", "call", "x parts", "x loop"],
  ];
  const table = new Table({ ...plain, head, colAligns: head.map((_, at) => (at === 0 ? "left" : "right")) });
  for (const { length, loop, copy, parts, first, call, toParts, toLoop } of rows) {
    table.push([
      ...[formatLength(length), timeOf(loop), timeOf(copy)],
      ...partNames.map((name) => timeOf(parts[name])),
      ...[milliseconds(first), timeOf(call), ratioOf(toParts), ratioOf(toLoop)],
    ]);
  }
  return table.toString();
}

/** From which of the lengths on the call was faster than the loop. The rows are in the order of their lengths. */
export function crossingOf(rows: readonly AtHandRow[]): string {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) {
    return "";
  }
  const title = `${titleOf(first)} at hand`;
  const slower = rows.filter(({ toLoop }) => toLoop <= 1);
  const slowest = slower.at(-1);
  const from = rows.find(({ length }) => length > (slowest?.length ?? 0));
  if (from !== undefined) {
    return `On this machine, ${title} is faster than the loop from ${formatLength(from.length)} on, of the lengths that were timed.`;
  }
  const faster = rows.filter(({ toLoop }) => toLoop > 1).map(({ length }) => formatLength(length));
  return faster.length === 0
    ? `On this machine, ${title} was never faster than the loop, up to ${formatLength(last.length)}.`
    : `On this machine, ${title} was faster than the loop at ${faster.join(", ")}, but not at ${formatLength(last.length)}.`;
}

/** Where a run takes place, for the terminal. */
export const atHandHead = (host: Host): string =>
  [
    headOf(host),
    `${host.cpu}; Node.js ${host.node}`,
    ...(host.device.software
      ? ["This is a software adapter, which computes on the CPU: these figures say nothing about a GPU."]
      : []),
  ].join("\n");

/** A row as a line of its own, for a run that goes on. */
export const atHandLine = (row: AtHandRow): string =>
  `${`${titleOf(row)} at ${formatLength(row.length)}`.padEnd(28)} ms: loop ${timeOf(row.loop)}, call ${timeOf(row.call)}, x loop ${ratioOf(row.toLoop)}`;

/** What the terminal shows of a run at its end. {@link atHandHead} stands above it. */
export function atHandText({ atHand, notes, wrong }: AtHandReport): string {
  const counts = atHand.flatMap(({ loop, call }) => [loop.runs, call.runs]);
  const runs = [...new Set([Math.min(...counts), Math.max(...counts)])].join(" to ");
  const lines = [
    ...(atHand.length === 0
      ? ["Nothing was timed."]
      : [
          `Milliseconds by the host's clock: the median of ${runs} warm runs, ± half of what lies between the quartiles. Every element was verified.`,
          `"loop": on the CPU, into an array that exists. "there and back": the call's bytes to the GPU and back by plain WebGPU. The next four columns are its parts, one after another. "first call": on a new device, so it compiles. "x parts": the call over the sum of its parts. "x loop": the loop over the call; over 1, the call is faster.`,
        ]),
    ...groupsOf(atHand).flatMap(([title, rows]) => [
      "",
      `${title} at hand${title.startsWith("compact") ? ", half kept" : ""}`,
      tableOf(rows),
      crossingOf(rows),
    ]),
    ...(notes.length + wrong.length === 0 ? [] : [""]),
    ...notes.map((note) => `note: ${note}`),
    ...wrong.map((one) => `WRONG: ${one}`),
  ];
  return lines.join("\n");
}
