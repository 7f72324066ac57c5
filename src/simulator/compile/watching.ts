import type { Span } from "../../text/syntax.ts";
import type { Way } from "../machine/ways.ts";
import { WAYS } from "../machine/ways.ts";
import type { SharedSite } from "./sites.ts";

// A program that is checked notes more than others: which statements have run, where a thread has left the others, and in which call of the
// caller's text the functions are that were linked to it.

/** What is to be known of a text whose program is watched. */
export interface Watch {
  /** Whether a declaration was linked to the caller's text. Its lines are not the caller's. */
  isLinked(declaration: string): boolean;
}

/** Statements of which all run if the first one does. */
export interface SharedBlock {
  /** The declaration from whose start places count. */
  readonly declaration: string;
  readonly statements: readonly Span[];
}

/** A call of a linked function. */
export interface SharedCall extends SharedSite {
  readonly called: string;
}

/** What the text of one function notes. */
export class Watching {
  readonly #watch: Watch;
  /** Whether the function itself is a linked one. Such a function only says in which call it is. */
  readonly isLinked: boolean;
  readonly blocks: SharedBlock[] = [];
  readonly calls: SharedCall[] = [];

  constructor(watch: Watch, name: string) {
    this.#watch = watch;
    this.isLinked = watch.isLinked(name);
  }

  /** What notes that a block runs. */
  block(block: SharedBlock): string {
    return `RAN[BLOCK + ${this.blocks.push(block) - 1}] = 1;`;
  }

  /** What notes where thread `t` may leave others; nothing in a linked function. */
  way(way: Way, site: string): string {
    return this.isLinked ? "" : `g.ways[t] = (${site} + 1) * ${WAYS.length} + ${way};`;
  }

  /**
   * What stands before and behind a call of a function, which threads of a mask make: sites of linked functions say in which call of the caller's
   * they are. Undefined for a call that is not one.
   */
  around(call: SharedCall, mask: string, id: number): readonly [before: string, behind: string] | undefined {
    if (this.isLinked || !this.#watch.isLinked(call.called)) {
      return undefined;
    }
    const number = this.calls.push(call);
    return [
      `const from${id} = g.callSites, callers${id} = g.callers; g.callSites = (CALL + ${number}) * SITES; g.callers = ${mask};`,
      `g.callSites = from${id}; g.callers = callers${id};`,
    ];
  }
}
