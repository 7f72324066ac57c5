import type { Planned, Told } from "../plan/explain_way.ts";
import type { TuningOptions } from "../plan/options.ts";
import type { SortKeyOptions } from "../plan/sort_key.ts";
import type { Examples } from "./examples.ts";
import type { Primitive } from "./primitive.ts";

// What the command and the site say of a primitive. Only they load it, so a program's bundle has none of it.

/** Options that have no flags of a primitive's own: all primitives have one, or calls on arrays on the GPU alone take them. */
type Unflagged =
  | keyof TuningOptions
  | "params"
  | "type"
  | "segments"
  | "maxSegmentLength"
  | "maxLength"
  | "maxK";

/** The options that ask for a result of their name. */
type Asking<Options, Results> = {
  [Name in keyof Options & Results]: Options[Name] extends boolean | undefined ? Name : never;
}[keyof Options & Results];

interface Help<Options, Operands extends string, Results extends string> {
  /** The command, and the name in `wavefold explain`, if it is not that of the method. */
  readonly command?: string;
  /** The line in the list of commands. */
  readonly summary: string;
  /** What the command does. */
  readonly says: string;
  readonly operands: Readonly<Record<Operands, string>>;
  /** What each option is. They are flags of the command and of `wavefold explain`. An option that asks for a result has that result's flag. */
  readonly options: Readonly<
    Record<Exclude<keyof Options, Unflagged | Asking<Options, Results>>, string> & { readonly type?: string }
  >;
  /** Options to try it with, by what they are. If there are several, a call takes those of one. */
  readonly tries?: Readonly<Record<string, Readonly<Partial<Record<keyof Options, unknown>>>>>;
  /** Options that a call cannot do without. */
  readonly needs?: readonly (keyof Options & string)[];
  /** The operands that results are sums of, if these are given. Floats are added in any order. */
  readonly sums?: Readonly<Partial<Record<Results, Operands>>>;
  /** Arguments and results whose files have flags of their names, such as `--counts`, and whether the command needs them. */
  readonly flags?: Readonly<Record<string, "needed" | "optional">>;
  /** Operands whose flags may be given several times. Each file has a result of its own. */
  readonly lists?: readonly string[];
  /** Operands that calls take as u32, and whose files have whole numbers of any type. */
  readonly wholeNumbers?: readonly string[];
  /** The kinds of segments that have flags. */
  readonly segments?: readonly ("rows" | "offsets" | "begins")[];
  /** The ways of its plans, by the entry points that these begin with. */
  readonly ways?: Readonly<Record<string, (planned: Planned) => Told>>;
  /** What `wavefold explain` plans if it is given these options and a length: they, and what a plan needs beside them. */
  completed?(given: Options, length: number): object;
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

/** A primitive, what help says of it, and its examples. */
export interface Described {
  readonly primitive: Primitive<never>;
  readonly help: HelpOf<Primitive<never>>;
  readonly examples: Examples;
}

/** What help says of the options of an order. */
export const orderHelp = {
  key: "WGSL that gives the key of an element x, such as 'x % 10u'",
  keyType: "element type of the keys; without it, the input's",
  bits: "sort by some bits of the keys alone: by the first number's bit up to that before the second's, so 0,8 are the lowest eight",
} as const satisfies Record<Exclude<keyof SortKeyOptions, "descending">, string>;
