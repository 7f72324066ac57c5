// Explores every interleaving of the work-groups of a small model.
//
// The memory model is that of relaxed atomics:
// - Each place has a list of all values that were stored there, in order. Loads choose from it: a load may return an old value,
//   whatever other places hold. So nothing orders one place after another.
// - If memory is coherent, a thread that saw a value of a place never gets an older one from the same place. WebGPU promises
//   that. Without it, each load returns any value that was ever there: some GPUs were seen to do so.
// - A read-modify-write reads the last value of the list, and appends to it.
// - If dispatches are in order, the next run sees only the last value of each place. WebGPU promises that.
//
// A step of a work-group is its loads up to its next store, and that store. It is sound to put them together: a load that comes
// later may still return all that it could have returned before, and nobody sees a load. A store to one place may seem to come
// after a later store to another, since loads of the first place may return an old value.

import type { Line } from "./lines.ts";
import { describeLine } from "./lines.ts";

/** What a work-group does. */
export interface Model<Local> {
  /** The names of all places. */
  readonly places: readonly string[];
  readonly runs: number;
  /** What a place holds at first. */
  initial(place: string): string;
  /** The value that a place gets before a run, if it gets one: in a new buffer, or if it is cleared. */
  before(run: number, place: string): string | undefined;
  /** What the work-groups of a run start with. Plain data. */
  starts(run: number): readonly Local[];
  /** What the work-group knows after its next step. */
  step(local: Local, memory: Memory, run: number): Local;
  isDone(local: Local): boolean;
  /** What is wrong at the end of a run. */
  wrongAtEnd(run: number, locals: readonly Local[]): string | undefined;
}

export interface MemoryModel {
  /** Whether a thread never sees a place go back to an older value. */
  readonly coherent: boolean;
  /** Whether a run sees all that the runs before it stored. */
  readonly dispatchesInOrder: boolean;
}

/** What WebGPU promises. */
export const webgpu: MemoryModel = { coherent: true, dispatchesInOrder: true };

export interface Options {
  readonly memory: MemoryModel;
  /**
   * How many work-groups fit on the device: the others start when one of these ends, and those that started go on by turns. If
   * it is left out, any work-group may stop at any time, so none may wait for another.
   */
  readonly slots?: number;
  /** How many states there may be. */
  readonly most?: number;
  /** Which loads a work-group may get without going on for ever: any, or the newest ones. */
  readonly endsWith?: "any loads" | "the newest loads";
}

export interface Result {
  readonly states: number;
  readonly steps: number;
  /** What went wrong, after which steps; undefined if nothing can. */
  readonly counterExample?: { readonly wrong: string; readonly trace: readonly string[] };
}

class Wrong extends Error {}
class Waits extends Error {}

/** Goes through all sequences of choices. The first choices are all 0. */
class Choices {
  #taken: number[] = [];
  #sizes: number[] = [];
  #at = 0;

  choose(among: number): number {
    if (among === 1) {
      return 0;
    }
    if (this.#at === this.#taken.length) {
      this.#taken.push(0);
      this.#sizes.push(among);
    }
    return this.#taken[this.#at++] as number;
  }

  /** Whether all choices were the first ones. */
  get areFirst(): boolean {
    return this.#taken.every((one) => one === 0);
  }

