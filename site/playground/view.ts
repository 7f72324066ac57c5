import type { FindingKind } from "../../src/simulator/index.ts";
import { html } from "../dom.ts";
import type { Cell } from "./cells.ts";
import type { Memory } from "./moments.ts";
import { findingsIn, isAccess, isChange, usedWords } from "./moments.ts";
import type { Recording, ShownEvent, ShownVariable } from "./recording.ts";
import { shown } from "./values.ts";

/** Variables of more scalars show only those that the kernel uses. */
const MOST_CELLS = 32;
/** The most that is shown of one variable. */
const MOST_USED_CELLS = 256;

/** What a cell or a thread is marked for. The later ones go before the earlier ones. */
const kinds = ["barrier", "subgroup", "read", "write", "atomic", "found"] as const;
type Mark = (typeof kinds)[number];

const markOf = ({ kind }: ShownEvent): Mark | undefined => {
  switch (kind) {
    case "start":
      return undefined;
    case "atomic load":
    case "atomic change":
      return "atomic";
    default:
      return kind;
  }
};

/** A scalar on the page. */
interface ShownCell {
  readonly cell: Cell;
  /** Its word in the variable. */
  readonly word: number;
  readonly box: HTMLElement;
  readonly value: HTMLElement;
  readonly who: HTMLElement;
}

interface ShownMemory {
  readonly variable: ShownVariable;
  readonly cells: readonly ShownCell[];
}

/** The picture of a recording. */
export interface View {
  /** Shows a moment, and what happened since another one. */
  show(memory: Memory, from: number, to: number): void;
  /** What an event uses, with the value. */
  nameOf(event: ShownEvent): string;
}

/** The word of a variable at which a cell lies. */
export const wordOf = ({ offset }: Cell): number => offset >> 2;

/** The text of a cell's value in a word. */
const valueIn = ({ scalar, offset }: Cell, word: number): string =>
  shown(scalar, scalar !== "f16" ? word : offset % 4 === 2 ? word >>> 16 : word & 0xffff);

/** What is read stands above, and what is written below. */
const rankOf = ({ memory, isWritten }: ShownVariable): number =>
  memory === "work-group" ? 1 : isWritten ? 2 : 0;

/** Where the picture of a recording goes. */
export interface Places {
  readonly groups: HTMLElement;
  readonly threads: HTMLElement;
  readonly memory: HTMLElement;
}

/** Makes the picture of a recording. */
export function viewOf(recording: Recording, places: Places): View {
  const used = usedWords(recording);
  const memories = recording.variables
    .filter(({ name }) => used.has(name))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((variable) => shownMemory(variable, used.get(variable.name) ?? new Set()));
  const threads = Array.from({ length: recording.threads }, (_, thread) => shownThread(thread));
  const groups = groupsOf(recording).map((name) => ({
    name,
    box: html("li", {}, name.replace(/,0,0$/, "").replace(/,0$/, "").replaceAll(",", " ")),
  }));
  places.groups.replaceChildren(...groups.map(({ box }) => box));
  places.threads.replaceChildren(...threads.map(({ box }) => box));
  places.memory.replaceChildren(...memories.map(figureOf), ...noteOfOthers(recording, used));
  return {
    show(memory, from, to) {
      const taken = recording.events.slice(from, to);
      const faults = faultsIn(recording, from, to);
      const group = (taken.at(-1) ?? recording.events[0])?.workGroup.join() ?? "";
      for (const one of groups) {
        const hasStarted = memory.started.includes(one.name);
        one.box.className = one.name === group ? "current" : hasStarted ? "started" : "";
      }
      const here = (event: ShownEvent): boolean => event.workGroup.join() === group;
      for (const one of threads) {
        const fault = faults.find(({ event, threads: of }) => here(event) && of.includes(one.thread));
        showThread(one, memory.lastOf(group, one.thread), taken.filter(here), fault);
      }
      for (const { variable, cells } of memories) {
        const words = memory.wordsOf(variable.name, group);
        const isShown = (event: ShownEvent): boolean =>
          isAccess(event) &&
          event.variable === variable.name &&
          (variable.memory === "buffer" || here(event));
        showCells(
          cells,
          words,
          taken.filter(isShown),
          faults.map(({ event }) => event).filter(isShown),
          (event) =>
            here(event)
              ? `t${event.threads[0]}`
              : `g${event.workGroup.join(".").replace(/(\.0)+$/, "")} t${event.threads[0]}`,
        );
      }
    },
    nameOf({ variable, index, values }) {
      const found = recording.variables.find(({ name }) => name === variable);
      const cell = found?.cells.find((one) => wordOf(one) === index);
      return cell === undefined
        ? `word ${index} of ${variable}`
        : `${nameOfCell(variable, cell)} = ${valueIn(cell, values[0] ?? 0)}`;
    },
  };
}

const nameOfCell = (variable: string, { label }: Cell): string =>
  label === ""
    ? variable
    : /^\d+$/.test(label)
      ? `${variable}[${label}]`
      : label.startsWith("[")
        ? variable + label
        : `${variable}.${label}`;

function groupsOf({ groups: [x, y, z] }: Recording): readonly string[] {
  return Array.from(
    { length: x * y * z },
    (_, index) => `${index % x},${Math.floor(index / x) % y},${Math.floor(index / (x * y))}`,
  );
}

