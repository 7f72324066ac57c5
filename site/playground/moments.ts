import type { Recording, ShownEvent, ShownFinding } from "./recording.ts";

// A moment is how many events are over. What is shown of a moment are the events of the step that led there.

/** What one step takes together. */
export type StepSize = "event" | "line" | "barrier";

const groupOf = ({ workGroup }: ShownEvent): string => workGroup.join();

/** Whether a step that has taken one event goes on with the next one. */
const goesOn = {
  event: () => false,
  line: (event: ShownEvent, next: ShownEvent) =>
    isAccess(event) &&
    isAccess(next) &&
    event.line === next.line &&
    event.threads[0] === next.threads[0] &&
    groupOf(event) === groupOf(next),
  barrier: (event: ShownEvent, next: ShownEvent) =>
    event.kind !== "start" &&
    event.kind !== "barrier" &&
    next.kind !== "start" &&
    groupOf(event) === groupOf(next),
} as const satisfies Record<StepSize, (event: ShownEvent, next: ShownEvent) => boolean>;

/** Whether a thread uses memory in it. */
export const isAccess = ({ kind }: ShownEvent): boolean =>
  kind === "read" || kind === "write" || kind === "atomic load" || kind === "atomic change";

/** Whether it changes memory. */
export const isChange = ({ kind }: ShownEvent): boolean => kind === "write" || kind === "atomic change";

/** The moments at which steps of a size end, from 0 on. */
export function stepsOf(events: readonly ShownEvent[], size: StepSize): readonly number[] {
  const moments = [0];
  events.forEach((event, at) => {
    const next = events[at + 1];
    if (next === undefined || !goesOn[size](event, next)) {
      moments.push(at + 1);
    }
  });
  return moments;
}

/** The last of the moments that is before a moment; the first one if none is. */
export const before = (moments: readonly number[], moment: number): number =>
  moments.filter((one) => one < moment).at(-1) ?? 0;

/** The first of the moments that is after a moment; the last one if none is. */
export const after = (moments: readonly number[], moment: number): number =>
  moments.find((one) => one > moment) ?? moments.at(-1) ?? 0;

/** The memory of all variables at a moment. */
export class Memory {
  readonly #recording: Recording;
  readonly #buffers = new Map<string, Uint32Array>();
  /** By work-group and variable. */
  readonly #shared = new Map<string, Uint32Array>();
  /** For each thread of each work-group, its last event. */
  readonly #last = new Map<string, ShownEvent>();
  /** The work-groups that have started, in that order. */
  readonly #started: string[] = [];
  #moment = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#begin();
  }

  #begin(): void {
    this.#moment = 0;
    this.#shared.clear();
    this.#last.clear();
    this.#started.length = 0;
    for (const { name, memory, words } of this.#recording.variables) {
      if (memory === "buffer") {
        this.#buffers.set(name, Uint32Array.from(words));
      }
    }
  }

  /** Goes to a moment. */
  go(moment: number): void {
    if (moment < this.#moment) {
      this.#begin();
    }
    for (; this.#moment < moment; this.#moment++) {
      this.#take(this.#recording.events[this.#moment] as ShownEvent);
    }
  }

  #take(event: ShownEvent): void {
    const { workGroup, threads, index, values } = event;
    const group = workGroup.join();
    if (event.kind === "start") {
      this.#started.push(group);
      return;
    }
    for (const thread of threads) {
      this.#last.set(`${group} ${thread}`, event);
    }
    if (isChange(event)) {
      const words = this.wordsOf(event.variable, group);
      values.forEach((value, at) => {
        if (index + at < words.length) {
          words[index + at] = value;
        }
      });
    }
  }

  /** The words of a variable. Those of work-group memory are of this work-group. */
  wordsOf(name: string, group: string): Uint32Array {
    const known = this.#buffers.get(name) ?? this.#shared.get(`${group} ${name}`);
    if (known !== undefined) {
      return known;
    }
    const count = this.#recording.variables.find((variable) => variable.name === name)?.words.length ?? 0;
    const words = new Uint32Array(count);
    this.#shared.set(`${group} ${name}`, words);
    return words;
  }

  /** What a thread did last. */
  lastOf(group: string, thread: number): ShownEvent | undefined {
    return this.#last.get(`${group} ${thread}`);
  }

  /** The work-groups that have started. */
  get started(): readonly string[] {
    return this.#started;
  }
}