  /** Goes on to the next sequence. Returns false if there is none. */
  next(): boolean {
    this.#at = 0;
    for (;;) {
      const last = this.#taken.pop();
      if (last === undefined) {
        return false;
      }
      if (last + 1 < (this.#sizes[this.#taken.length] as number)) {
        this.#taken.push(last + 1);
        return true;
      }
      this.#sizes.pop();
    }
  }
}

/** What loads of some places can say, and the index of the value that is seen of each. */
interface Outcome {
  readonly result: string | undefined;
  readonly indices: readonly number[];
}

/** All that loads of places can say, if of each place the values from an index on may be seen. The newest values come first. */
function outcomesOf(
  lists: readonly (readonly string[])[],
  oldest: readonly number[],
  meaning: (values: readonly string[]) => string | undefined,
): Outcome[] {
  let combinations: number[][] = [[]];
  lists.forEach((list, place) => {
    const from = oldest[place] as number;
    combinations = combinations.flatMap((one) =>
      Array.from({ length: list.length - from }, (_, more) => [...one, from + more]),
    );
  });
  const found = new Map<string, Outcome>();
  let newest = "";
  // The oldest values come first. If they say nothing, then all that says nothing is the same as seeing these.
  combinations.forEach((indices, which) => {
    const result = meaning(indices.map((index, place) => lists[place]?.[index] as string));
    const saysNothing = found.has("nothing") || which === 0 ? "nothing" : `nothing ${which}`;
    newest = result === undefined ? saysNothing : `says ${result}`;
    if (!found.has(newest)) {
      found.set(newest, { result, indices });
    }
  });
  const first = found.get(newest) as Outcome;
  return [first, ...[...found.values()].filter((one) => one !== first)];
}

/** The memory that a work-group sees in one step. */
export class Memory {
  /** The values that the step changed, by place. */
  readonly changed = new Map<number, readonly string[]>();
  readonly #cells: readonly number[];
  readonly #listOf: (cell: number) => readonly string[];
  readonly #known: Map<string, readonly Outcome[]>;
  readonly #placeOf: ReadonlyMap<string, number>;
  readonly #views: Map<string, number>;
  readonly #choices: Choices;
  readonly #coherent: boolean;
  readonly #log: string[] | undefined;

  constructor(
    cells: readonly number[],
    listOf: (cell: number) => readonly string[],
    known: Map<string, readonly Outcome[]>,
    placeOf: ReadonlyMap<string, number>,
    views: readonly (readonly [string, number])[],
    choices: Choices,
    coherent: boolean,
    log: string[] | undefined,
  ) {
    this.#cells = cells;
    this.#listOf = listOf;
    this.#known = known;
    this.#placeOf = placeOf;
    this.#views = new Map(views);
    this.#choices = choices;
    this.#coherent = coherent;
    this.#log = log;
  }

  /** The oldest values that threads may still see. */
  get views(): ReadonlyMap<string, number> {
    return this.#views;
  }

  choose(among: number): number {
    return this.#choices.choose(among);
  }

  /**
   * Loads places, and returns what their values say together; undefined if they say nothing. Of values that say the same the
   * oldest are chosen: who sees older values may see more later. `kind` names the meaning.
   */
  load(
    thread: number,
    places: readonly string[],
    kind: string,
    meaning: (values: readonly string[]) => string | undefined,
  ): string | undefined {
    if (this.changed.size > 0) {
      throw new Error("a step ends with what it stores");
    }
    const at = places.map((place) => this.#place(place));
    const oldest = at.map((place) => this.#views.get(`${thread}:${place}`) ?? 0);
    const key = `${kind}:${at.map((place) => this.#cells[place])}:${oldest}`;
    let outcomes = this.#known.get(key);
    if (outcomes === undefined) {
      outcomes = outcomesOf(
        at.map((place) => this.#listOf(this.#cells[place] as number)),
        oldest,
        meaning,
      );
      this.#known.set(key, outcomes);
    }
    const { result, indices } = outcomes[this.choose(outcomes.length)] as Outcome;
    if (this.#coherent) {
      indices.forEach((index, word) => {
        if (index > 0) {
          this.#views.set(`${thread}:${at[word]}`, index);
        }
      });
    }
    return result;
  }

  /** Stores a value. A step may store words of one entry together: loads may still see some of the words and not the others. */
  store(thread: number, place: string, value: string): void {
    this.#append(thread, this.#place(place), value);
  }

  /** Replaces the last value by another, and returns it. */
  exchange(thread: number, place: string, replace: (last: string) => string): string {
    const at = this.#place(place);
    const last = this.#listOf(this.#cells[at] as number).at(-1) as string;
    this.#append(thread, at, replace(last));
    return last;
  }

  /** Notes what the step does, for a counter-example. */
  note(line: Line, text: () => string): void {
    this.#log?.push(`${text()}  [${describeLine(line)}]`);
  }

  /** The work-group tries again, with nothing changed. */
  wait(line: Line, text: () => string): never {
    this.note(line, text);
    throw new Waits();
  }

  /** Nothing that the work-group knows may be wrong. */
  require(condition: boolean, wrong: () => string): void {
    if (!condition) {
      throw new Wrong(wrong());
    }
  }

  #place(name: string): number {
    const place = this.#placeOf.get(name);
    if (place === undefined) {
      throw new Error(`the model has no place "${name}"`);
    }
    return place;
  }

  #append(thread: number, place: number, value: string): void {
    const values = this.#listOf(this.#cells[place] as number);
    // A value twice in a row is the same as once. If loads may go back, only the last value has a place in the order.
    const after =
      values.at(-1) === value
        ? values
        : this.#coherent
          ? [...values, value]
          : [...values.filter((one) => one !== value).sort(), value];
    this.changed.set(place, after);
    if (this.#coherent && after.length > 1) {
      this.#views.set(`${thread}:${place}`, after.length - 1);
    }
  }
}

/** Numbers for data: the same number for the same data. */
class Interned<Data> {
  readonly #known = new Map<string, number>();
  readonly #all: Data[] = [];

