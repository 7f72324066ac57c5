import { Recent } from "../recent.ts";
import type { Tree } from "./trees.ts";

// What names mean in a module, as numbers: two names of modules have the same number only if they are declared by the same text, and the names in
// that text have the same numbers. So what was found out about a text in one module holds in another one.

/** How many meanings are known at least. */
const LEAST_MEANINGS = 32_768;
const numbers = new Recent<string, number>(LEAST_MEANINGS);
let meanings = 0;

/** The meanings of the names that a module declares. */
export class Meanings {
  readonly #trees: ReadonlyMap<string, Tree>;
  readonly #known = new Map<string, number>();

  /** Of the module's declarations, by their names. */
  constructor(trees: ReadonlyMap<string, Tree>) {
    this.#trees = trees;
  }

  /** What a function's text means: its tree, and what that names. Of other functions, their bodies do not count. */
  ofFunction({ id, names }: Tree): string {
    return `${id}:${names.map((name) => this.#of(name)).join(",")}`;
  }

  /** 0 is what WGSL itself declares. */
  #of(name: string): number {
    let meaning = this.#known.get(name);
    if (meaning === undefined) {
      // What is declared by itself is refused where types are found.
      this.#known.set(name, 0);
      const tree = this.#trees.get(name);
      meaning = tree === undefined ? 0 : this.#numberOf(tree);
      this.#known.set(name, meaning);
    }
    return meaning;
  }

  #numberOf({ outside, outsideNames }: Tree): number {
    const key = `${outside}:${outsideNames.map((name) => this.#of(name)).join(",")}`;
    return numbers.of(key, () => ++meanings);
  }
}
