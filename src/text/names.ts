/** What names stand for in a block, and in what is around it. */
export class Names<Meaning> {
  readonly #meanings = new Map<string, Meaning>();
  readonly #around: Names<Meaning> | undefined;

  constructor(around?: Names<Meaning>) {
    this.#around = around;
  }

  find(name: string): Meaning | undefined {
    return this.#meanings.get(name) ?? this.#around?.find(name);
  }

  /** The names as they are now: what is declared later in the block is not among them. */
  now(): Names<Meaning> {
    const names = new Names(this.#around);
    for (const [name, meaning] of this.#meanings) {
      names.declare(name, meaning);
    }
    return names;
  }

  declare(name: string, meaning: Meaning): void {
    this.#meanings.set(name, meaning);
  }
}
