import { Recent } from "../recent.ts";
import type { Module } from "./module.ts";
import { runText } from "./run_text.ts";
import type { SharedSite } from "./sites.ts";
import type { SharedBlock, SharedCall, Watching } from "./watching.ts";

/** What the functions of one program find in each other, and what the program gives them, by their names there. */
export interface Scope extends Record<string, unknown> {
  /** The threads of the work-group. */
  readonly N: number;
  /** The words, and the masks, of all functions. */
  readonly B: ArrayBuffer;
  readonly K: ArrayBuffer;
}

/** How much functions have for themselves in the memory that all have in common. */
export interface MemoryCounts {
  /** Words for each thread. */
  readonly threadWords: number;
  readonly words: number;
  readonly masks: number;
}

/** Sets the bindings of the next dispatch, as they are in the scope. */
export type Bind = () => void;

/** What of a program's sites and memory a function has. */
export interface Start {
  /** The number of its first site. */
  readonly site: number;
  /** Where its words and its masks start in the scope's buffers, in bytes. */
  readonly words: number;
  readonly masks: number;
  /** The numbers of the first of its blocks and of its calls that are watched. */
  readonly block: number;
  readonly call: number;
}

/**
 * Makes a function for one work-group at a time, and adds it to the scope. With `isAlone`, V8 compiles it for this scope alone, and takes what
 * it finds there for constants.
 */
export type Make = (scope: Scope, start: Start, isAlone: boolean) => Bind | undefined;

/** A function as JavaScript. It is that of all programs in which its text means the same. */
export interface SharedFunction extends MemoryCounts {
  readonly make: Make;
  readonly sites: readonly SharedSite[];
  /** What is watched. */
  readonly blocks: readonly SharedBlock[];
  readonly calls: readonly SharedCall[];
  /** The variables of bindings that it uses. */
  readonly ranges: ReadonlySet<string>;
  /** The most words that a function returns that it is, or calls. */
  readonly mostResults: number;
}

type Made = (...values: readonly unknown[]) => Bind | undefined;

/** The JavaScript that is kept, by its text: V8 has compiled it. */
const LEAST_TEXTS = 4096;
const made = new Recent<string, Made>(LEAST_TEXTS);
let madeAlone = 0;

/** What each function finds in its scope. */
const ALWAYS = ["g", "N", "W", "R", "SIZE"] as const;

/** What runs a text. It is in parentheses, as what is called at once: then V8 compiles it in one go. */
const madeOf = (text: string): Made => runText(`return (${text});`) as Made;

/** The text of one function, while it is written. */
export class FunctionText {
  readonly module: Module;
  /** The values of `override` variables, by name. */
  readonly constants: Readonly<Record<string, number>>;
  /** What it notes besides, if the program is watched. */
  readonly watching: Watching | undefined;
  readonly #siteNumbers = new Map<string, number>();
  readonly #sites: SharedSite[] = [];
  /** Declarations before the function. */
  readonly #declarations: string[] = [];
  /** Its columns over threads, masks and other memory, by their names. */
  readonly #memories = new Map<string, (scope: Scope, start: Start) => unknown>();
  /** The names that it takes from its scope. */
  readonly #taken = new Set<string>();
  /** What it adds to its scope. */
  readonly #given: string[] = [];
  readonly #ranges = new Set<string>();
  readonly #bound = new Set<string>();
  #mostResults = 1;
  #ids = 0;
  #masks = 0;
  #words = 0;
  #threadWords = 0;

  constructor(module: Module, constants: Readonly<Record<string, number>>, watching?: Watching) {
    this.module = module;
    this.constants = constants;
    this.watching = watching;
    if (watching) {
      this.#memories.set("BLOCK", (_, { block }) => block);
      this.#memories.set("CALL", (_, { call }) => call);
      this.#memories.set("RAN", ({ RAN }) => RAN);
      this.#memories.set("SITES", ({ SITES }) => SITES);
    }
  }