  numberOf(data: Data): number {
    const text = JSON.stringify(data);
    const known = this.#known.get(text);
    if (known !== undefined) {
      return known;
    }
    const made = this.#all.length;
    if (made > 0xffff) {
      throw new Error("more than 65,536 kinds of cells or of work-groups");
    }
    this.#all.push(data);
    this.#known.set(text, made);
    return made;
  }

  of(number: number): Data {
    return this.#all[number] as Data;
  }
}

/** A work-group: what it knows, and the oldest values that its threads may still see. */
interface WorkGroup<Local> {
  readonly local: Local;
  readonly views: readonly (readonly [string, number])[];
}

/** What a step of a work-group comes to. */
interface Step {
  /** The work-group after it, and the cells of the places that it changes; neither if it waits. */
  readonly made?: number;
  readonly changed?: readonly (readonly [place: number, cell: number])[];
  readonly wrong?: string;
  /** Whether each load got its newest values. */
  readonly newest: boolean;
}

const NEXT_RUN = -1;

/** Explores all states that a model can reach, breadth first, so that a counter-example is short. */
export function explore<Local>(
  model: Model<Local>,
  { memory, slots, most = 4_000_000, endsWith = "any loads" }: Options,
): Result {
  const { places } = model;
  const placeOf = new Map(places.map((name, at) => [name, at]));
  const cells = new Interned<readonly string[]>();
  const groups = new Interned<WorkGroup<Local>>();
  // A state is a text: the run, a cell for each place, and a work-group for each that runs, in order of their numbers. So states
  // that differ only in which work-group is which are the same.
  const stateOf = (run: number, memoryNow: readonly number[], running: readonly number[]): string =>
    String.fromCharCode(run, ...memoryNow, ...[...running].sort((a, b) => a - b));
  const startsOf = (run: number): number[] =>
    model.starts(run).map((local) => groups.numberOf({ local, views: [] }));

  const listOf = (cell: number): readonly string[] => cells.of(cell);
  const outcomes = new Map<string, readonly Outcome[]>();
  const states: string[] = [];
  const numbers = new Map<string, number>();
  // How each state was first reached: from where, by which work-group, by which of its sequences of choices.
  const parents: number[] = [];
  const actors: number[] = [];
  const ordinals: number[] = [];
  // All steps that must not go round: from a state, and to one.
  const from: number[] = [];
  const to: number[] = [];
  let steps = 0;
  const reach = (state: string, parent: number, actor: number, ordinal: number): number => {
    const known = numbers.get(state);
    if (known !== undefined) {
      return known;
    }
    const made = states.length;
    if (made >= most) {
      throw new Error(`more than ${most} states`);
    }
    states.push(state);
    numbers.set(state, made);
    parents.push(parent);
    actors.push(actor);
    ordinals.push(ordinal);
    return made;
  };

  const decode = (state: string) => ({
    run: state.charCodeAt(0),
    memoryNow: Array.from(places, (_, at) => state.charCodeAt(1 + at)),
    running: Array.from({ length: state.length - 1 - places.length }, (_, at) =>
      state.charCodeAt(1 + places.length + at),
    ),
  });

  /** All steps of a work-group in a memory, one for each sequence of choices. `take` gets each, and ends the walk by returning true. */
  const walk = (
    run: number,
    memoryNow: readonly number[],
    group: number,
    log: string[] | undefined,
    take: (step: Step, ordinal: number) => boolean,
  ): void => {
    const { local, views } = groups.of(group);
    const choices = new Choices();
    for (let ordinal = 0; ; ordinal++) {
      log?.splice(0);
      const seen = new Memory(memoryNow, listOf, outcomes, placeOf, views, choices, memory.coherent, log);
      let outcome: Omit<Step, "newest">;
      try {
        const after = model.step(local, seen, run);
        const made = groups.numberOf({
          local: after,
          views: model.isDone(after) ? [] : [...seen.views].sort(([a], [b]) => (a < b ? -1 : 1)),
        });
        outcome = { made, changed: [...seen.changed].map(([place, list]) => [place, cells.numberOf(list)]) };
      } catch (cause) {
        if (cause instanceof Wrong) {
          outcome = { wrong: cause.message };
        } else if (cause instanceof Waits) {
          outcome = {};
        } else {
          throw cause;
        }
      }
      if (take({ ...outcome, newest: choices.areFirst }, ordinal) || !choices.next()) {
        return;
      }
    }
  };

  // Many states have the same memory, and a work-group that knows the same: 36 for each, of 513,370 states.
  const walked = new Map<string, readonly Step[]>();
  /** The steps of a work-group in a memory, up to the first that is wrong. */
  const stepsOf = (run: number, memoryNow: readonly number[], group: number): readonly Step[] => {
    const key = String.fromCharCode(run, group, ...memoryNow);
    const known = walked.get(key);
    if (known !== undefined) {
      return known;
    }
    const made: Step[] = [];
    walk(run, memoryNow, group, undefined, (step) => {
      made.push(step);
      return step.wrong !== undefined;
    });
    walked.set(key, made);
    return made;
  };

  /** The steps that lead to a state, and what comes after it. */
  const traceTo = (state: number, last?: { actor: number; ordinal: number }): string[] => {
    const path: { state: number; actor: number; ordinal: number }[] = last ? [{ state, ...last }] : [];
    for (let at = state; (parents[at] as number) >= 0; at = parents[at] as number) {
      path.push({
        state: parents[at] as number,
        actor: actors[at] as number,
        ordinal: ordinals[at] as number,
      });
    }
    return path.reverse().flatMap(({ state: before, actor, ordinal: wanted }) => {
      const decoded = decode(states[before] as string);
      if (actor === NEXT_RUN) {
        return [`-- run ${decoded.run} ends, and run ${decoded.run + 1} starts --`];
      }
      const log: string[] = [];
      const { run, memoryNow, running } = decoded;
      walk(run, memoryNow, running[actor] as number, log, (_, ordinal) => ordinal === wanted);
      return [...log];
    });
  };

  const first = stateOf(
    1,
    places.map((place) => cells.numberOf([model.before(1, place) ?? model.initial(place)])),
    startsOf(1),
  );
  reach(first, -1, NEXT_RUN, 0);
  for (let at = 0; at < states.length; at++) {
    const decoded = decode(states[at] as string);
    const { run, memoryNow, running } = decoded;
    const locals = running.map((one) => groups.of(one).local);
    if (locals.every((local) => model.isDone(local))) {
      const wrong = model.wrongAtEnd(run, locals);
      if (wrong !== undefined) {
        return { states: states.length, steps, counterExample: { wrong, trace: traceTo(at) } };
      }
      if (run < model.runs) {
        const next = memoryNow.map((cell, place) => {
          const value = model.before(run + 1, places[place] as string);
          const values = cells.of(cell);
          return value !== undefined
            ? cells.numberOf([value])
            : cells.numberOf(memory.dispatchesInOrder ? values.slice(-1) : values);
        });
        from.push(at);
        to.push(reach(stateOf(run + 1, next, startsOf(run + 1)), at, NEXT_RUN, 0));
      }
      continue;
    }
    const starts = new Set(slots === undefined ? [] : startsOf(run));
    const busy = running.filter((one, which) => !starts.has(one) && !model.isDone(locals[which] as Local));
    let found: Result["counterExample"];
    let stuck = slots !== undefined;
    running.forEach((one, which) => {
      const mayRun = !model.isDone(locals[which] as Local) && running.indexOf(one) === which;
      if (found || !mayRun || (slots !== undefined && starts.has(one) && busy.length >= slots)) {
        return;
      }
      for (const [ordinal, { made, changed, wrong, newest }] of stepsOf(run, memoryNow, one).entries()) {
        steps++;
        const here = { actor: which, ordinal };
        if (wrong !== undefined) {
          found = { wrong, trace: traceTo(at, here) };
        } else if (made !== undefined) {
          stuck &&= !newest;
          const now = [...memoryNow];
          for (const [place, cell] of changed ?? []) {
            now[place] = cell;
          }
          const next = [...running];
          next[which] = made;
          const reached = reach(stateOf(run, now, next), at, which, ordinal);
          if (newest || endsWith === "any loads") {
            from.push(at);
            to.push(reached);
          }
        } else if (newest && slots === undefined) {
          const wrong =
            "a work-group waits for ever while the others stand still, though it reads the newest values";
          found = { wrong, trace: traceTo(at, here) };
        }
        if (found !== undefined) {
          break;
        }
      }
    });
    if (stuck) {
      found ??= {
        wrong: "all work-groups that fit on the device wait for others for ever",
        trace: traceTo(at),
      };
    }
    if (found) {
      return { states: states.length, steps, counterExample: found };
    }
  }
  const round = firstOfCycle(states.length, from, to);
  return {
    states: states.length,
    steps,
    ...(round !== undefined && {
      counterExample: { wrong: "work-groups go round for ever", trace: traceTo(round) },
    }),
  };
}

/** A state from which steps lead back to it, or to another one that does; undefined if steps never go round. */
function firstOfCycle(states: number, from: readonly number[], to: readonly number[]): number | undefined {
  // Take away states that no step leads to, until none is left.
  const steps = new Int32Array(states + 1);
  for (const state of from) {
    steps[state + 1] = (steps[state + 1] as number) + 1;
  }
  for (let state = 0; state < states; state++) {
    steps[state + 1] = (steps[state + 1] as number) + (steps[state] as number);
  }
  const next = steps.slice(0, states);
  const targets = new Int32Array(to.length);
  const reachedBy = new Int32Array(states);
  from.forEach((state, at) => {
    const slot = next[state] as number;
    next[state] = slot + 1;
    targets[slot] = to[at] as number;
    reachedBy[to[at] as number] = (reachedBy[to[at] as number] as number) + 1;
  });
  const free: number[] = [];
  reachedBy.forEach((count, state) => {
    if (count === 0) {
      free.push(state);
    }
  });
  let taken = 0;
  for (let state = free.pop(); state !== undefined; state = free.pop()) {
    taken++;
    for (let slot = steps[state] as number; slot < (steps[state + 1] as number); slot++) {
      const target = targets[slot] as number;
      reachedBy[target] = (reachedBy[target] as number) - 1;
      if (reachedBy[target] === 0) {
        free.push(target);
      }
    }
  }
  return taken === states ? undefined : reachedBy.findIndex((count) => count > 0);
}
