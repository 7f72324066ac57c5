import type { Choices, ScalarName, ScalarType, Type, VectorType } from "./random_types.ts";
import { bool, isSame, scalar, textOf, u32, vector } from "./random_types.ts";

// Random expressions of a type. None is constant but for numbers on the right of operators, since compilers refuse constants that overflow.
// Floats are small whole numbers, which every device computes exactly.

/** What a text names: a variable, or a part of one. */
export interface Variable {
  readonly text: string;
  readonly type: Type;
  readonly isMutable: boolean;
  /** Whether it is a `var` of the function, whose address can be passed on. */
  readonly hasAddress?: boolean;
}

/** A function that expressions may call. */
export interface Helper {
  readonly name: string;
  readonly parameters: readonly Type[];
  /** The type to which a pointer is passed before all else. */
  readonly pointer?: Type;
  readonly result: Type;
}

export interface Surroundings {
  readonly choices: Choices;
  readonly variables: readonly Variable[];
  readonly helpers: readonly Helper[];
  /** In how many of a hundred places threads meet. */
  readonly meeting: number;
  /** How many calls may still be written. */
  calls: number;
}

const NUMBERS: Readonly<Record<ScalarName, readonly string[]>> = {
  u32: ["0u", "1u", "2u", "3u", "7u", "31u", "255u", "65535u", "2147483648u", "4294967295u"],
  i32: ["0i", "1i", "-1i", "2i", "5i", "-7i", "127i", "2147483647i", "0", "1", "3"],
  f32: ["0.0", "1.0", "-1.0", "2f", "3.0", "-5.0", "8", "16.0f"],
  bool: ["true", "false"],
};

const ARITHMETIC = { u32: "+-*&|^", i32: "+-*&|^", f32: "+-*", bool: "&|" } as const;

export class ExpressionMaker {
  readonly around: Surroundings;
  readonly choices: Choices;

  constructor(around: Surroundings) {
    this.around = around;
    this.choices = around.choices;
  }

  /** An expression of a type. */
  make(type: Type, depth = 3): string {
    const { choices } = this;
    if (depth > 0 && choices.percent(this.around.meeting) && isNumeric(type)) {
      return this.#meeting(type, depth - 1);
    }
    if (choices.percent(depth > 0 ? 25 : 70)) {
      const found = this.path(type, depth);
      if (found !== undefined) {
        return found.text;
      }
    }
    if (depth > 0 && choices.percent(20)) {
      const called = this.#call(type, depth - 1);
      if (called !== undefined) {
        return called;
      }
    }
    switch (type.kind) {
      case "scalar":
        return depth > 0 ? this.#scalar(type, depth - 1) : leaf(type);
      case "vector":
        return depth > 0 ? this.#vector(type, depth - 1) : `${textOf(type)}(${leaf(type.of)})`;
      case "array":
        return `${textOf(type)}(${this.#list(
          Array.from({ length: type.count }, () => type.of),
          depth - 1,
        )})`;
      default:
        return `${type.name}(${this.#list(
          type.members.map(([, of]) => of),
          depth - 1,
        )})`;
    }
  }