  id(): number {
    return ++this.#ids;
  }

  /** The text of the number of a place, for findings. */
  site(site: SharedSite): string {
    const key = `${site.from} ${site.declaration} ${site.function}`;
    let number = this.#siteNumbers.get(key);
    if (number === undefined) {
      number = this.#sites.push(site) - 1;
      this.#siteNumbers.set(key, number);
    }
    return this.watching?.isLinked ? `(SITE + ${number} + g.callSites)` : `SITE + ${number}`;
  }

  /** A name of the scope. */
  take(name: string): string {
    this.#taken.add(name);
    return name;
  }

  /** Adds what the text has under a name to the scope. */
  give(name: string, value = name): void {
    this.#given.push(`E.${name} = ${value};`);
  }

  /** The range of a binding's variable. */
  range(variable: string): string {
    return this.#bind(variable, `s_${variable}`);
  }

  /** The words of the range of a variable, and whether its reads are checked. */
  wordsInRange(variable: string): { readonly words: string; readonly checksReads: string } {
    return {
      words: this.#bind(variable, `m_${variable}`),
      checksReads: this.#bind(variable, `c_${variable}`),
    };
  }

  /** How many elements there are in the range of a variable that is an array without a length. */
  countInRange(variable: string): string {
    return this.#bind(variable, `n_${variable}`);
  }

  #bind(variable: string, name: string): string {
    this.#ranges.add(variable);
    this.#bound.add(name);
    return name;
  }

  /** Notes that a function is written or called that returns so many words. */
  returns(words: number): void {
    this.#mostResults = Math.max(this.#mostResults, words);
  }

  declare(text: string): void {
    this.#declarations.push(text);
  }

  /** Declares memory of so many words; with `isEach`, so many for each thread. */
  declareMemory(name: string, words: number, isEach: boolean): void {
    const [threadWords, others] = [this.#threadWords, this.#words];
    this.#memories.set(name, ({ N, B }, start) => {
      const first = start.words + 4 * (N * threadWords + others);
      return new Int32Array(B, first, isEach ? N * words : words);
    });
    if (isEach) {
      this.#threadWords += words;
    } else {
      this.#words += words;
    }
  }

  /** Declares the column of a variable's word, once. */
  declareColumn(name: string): void {
    if (!this.#memories.has(name)) {
      this.declareMemory(name, 1, true);
    }
  }

  declareMask(name: string): void {
    const masks = this.#masks++;
    this.#memories.set(name, ({ N, K }, start) => new Uint8Array(K, start.masks + N * masks, N));
  }

  /**
   * The function, whose own text this is. What it finds around it are parameters: a `const` or a `let` would be checked at each use, and a `var`
   * may be assigned.
   */
  finished(text: string): SharedFunction {
    const bound = [...this.#bound];
    const names = [...ALWAYS, ...this.#taken];
    const memories = [...this.#memories];
    const body = [
      `(${["E", "SITE", ...names, ...this.#memories.keys()].join(", ")}) => {`,
      bound.length > 0 ? `var ${bound.join(", ")};` : "",
      ...this.#declarations,
      text,
      ...this.#given,
      bound.length > 0 ? `return () => { ${bound.map((name) => `${name} = E.${name};`).join(" ")} };` : "",
      "}",
    ].join("\n");
    return {
      make(scope, start, isAlone) {
        // V8 compiles once for all that have the same text.
        const run = isAlone ? madeOf(`// ${++madeAlone}\n${body}`) : made.of(body, () => madeOf(body));
        const found = names.map((name) => scope[name]);
        return run(scope, start.site, ...found, ...memories.map(([, memory]) => memory(scope, start)));
      },
      sites: this.#sites,
      blocks: this.watching?.blocks ?? [],
      calls: this.watching?.calls ?? [],
      ranges: this.#ranges,
      mostResults: this.#mostResults,
      threadWords: this.#threadWords,
      words: this.#words,
      masks: this.#masks,
    };
  }
}