/** Which cells of a variable a recording uses: in words, for each variable. */
export function usedWords({ events }: Recording): ReadonlyMap<string, ReadonlySet<number>> {
  const used = new Map<string, Set<number>>();
  for (const { variable, index, values } of events.filter(isAccess)) {
    const words = used.get(variable) ?? new Set();
    used.set(variable, words);
    values.forEach((_, at) => {
      words.add(index + at);
    });
  }
  return used;
}

/** The findings of the events from one moment to another. Those about no event are there at the end. */
export const findingsIn = (
  { findings, events }: Recording,
  from: number,
  to: number,
): readonly ShownFinding[] =>
  findings.filter(({ at }) => (at >= from && at < to) || (at === events.length && to === events.length));

// What the page says of a step.

const nameOfGroup = ({ groups }: Recording, { workGroup: [x, y, z] }: ShownEvent): string =>
  groups.every((count) => count === 1)
    ? ""
    : ` of work-group ${groups[2] > 1 ? `(${x}, ${y}, ${z})` : groups[1] > 1 ? `(${x}, ${y})` : x}`;

const verbs = {
  read: "reads",
  write: "writes",
  "atomic load": "loads",
  "atomic change": "changes",
} as const;

/** How the page names what an event uses, such as `sums[2] = 7`. */
export type NameOfPlace = (event: ShownEvent) => string;

function sentenceOf(recording: Recording, event: ShownEvent, nameOf: NameOfPlace): string {
  const { kind, line, threads, values, memory } = event;
  const group = nameOfGroup(recording, event);
  switch (kind) {
    case "start":
      return group === ""
        ? "The work-group starts."
        : `Work-group ${group.slice(" of work-group ".length)} starts.`;
    case "barrier":
      return `Line ${line}: ${countOf(recording, threads)}${group} meet at a barrier, which orders ${memory === "buffer" ? "storage" : "work-group memory"}.`;
    case "subgroup":
      return `Line ${line}: ${countOf(recording, threads)}${group} call a function of their subgroups.`;
    default: {
      const more = values.length > 1 ? ` and ${values.length - 1} more` : "";
      return `Line ${line}: thread ${threads[0]}${group} ${verbs[kind]} ${nameOf(event)}${more}.`;
    }
  }
}

const countOf = ({ threads: all }: Recording, threads: readonly number[]): string =>
  threads.length === all
    ? `all ${all} threads`
    : threads.length === 1
      ? `thread ${threads[0]}`
      : `${threads.length} of ${all} threads`;

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** What happened in some events, in a sentence or two. */
export function captionOf(
  recording: Recording,
  [from, to]: readonly [from: number, to: number],
  nameOf: NameOfPlace,
): string {
  const { events, total } = recording;
  if (to === 0) {
    return events.length === 0
      ? "The kernel did nothing that is traced."
      : `Nothing has run yet. The kernel takes ${plural(total, "event", "events")}.`;
  }
  const taken = events.slice(from, to);
  const [first] = taken;
  const last = taken.at(-1);
  if (first === undefined || last === undefined) {
    return "";
  }
  const cut =
    to === events.length && total > events.length
      ? ` The trace ends here: ${total - events.length} events more are left out.`
      : "";
  if (taken.length === 1) {
    return sentenceOf(recording, first, nameOf) + cut;
  }
  const accesses = taken.filter(isAccess);
  const changes = accesses.filter(isChange).length;
  const threads = new Set(accesses.map((event) => event.threads[0])).size;
  const parts = [
    ...(accesses.length > changes ? [`${plural(accesses.length - changes, "read", "reads")}`] : []),
    ...(changes > 0 ? [`${plural(changes, "write", "writes")}`] : []),
  ];
  const lines = linesOf(taken);
  const did =
    accesses.length > 0
      ? `${lines}: ${parts.join(" and ")} by ${plural(threads, "thread", "threads")}${nameOfGroup(recording, first)}. `
      : "";
  const end = isAccess(last) ? "" : sentenceOf(recording, last, nameOf);
  return did + end + cut;
}

/** So many lines are named. */
const MOST_LINES = 5;

function linesOf(events: readonly ShownEvent[]): string {
  const lines = [...new Set(events.filter(isAccess).map(({ line }) => line))].sort((a, b) => a - b);
  const [first] = lines;
  if (lines.length > MOST_LINES) {
    return `${lines.length} lines between ${first} and ${lines.at(-1)}`;
  }
  return lines.length <= 1 ? `Line ${first}` : `Lines ${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
}