/** An event that a finding is about. */
interface Fault {
  readonly event: ShownEvent;
  /** The threads whose fault it is. */
  readonly threads: readonly number[];
  /** What the page says of them. */
  readonly word: string;
}

const faultWords: Readonly<Record<FindingKind, string>> = {
  race: "race",
  divergence: "absent",
  "out-of-bounds": "outside",
  stuck: "waits",
  uninitialized: "unwritten",
  unordered: "unordered",
  "subgroup-size": "",
  "lane-order": "",
  validation: "",
};

/** The events that findings are about, from one moment to another: both of a race. */
const faultsIn = (recording: Recording, from: number, to: number): readonly Fault[] =>
  findingsIn(recording, from, to).flatMap(({ kind, at, other }) =>
    [at, other].flatMap((moment): readonly Fault[] => {
      const event = moment === undefined ? undefined : recording.events[moment];
      if (event === undefined) {
        return [];
      }
      const threads = kind === "divergence" ? absentFrom(recording, event) : event.threads;
      return [{ event, threads, word: faultWords[kind] }];
    }),
  );

/** The threads that are not at a barrier, or a function of a subgroup. */
const absentFrom = ({ threads: count }: Recording, { threads }: ShownEvent): readonly number[] =>
  Array.from({ length: count }, (_, thread) => thread).filter((thread) => !threads.includes(thread));

function shownMemory(variable: ShownVariable, used: ReadonlySet<number>): ShownMemory {
  const all = variable.cells;
  const some =
    all.length <= MOST_CELLS ? all : all.filter((cell) => used.has(wordOf(cell))).slice(0, MOST_USED_CELLS);
  return {
    variable,
    cells: some.map((cell) => {
      const value = html("b");
      const who = html("i");
      const box = html("li", {}, html("span", {}, cell.label), value, who);
      return { cell, word: wordOf(cell), box, value, who };
    }),
  };
}

function figureOf({ variable: { name, type, memory, cells: all }, cells }: ShownMemory): HTMLElement {
  const left = all.length - cells.length;
  const note = left > 0 ? `, without ${left} that are not used` : "";
  return html(
    "figure",
    {},
    html(
      "figcaption",
      {},
      html("code", {}, name),
      ` ${type}, ${memory === "buffer" ? "a buffer" : "work-group memory"}${note}`,
    ),
    html("ol", { class: "cells" }, ...cells.map(({ box }) => box)),
  );
}

/** Names the variables that are not shown. */
function noteOfOthers({ variables }: Recording, used: ReadonlyMap<string, unknown>): readonly HTMLElement[] {
  const names = variables.map(({ name }) => name).filter((name) => !used.has(name));
  return names.length === 0
    ? []
    : [html("p", { class: "note" }, `Not used in this run: ${names.join(", ")}.`)];
}

/** The mark that goes before the others. */
const strongest = (marks: readonly (Mark | undefined)[]): Mark | "" =>
  [...kinds].reverse().find((kind) => marks.includes(kind)) ?? "";

function showCells(
  cells: readonly ShownCell[],
  words: Uint32Array,
  taken: readonly ShownEvent[],
  faults: readonly ShownEvent[],
  nameOf: (event: ShownEvent) => string,
): void {
  const byWord = new Map<number, ShownEvent[]>();
  for (const event of taken) {
    event.values.forEach((_, at) => {
      const word = event.index + at;
      byWord.set(word, [...(byWord.get(word) ?? []), event]);
    });
  }
  const inFault = new Set(faults.flatMap(({ index, values }) => values.map((_, at) => index + at)));
  for (const { cell, word, box, value, who } of cells) {
    const text = valueIn(cell, words[word] ?? 0);
    if (value.textContent !== text) {
      value.textContent = text;
    }
    const events = byWord.get(word) ?? [];
    box.className = inFault.has(word) ? "found" : strongest(events.map(markOf));
    const both = inFault.has(word)
      ? faults.filter((event) => event.index <= word && word < event.index + event.values.length)
      : events;
    who.textContent = whoIn(both, nameOf);
  }
}

/** Who uses a cell: by name if they are few. Those that change it come first. */
function whoIn(events: readonly ShownEvent[], nameOf: (event: ShownEvent) => string): string {
  const names = [...new Set([...events.filter(isChange), ...events].map(nameOf))];
  return names.length > 2 ? `${names.length} threads` : names.join(" ");
}

interface ShownThread {
  readonly thread: number;
  readonly box: HTMLElement;
  readonly line: HTMLElement;
  readonly does: HTMLElement;
}

function shownThread(thread: number): ShownThread {
  const line = html("b");
  const does = html("i");
  return { thread, box: html("li", {}, html("span", {}, String(thread)), line, does), line, does };
}

const words: Readonly<Record<Exclude<Mark, "found">, string>> = {
  barrier: "waits",
  subgroup: "subgroup",
  read: "reads",
  write: "writes",
  atomic: "atomic",
};

function showThread(
  { thread, box, line, does }: ShownThread,
  last: ShownEvent | undefined,
  taken: readonly ShownEvent[],
  fault: Fault | undefined,
): void {
  const mark = strongest(taken.filter(({ threads }) => threads.includes(thread)).map(markOf));
  const at = fault?.event.threads.includes(thread) ? fault.event : last;
  box.className = fault ? "found" : mark;
  line.textContent = at === undefined ? "–" : String(at.line);
  does.textContent = fault ? fault.word : mark === "" || mark === "found" ? "" : words[mark];
}
