import type { Machine } from "./machine.ts";

/** How many values of a word are kept. */
const KEPT = 4;
/** How many times in a row a work-group may be given an older value of a word. */
const TRIES = 8;

/** The last values that atomics stored in one word, for loads that may give older ones. */
export class WordHistory {
  /** The dispatch that it is about. What is older is never given again. */
  dispatch = 0;
  /** The newest is last. */
  readonly values: number[] = [];
  /** The version of the newest: it goes up by one with each store. */
  newest = 0;

  begin(dispatch: number, value: number): void {
    this.dispatch = dispatch;
    this.values.length = 0;
    this.values.push(value);
    this.newest = 0;
  }

  add(value: number): void {
    this.values.push(value);
    this.newest++;
    if (this.values.length > KEPT) {
      this.values.shift();
    }
  }
}

/** What a work-group has seen of a word. */
interface View {
  version: number;
  olderInARow: number;
}

/** Which versions of words a work-group has seen: it is never given an older one. */
export class Views {
  readonly #views = new Map<WordHistory, View>();

  clear(): void {
    // To clear a map makes a new table, also for an empty one.
    if (this.#views.size > 0) {
      this.#views.clear();
    }
  }

  /** The work-group has read or written the newest value. */
  seeNewest(history: WordHistory): void {
    const view = this.#viewOf(history);
    view.version = history.newest;
    view.olderInARow = 0;
  }

  /** A value that the work-group may see: no older one than before, and the newest after some tries. */
  choose(history: WordHistory, machine: Machine): number {
    const view = this.#viewOf(history);
    const { newest, values } = history;
    const steps = Math.min(newest - view.version, values.length - 1);
    const back = view.olderInARow < TRIES ? machine.random.below(steps + 1) : 0;
    view.olderInARow = back === 0 ? 0 : view.olderInARow + 1;
    view.version = newest - back;
    return values[values.length - 1 - back] as number;
  }

  #viewOf(history: WordHistory): View {
    let view = this.#views.get(history);
    if (view === undefined) {
      view = { version: 0, olderInARow: 0 };
      this.#views.set(history, view);
    }
    return view;
  }
}
