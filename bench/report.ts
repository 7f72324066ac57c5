import Table from "cli-table3";
import type { Host } from "./host.ts";
import { lineOfWidths } from "./line.ts";
import type { RecordCost } from "./record-cost.ts";
import type { Row } from "./run.ts";
import { columnOf, MOST_ON_CPU } from "./run.ts";
import { formatLength } from "./sizes.ts";
import type { CaseSet } from "./suite.ts";

/** A run, as its JSON file has it. */
export interface Report extends Host {
  readonly rows: readonly Row[];
  readonly recording: readonly RecordCost[];
  readonly notes: readonly string[];
  readonly wrong: readonly string[];
}

/** Rows that belong into one table, and what it is called. */
export interface Group {
  readonly title: string;
  readonly primitive: Row["primitive"];
  readonly type: Row["type"];
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
  readonly lengths: readonly number[];
  /** The copies of as many elements. */
  readonly copies: readonly Row[];
}

const titleOf = ({ primitive, type, op }: Row): string =>
  primitive === "scan"
    ? `exclusive scan<${type}, ${op}>`
    : primitive === "reduce"
      ? `reduce<${type}, ${op}>`
      : primitive === "compact"
        ? `compact<${type}>, half kept`
        : primitive === "sort"
          ? `sort<${type}>`
          : `sort<${type}> with u32 values`;

/** A group for each primitive, type and operator, in the order in which they ran. */
export function groupsOf(rows: readonly Row[]): Group[] {
  const titles = new Map<string, Row[]>();
  for (const row of rows.filter(({ primitive }) => primitive !== "copy")) {
    const title = titleOf(row);
    titles.set(title, [...(titles.get(title) ?? []), row]);
  }
  return [...titles].map(([title, own]): Group => {
    const { primitive, type } = own[0] as Row;
    const lengths = [...new Set(own.map(({ length }) => length))].sort((a, b) => a - b);
    return {
      title,
      primitive,
      type,
      rows: own,
      columns: [...new Set(own.map(columnOf))],
      lengths,
      copies: lengths.flatMap((length) =>
        rows
          .filter((one) => one.primitive === "copy" && one.implementation === "copy")
          .filter((one) => one.type === type && one.length === length)
          .slice(0, 1),
      ),
    };
  });
}

/** The widths of a line's columns: what was timed, length, microseconds, copies, GB/s. */
const WIDTHS = [44, 8, 16, 8, 8] as const;

const lineFrom = lineOfWidths(WIDTHS);

/** What stands above {@link lineOf}. */
export const lineHead = lineFrom(["", "length", "µs", "copies", "GB/s"]);

/** A row as a line of its own, for a run that goes on. */
export function lineOf(row: Row): string {
  const isCopy = row.primitive === "copy";
  const column = columnOf(row);
  const by = isCopy || column === "wavefold" ? "" : `, ${column.replace(/^wavefold /, "")}`;
  return lineFrom([
    `${isCopy ? `copy<${row.type}>` : titleOf(row)}${by}`,
    formatLength(row.length),
    timeOf(row),
    row.toCopy.toFixed(2),
    digits(row.gigabytesPerSecond),
  ]);
}

const digits = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

/** `23.2 ±0.4`: half of what lies between the quartiles. */
const timeOf = ({ median, quartiles: [low, high] }: Row): string =>
  `${digits(median)} ±${digits((high - low) / 2)}`;

/** How tables look. */
export const plain = { style: { head: [], border: [] } };

/** Tables for the terminal, one a group. */
export function tablesOf(rows: readonly Row[]): string {
  return groupsOf(rows)
    .map(({ title, rows: own, columns, lengths, copies }) => {
      const table = new Table({
        ...plain,
        head: ["length", "copy", ...columns.flatMap((column) => [column, "copies", "GB/s"])],
        colAligns: ["left", "right", ...columns.flatMap(() => ["right", "right", "right"] as const)],
      });
      for (const length of lengths) {
        const copy = copies.find((one) => one.length === length);
        table.push([
          formatLength(length),
          copy === undefined ? "" : timeOf(copy),
          ...columns.flatMap((column) => {
            const row = own.find((one) => one.length === length && columnOf(one) === column);
            if (row === undefined) {
              return ["", "", ""];
            }
            const peer = row.toWavefold === undefined ? "" : ` (${row.toWavefold.toFixed(2)} of ours)`;
            return [`${timeOf(row)}${peer}`, row.toCopy.toFixed(2), digits(row.gigabytesPerSecond)];
          }),
        ]);
      }
      return `${title}\n${table.toString()}`;
    })
    .join("\n\n");
}

/** What the figures of the lines and tables are. */
export const legend =
  'Microseconds: the median of several runs, ± half of what lies between the quartiles. "copies": over the time of a copy of as many elements. GB/s: bytes read and written.';

/** How results were verified. */
function verification(rows: readonly Row[]): string {
  const checked = rows.filter(({ verifiedOn }) => verifiedOn === "gpu").map(({ length }) => length);
  return checked.length === 0
    ? "Every element was verified."
    : `Every element was verified: up to ${formatLength(MOST_ON_CPU)} elements by the CPU, and of longer arrays by checks on the GPU that use nothing of Wavefold's, and that each saw a wrong bit which they were shown. The CPU has the totals and numbers of kept elements of all lengths.`;
}

/** What the terminal shows of a run at its end. {@link headOf} stands above it. */
export function textOf(report: Report): string {
  const { rows, recording, notes, wrong } = report;
  const runs = [...new Set(rows.map((row) => row.runs))].sort((a, b) => a - b);
  const range = runs.length > 1 ? `${runs[0]} to ${runs.at(-1)}` : `${runs[0]}`;
  const lines = [
    ...(rows.length === 0
      ? ["Nothing was timed."]
      : [tablesOf(rows), "", `Medians of ${range} runs. ${verification(rows)}`]),
    ...recording.map(
      ({ primitive, length, first, later }) =>
        `record() of a ${primitive} at ${formatLength(length)}: ${later.median.toFixed(2)} µs of the host (quartiles ${later.quartiles.map((one) => one.toFixed(2)).join(" and ")}), the first time ${first.toFixed(0)} µs`,
    ),
    ...notes.map((note) => `note: ${note}`),
    ...wrong.map((one) => `WRONG: ${one}`),
  ];
  return lines.join("\n");
}

/**
 * What was left out of a run that was ended, in a line, and how to get it.
 *
 * @param why - such as `the time (60 s) was over`.
 */
export function leftOutNote(leftOut: readonly CaseSet[], why: string, how: string): string {
  const lengths = new Map<string, string[]>();
  for (const { type, op, length } of leftOut) {
    const title = op === "add" ? type : `${type} (${op})`;
    lengths.set(title, [...(lengths.get(title) ?? []), formatLength(length)]);
  }
  const what = [...lengths].map(([title, own]) => `${title} at ${own.join(", ")}`).join("; ");
  return `${why}, so these were left out, in part or whole: ${what}. ${how}`;
}