  #list(types: readonly Type[], depth: number): string {
    return types.map((type) => this.make(type, Math.max(0, depth))).join(", ");
  }

  /** At the call, all threads of a subgroup meet, and each gets what is its own. */
  #meeting(type: ScalarType | VectorType, depth: number): string {
    const isWord = type.kind === "scalar" && type.name === "u32";
    if (isWord && this.choices.percent(30)) {
      return `atomicAdd(&cells[thread], ${this.make(u32, depth)})`;
    }
    return `subgroupShuffleXor(${this.make(type, depth)}, 0u)`;
  }

  /** A number, or a value that is not constant. */
  #right(type: ScalarType, depth: number): string {
    return this.choices.percent(30) ? this.choices.of(NUMBERS[type.name]) : this.make(type, depth);
  }

  // Parts of variables

  /** A variable of this type, or a part of one. */
  path(
    type: Type,
    depth: number,
    canUse: (variable: Variable) => boolean = () => true,
  ): Variable | undefined {
    const variables = this.around.variables.filter(canUse);
    for (let tries = 0; variables.length > 0 && tries < 15; tries++) {
      const found = this.descend(this.choices.of(variables), type, depth);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  /** A part of a variable of this type, if chance leads to it. */
  descend(start: Variable, type: Type, depth: number): Variable | undefined {
    let { text, type: at } = start;
    while (!isSame(at, type)) {
      switch (at.kind) {
        case "scalar":
          return undefined;
        case "vector":
          if (type.kind === "vector" && type.of.name === at.of.name && !start.isMutable) {
            return { ...start, text: `${text}.${this.#swizzle(at.count, type.count)}`, type };
          }
          text = this.choices.percent(50)
            ? `${text}.${"xyzw"[this.choices.below(at.count)]}`
            : `${text}[${this.index(at.count, depth)}]`;
          at = at.of;
          break;
        case "array":
          text = `${text}[${this.index(at.count, depth)}]`;
          at = at.of;
          break;
        default: {
          const [name, of] = this.choices.of(at.members);
          text = `${text}.${name}`;
          at = of;
        }
      }
    }
    return { ...start, text, type };
  }

  /** An index that is less than a count. */
  index(count: number, depth: number): string {
    return depth > 0 && this.choices.percent(70)
      ? this.choices.percent(50)
        ? `${this.make(u32, Math.min(depth - 1, 1))} % ${count}u`
        : `(${this.make(scalar("i32"), Math.min(depth - 1, 1))} & 0x7fffffff) % ${count}`
      : String(this.choices.below(count));
  }

  #swizzle(from: number, count: number): string {
    const letters = this.choices.of(["xyzw", "rgba"]);
    return Array.from({ length: count }, () => letters[this.choices.below(from)]).join("");
  }

  // Calls

  #call(type: Type, depth: number): string | undefined {
    const fitting = this.around.helpers.filter(({ result }) => isSame(result, type));
    if (fitting.length === 0 || this.around.calls <= 0) {
      return undefined;
    }
    return this.call(this.choices.of(fitting), depth);
  }

  /** A call of a function; undefined if there is no variable to point at. */
  call(helper: Helper, depth: number): string | undefined {
    const pointer =
      helper.pointer && this.path(helper.pointer, 1, ({ hasAddress = false }) => hasAddress)?.text;
    if (helper.pointer !== undefined && (pointer === undefined || /(?:\.[xyzwrgba]|\])$/.test(pointer))) {
      return undefined;
    }
    this.around.calls--;
    const args = helper.parameters.map((parameter) => this.make(parameter, depth));
    return `${helper.name}(${["t", "id", "thread", ...(pointer ? [`&${pointer}`] : []), ...args].join(", ")})`;
  }

  // Scalars

  #scalar(type: ScalarType, depth: number): string {
    const { choices } = this;
    switch (choices.below(8)) {
      case 0:
        return `select(${this.make(type, depth)}, ${this.#right(type, depth)}, ${this.make(bool, depth)})`;
      case 1: {
        const from = vector(2 + choices.below(3), type.name);
        const value = this.make(from, depth);
        return choices.percent(50)
          ? `(${value}).${"xyzw"[choices.below(from.count)]}`
          : `(${value})[${this.index(from.count, depth)}]`;
      }
      case 2:
        return this.#converted(type, depth);
      default:
        return type.name === "bool" ? this.#condition(depth) : this.#number(type, depth);
    }
  }

  #converted({ name }: ScalarType, depth: number): string {
    const from = this.choices.of([
      "u32",
      "i32",
      "bool",
      ...(name === "bool" ? [] : (["f32"] as const)),
    ] as const);
    const text = this.make(scalar(from), depth);
    if (name === "f32" && from !== "bool") {
      return small(from === "f32" ? text : `f32(${text} % ${from === "u32" ? "64u" : "64i"})`);
    }
    return `${name}(${text})`;
  }

  #condition(depth: number): string {
    const { choices } = this;
    const type = scalar(choices.of(["u32", "i32", "f32"] as const));
    const kind = choices.below(8);
    if (kind < 3) {
      const operator = choices.of(["<", ">", "<=", ">=", "==", "!="]);
      return `(${this.make(type, depth)} ${operator} ${this.#right(type, depth)})`;
    }
    if (kind < 6) {
      return `(${this.make(bool, depth)} ${choices.of(["&&", "||"])} ${this.make(bool, depth)})`;
    }
    return kind === 6
      ? `!${this.#inParentheses(bool, depth)}`
      : `${choices.of(["all", "any"])}(${this.make(vector(2 + choices.below(3), "bool"), depth)})`;
  }

  #inParentheses(type: Type, depth: number): string {
    return `(${this.make(type, depth)})`;
  }

  #number(type: ScalarType, depth: number): string {
    const { choices } = this;
    const { name } = type;
    if (name === "f32") {
      return choices.percent(70)
        ? small(`${this.make(type, depth)} ${choices.of([..."+-*"])} ${this.#right(type, depth)}`)
        : `${choices.of(["abs", "floor", "-", "sign"])}(${this.make(type, depth)})`;
    }
    switch (choices.below(6)) {
      case 0:
        return `(${this.make(type, depth)} ${choices.of(["/", "%"])} ${this.make(type, depth)})`;
      case 1:
        return `(${this.make(type, depth)} ${choices.of(["<<", ">>"])} (${this.make(u32, depth)} & 31u))`;
      case 2:
        return `${choices.of(["min", "max"])}(${this.make(type, depth)}, ${this.#right(type, depth)})`;
      case 3:
        return `${choices.of(name === "i32" ? ["~", "-", "abs", "countOneBits"] : ["~", "reverseBits"])}(${this.make(type, depth)})`;
      default:
        return `(${this.make(type, depth)} ${choices.of([...ARITHMETIC[name as "u32"]])} ${this.#right(type, depth)})`;
    }
  }

  // Vectors

  #vector(type: VectorType, depth: number): string {
    const { choices } = this;
    const { count, of } = type;
    switch (choices.below(6)) {
      case 0:
        return `${textOf(type)}(${this.make(of, depth)})`;
      case 1:
        return `select(${this.make(type, depth)}, ${this.make(type, depth)}, ${this.make(choices.percent(50) ? bool : vector(count, "bool"), depth)})`;
      case 2: {
        const from = 2 + choices.below(3);
        return `(${this.make(vector(from, of.name), depth)}).${this.#swizzle(from, count)}`;
      }
      case 3:
        return this.#parts(type, depth);
      default:
        return of.name === "bool" ? this.#comparison(count, depth) : this.#componentwise(type, depth);
    }
  }

  #parts({ count, of }: VectorType, depth: number): string {
    const sizes =
      count > 2 && this.choices.percent(50) ? [2, ...Array(count - 2).fill(1)] : Array(count).fill(1);
    const parts = sizes.map((size: number) => this.make(size === 1 ? of : vector(size, of.name), depth));
    return `vec${count}<${of.name}>(${parts.join(", ")})`;
  }

  #comparison(count: number, depth: number): string {
    const of = vector(count, this.choices.of(["u32", "i32", "f32"] as const));
    const operator = this.choices.of(["<", ">", "<=", ">=", "==", "!="]);
    return `(${this.make(of, depth)} ${operator} ${this.make(of, depth)})`;
  }

  #componentwise(type: VectorType, depth: number): string {
    const operator = this.choices.of([...ARITHMETIC[type.of.name]]);
    const isBits = "&|^".includes(operator);
    const right = !isBits && this.choices.percent(30) ? this.#right(type.of, depth) : this.make(type, depth);
    const text = `(${this.make(type, depth)} ${operator} ${right})`;
    return type.of.name === "f32" ? `small${type.count}(${text})` : text;
  }
}

export const isNumeric = (type: Type): type is ScalarType | VectorType =>
  type.kind === "scalar" ? type.name !== "bool" : type.kind === "vector" && type.of.name !== "bool";

const small = (text: string): string => `small(${text})`;

/** The simplest value that is not constant. */
function leaf({ name }: ScalarType): string {
  return name === "u32" ? "t" : name === "i32" ? "i32(t)" : name === "f32" ? "f32(t)" : "(t == 1u)";
}
