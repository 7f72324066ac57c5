/** Values by their keys. It keeps the last ones that were asked for or set, at least so many, and at most twice as many. */
export class Recent<Key, Value> {
  readonly #least: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(least: number) {
    this.#least = least;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) {
      return value;
    }
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.set(key, old);
    }
    return old;
  }

  set(key: Key, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size >= this.#least) {
      this.#old = this.#young;
      this.#young = new Map();
    }
  }

  /** The value of a key, which is made if there is none. */
  of(key: Key, make: () => Value): Value {
    let value = this.get(key);
    if (value === undefined) {
      value = make();
      this.set(key, value);
    }
    return value;
  }
}
