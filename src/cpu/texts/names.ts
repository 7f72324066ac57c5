import type { Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import type { Words } from "./values.ts";

/** What a name of a text stands for. */
export type Meaning =
  /** The words of a variable are names. */
  | { readonly kind: "value"; readonly type: Type; readonly words: Words }
  /** Its value is written anew where it is used. */
  | { readonly kind: "constant"; readonly variable: Variable; readonly names: Names };

/** The names that are visible in a block, and in what is around it. */
export class Names {
  readonly #meanings = new Map<string, Meaning>();
  readonly #around: Names | undefined;

  constructor(around?: Names) {
    this.#around = around;
  }

  find(name: string): Meaning | undefined {
    return this.#meanings.get(name) ?? this.#around?.find(name);
  }

  /** The names as they are now: what is declared later is not among them. */
  now(): Names {
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
