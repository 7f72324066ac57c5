import type { Module } from "./module.ts";

/** A place of the WGSL text that findings name. */
export interface Site {
  readonly line: number;
  readonly column: number;
  readonly function: string;
}

/** What the functions of one program share while their texts are written. */
export class ProgramText {
  readonly module: Module;
  /** The values of `override` variables, by name. */
  readonly constants: Readonly<Record<string, number>>;
  readonly sites: Site[] = [];
  /** Declarations at the start of the program: columns over threads, masks, memory. */
  readonly declarations: string[] = [];
  /** The most words that a function returns. */
  mostResults = 1;
  /** The bindings that the program uses, by the names of their variables. */
  readonly ranges = new Map<string, string>();
  readonly #sites = new Map<string, number>();
  readonly #columns = new Set<string>();
  #ids = 0;
  #masks = 0;
  #words = 0;
  #threadWords = 0;

  constructor(module: Module, constants: Readonly<Record<string, number>>) {
    this.module = module;
    this.constants = constants;
  }

  id(): number {
    return ++this.#ids;
  }

  /** The number of a place, for findings. */
  site(from: number, inFunction: string): number {
    const key = `${from} ${inFunction}`;
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = this.sites.push({ ...this.module.placeOf(from), function: inFunction }) - 1;
      this.#sites.set(key, site);
    }
    return site;
  }

  declare(text: string): void {
    this.declarations.push(text);
  }

  /** Declares memory of so many words; with `isEach`, so many for each thread. */
  declareMemory(name: string, words: number, isEach: boolean): void {
    this.declare(`const ${name} = new Int32Array(B, 4 * (${this.#end}), ${isEach ? "N * " : ""}${words});`);
    if (isEach) {
      this.#threadWords += words;
    } else {
      this.#words += words;
    }
  }

  /** Declares the column of a variable's word, once. */
  declareColumn(name: string): void {
    if (!this.#columns.has(name)) {
      this.#columns.add(name);
      this.declareMemory(name, 1, true);
    }
  }

  declareMask(name: string): void {
    this.declare(`const ${name} = new Uint8Array(K, N * ${this.#masks++}, N);`);
  }

  /** The buffers that hold the memory and the masks of one work-group. */
  get buffers(): string {
    return `const B = new ArrayBuffer(4 * (${this.#end})), K = new ArrayBuffer(N * ${this.#masks});`;
  }

  get #end(): string {
    return `N * ${this.#threadWords} + ${this.#words}`;
  }
}
