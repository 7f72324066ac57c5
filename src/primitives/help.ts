import type { Planned, Told } from "../plan/explain_way.ts";
import type { TuningOptions } from "../plan/options.ts";
import type { Primitive } from "./primitive.ts";

// What the command and the site say of a primitive. Only they load it, so a program's bundle has none of it.

interface Help<Options, Operands extends string, Results extends string> {
  /** The line in the list of commands. */
  readonly summary: string;
  /** What the command does. */
  readonly says: string;
  readonly operands: Readonly<Record<Operands, string>>;
  /** What each option is. They are flags of the command and of `wavefold explain`. The others have none, or one for all primitives. */
  readonly options: Readonly<
    Record<Exclude<keyof Options, keyof TuningOptions | "type" | "segments" | "maxLength">, string>
  >;
  /** Options to try it with, by what they are. If there are several, a call takes those of one. */
  readonly tries?: Readonly<Record<string, Readonly<Partial<Record<keyof Options, unknown>>>>>;
  /** The operands that results are sums of, if these are given. Floats are added in any order. */
  readonly sums?: Readonly<Partial<Record<Results, Operands>>>;
  /** The kinds of segments that have flags. */
  readonly segments?: readonly ("rows" | "offsets")[];
  /** The ways of its plans, by the entry points that these begin with. */
  readonly ways?: Readonly<Record<string, (planned: Planned) => Told>>;
  /** What `wavefold explain` plans if it is given these options: they, and what a plan needs beside them. */
  completed?(given: Options): object;
}

/** What help says of a primitive, from its type. */
export type HelpOf<Described> =
  Described extends Primitive<infer Options, infer Operands, infer Results>
    ? Help<Options, Operands, Results> &
        (
          | {
              /** Where the file of each result goes. The first one is that of `--output`. */
              readonly results: Readonly<Record<Results, string>>;
              readonly prints?: undefined;
            }
          | {
              /** Results that are single elements, in the order in which they are printed. */
              readonly prints: readonly Results[];
              readonly results?: undefined;
            }
        )
    : never;
