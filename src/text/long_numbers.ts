import type { Change, Wanted } from "./long_expressions.ts";
import { Expressions, functionsOf, PAIR, spanOf, wordsText } from "./long_expressions.ts";
import type {
  BinaryOperator,
  Block,
  Case,
  Expression,
  ModuleDeclaration,
  Parameter,
  Statement,
  Variable,
} from "./syntax.ts";
import { parseExpression, parseModule, parseStatements, TextFault } from "./syntax.ts";
import type { Declared } from "./typing.ts";
import { Scope, Typing } from "./typing.ts";
import type { LongName, Type } from "./wgsl_types.ts";
import { isLong, isSame, nothing, scalar, unknown } from "./wgsl_types.ts";

// Numbers of 64 bits in callers' text. WGSL has none: kernels hold them as pairs of words, `vec2<u32>`. Statements and declarations are
// here, and the expressions in them in long_expressions.ts. A text keeps its lines, so that a compiler's message names the caller's.

/** A function of the caller's text: its parameters, and what it returns. */
export interface Signature {
  readonly parameters: readonly (readonly [name: string, type: Type])[];
  readonly result: Wanted;
}

/** Writes a text anew, in which numbers of 64 bits are pairs of words. */
class Translator {
  readonly #text: string;
  readonly #typing = new Typing();
  readonly #expressions: Expressions;
  #result: Type = nothing;

  /** `taken` are the names that the new text uses. */
  constructor(text: string, taken: ReadonlySet<string>) {
    this.#text = text;
    this.#expressions = new Expressions(text, this.#typing, taken);
  }

  expression(expression: Expression, wanted: Wanted, scope: Scope): string {
    this.#typing.expression(expression, scope);
    return this.#whole([{ ...spanOf(expression), text: this.#expressions.result(expression, wanted) }]);
  }

  statements(statements: readonly Statement[], result: Type, scope: Scope): string {
    this.#result = result;
    this.#typing.statements(statements, scope);
    return this.#whole(statements.flatMap((one) => this.#statement(one)));
  }

  module(declarations: readonly ModuleDeclaration[], scope: Scope): string {
    this.#typing.module(declarations, scope);
    return this.#whole(declarations.flatMap((one) => this.#declaration(one)));
  }

  #whole(changes: readonly Change[]): string {
    return this.#expressions.spliced({ from: 0, to: this.#text.length }, changes);
  }

  #condition(one: Expression): Change {
    this.#expressions.requireShort(one, "a condition is a bool, as in x != 0");
    return this.#expressions.change(one);
  }

  #block({ statements }: Block): Change[] {
    return statements.flatMap((one) => this.#statement(one));
  }

  #statement(one: Statement): Change[] {
    switch (one.kind) {
      case "block":
        return this.#block(one);
      case "variable":
        return this.#variable(one);
      case "assign":
        return this.#assign(one);
      case "step":
        return this.#step(one);
      case "call statement":
        return [this.#expressions.change(one.call)];
      case "if":
        return [
          this.#condition(one.condition),
          ...this.#block(one.then),
          ...(one.otherwise ? this.#statement(one.otherwise) : []),
        ];
      case "for":
        return [
          ...(one.start ? this.#statement(one.start) : []),
          ...(one.condition ? [this.#condition(one.condition)] : []),
          ...(one.update ? this.#statement(one.update) : []),
          ...this.#block(one.body),
        ];
      case "while":
        return [this.#condition(one.condition), ...this.#block(one.body)];
      case "loop":
      case "continuing":
        return this.#block(one.body);
      case "switch":
        this.#expressions.requireShort(one.on, "switch takes a u32 or an i32");
        return [this.#expressions.change(one.on), ...one.cases.flatMap((each) => this.#case(each))];
      case "return":
        return one.value ? [this.#expressions.changeTo(one.value, this.#result)] : [];
      case "break if":
      case "const_assert":
        return [this.#condition(one.condition)];
      case "break":
      case "continue":
      case "discard":
      case "empty":
        return [];
      default:
        return one satisfies never;
    }
  }

  #case({ selectors, body }: Case): Change[] {
    return [...selectors.map((one) => this.#expressions.change(one)), ...this.#block(body)];
  }

  #variable({ keyword, name, type, value }: Variable): Change[] {
    const own = type ? this.#typing.typeOf(type) : value ? this.#typing.typeOf(value) : unknown;
    if (keyword === "const" && value && isLong(own) && this.#typing.constantOf(value) === undefined) {
      throw new TextFault(
        `a const of type ${own.name} takes numbers, and + - * / % of them; use let`,
        value.from,
      );
    }
    return [
      this.#expressions.declared(name),
      ...(type ? [this.#expressions.change(type)] : []),
      ...(value ? [type ? this.#expressions.changeTo(value, own) : this.#untyped(value, own, keyword)] : []),
    ];
  }

  /** A const's value is a literal, and that of others an expression. */
  #untyped(value: Expression, own: Type, keyword: Variable["keyword"]): Change {
    return keyword === "const" && isLong(own)
      ? this.#expressions.changeTo(value, own)
      : this.#expressions.change(value);
  }

  #assign({ target, operator, value, ...span }: Extract<Statement, { kind: "assign" }>): Change[] {
    if (target === undefined) {
      return [this.#expressions.change(value)];
    }
    const type = this.#typing.typeOf(target);
    if (operator === undefined || !(isLong(type) || isLong(this.#typing.typeOf(value)))) {
      return [
        this.#expressions.change(target),
        operator ? this.#expressions.change(value) : this.#expressions.changeTo(value, type),
      ];
    }
    if (!isLong(type)) {
      // It says which types do not go together.
      return [this.#expressions.changeTo(value, type)];
    }
    return [{ ...spanOf(span), text: this.#operated(operator, target, value, type.name) }];
  }

  /** `target = target operator value`, on the lines of the text. */
  #operated(operator: BinaryOperator, target: Expression, value: Expression, name: LongName): string {
    this.#requireNoCall(target);
    const own = this.#expressions.of(target);
    const again = own.replace(/\n/g, " ");
    const isShift = operator === "<<" || operator === ">>";
    const text = isShift
      ? this.#expressions.count(value, this.#typing.typeOf(value))
      : this.#expressions.as(value, scalar(name));
    // The blanks before the operator, and those behind the `=`.
    const at = this.#text.indexOf(operator, target.to);
    const [before, behind] = [
      this.#text.slice(target.to, at),
      this.#text.slice(at + operator.length + 1, value.from),
    ];
    return "&|^".includes(operator)
      ? `${own}${before}= (${again} ${operator}${behind}${text})`
      : `${own}${before}= ${functionsOf[operator]?.[name]}(${again},${behind}${text})`;
  }

  #step({ target, operator }: Extract<Statement, { kind: "step" }>): Change[] {
    const type = this.#typing.typeOf(target);
    if (!isLong(type)) {
      return [this.#expressions.change(target)];
    }
    if (type.name === "f64") {
      throw new TextFault(`'${operator}' takes integers; write ${operator.charAt(0)}= 1`, target.to);
    }
    this.#requireNoCall(target);
    const own = this.#expressions.of(target);
    const to = this.#text.indexOf(operator, target.to) + operator.length;
    const lines = this.#text.slice(target.to, to).replace(/[^\n]/g, "");
    const text = `${own} = ${operator === "++" ? "add" : "sub"}_u64(${own.replace(/\n/g, " ")}, ${wordsText("u64", 1n)})${lines}`;
    return [{ from: target.from, to, text }];
  }

  /** What a compound assignment names is written twice, and a function of the caller's may do more than give a value. */
  #requireNoCall(target: Expression): void {
    const declared = target.kind === "call" ? this.#typing.declaredOf(target.callee) : undefined;
    if (declared?.kind === "function" && !declared.ours) {
      throw new TextFault(
        "the place of a compound assignment takes no call of a function of yours; keep its result in a let",
        target.from,
      );
    }
    for (const operand of operandsOf(target)) {
      this.#requireNoCall(operand);
    }
  }

  #declaration(one: ModuleDeclaration): Change[] {
    switch (one.kind) {
      case "function":
        this.#result = one.result ? this.#typing.typeOf(one.result) : nothing;
        return [
          this.#expressions.declared(one.name),
          ...one.parameters.flatMap((each) => [
            this.#expressions.declared(each.name),
            this.#expressions.change(each.type),
          ]),
          ...(one.result ? [this.#expressions.change(one.result)] : []),
          ...this.#block(one.body),
        ];
      case "struct":
        return [this.#expressions.declared(one.name), ...one.members.flatMap((each) => this.#member(each))];
      case "alias":
        return [this.#expressions.declared(one.name), this.#expressions.change(one.type)];
      case "variable":
        return this.#variable(one);
      case "const_assert":
        return [this.#condition(one.condition)];
      case "directive":
      case "empty":
        return [];
      default:
        return one satisfies never;
    }
  }

  #member({ type }: Parameter): Change[] {
    return [this.#expressions.change(type)];
  }
}

/** The expressions that an expression is made of. */
function operandsOf(one: Expression): readonly Expression[] {
  switch (one.kind) {
    case "index":
      return [one.of, one.index];
    case "member":
      return [one.of];
    case "unary":
      return [one.operand];
    case "parentheses":
      return [one.inner];
    case "binary":
      return [one.left, one.right];
    case "call":
      return one.args;
    default:
      return [];
  }
}

/** What a caller's text may name beside its own declarations, and the names that the new text uses. */
export interface Surroundings {
  readonly scope: Scope;
  readonly taken: ReadonlySet<string>;
}

/** Matches the first line of a function in a file of ours. */
const HEAD = /^fn \w+\(.*\) -> (\S+) \{$/gm;

/** The functions of a file of ours without what they do, for those that read only what the functions take and give: each returns zeros. */
export const functionHeads = (text: string): string =>
  Array.from(text.matchAll(HEAD), ([line, type]) => `${line}\n  return ${type}();\n}\n`).join("\n");

/**
 * The functions of our files as a caller's text sees them: on numbers, where those of shaders/numeric/ take and give pairs of words.
 * They come beside what is `around`.
 */
export function surroundingsOf(files: readonly string[], around?: Surroundings): Surroundings {
  const scope = new Scope(around?.scope);
  const taken = new Set(around?.taken ?? ["vec2", "u32"]);
  for (const one of files.flatMap(parseModule)) {
    if (one.kind === "function") {
      taken.add(one.name.name);
      scope.declare(one.name.name, functionOnNumbers(one));
    }
  }
  return { scope, taken };
}

/** The types of a function of ours, by its name: `add_f64` takes f64, and `u32_from_f64`, too. */
function functionOnNumbers({
  name: { name },
  parameters,
  result,
}: Extract<ModuleDeclaration, { kind: "function" }>): Declared {
  const typing = new Typing();
  const typed = (type: Expression | undefined, long: string | undefined): Type => {
    const found = type ? typing.type(type, new Scope()) : nothing;
    return isSame(found, PAIR) && long !== undefined ? scalar(long as LongName) : found;
  };
  const [, converts, ends] = /_from_(u64|i64|f64)(?:_bits)?$|_(u64|i64|f64)$/.exec(name) ?? [];
  const [, makes] = /^(u64|i64|f64)_(?:bits_)?from_/.exec(name) ?? [];
  const isConversion = name.includes("_from_");
  const own = typed(result, makes ?? (isConversion ? "u64" : ends));
  // Sums and products of u64 and i64 are the same function.
  const isShared = isLong(own) && own.name === "u64" && !isConversion;
  return {
    kind: "function",
    parameters: parameters.map(({ type }) => typed(type, converts ?? ends)),
    result: own,
    ours: (args) => (isShared ? (args.find(isLong) ?? own) : own),
  };
}

/** A caller's declarations, in which numbers of 64 bits are pairs of words. They are declared in the scope. @throws {TextFault} */
export const translateModule = (text: string, { scope, taken }: Surroundings): string =>
  new Translator(text, taken).module(parseModule(text), scope);

/** The text of a caller's function, in which numbers of 64 bits are pairs of words: an expression, or statements. @throws {TextFault} */
export function translateFunction(
  text: string,
  { parameters, result }: Signature,
  isStatements: boolean,
  { scope, taken }: Surroundings,
): string {
  const inside = new Scope(scope);
  for (const [name, type] of parameters) {
    inside.declare(name, { kind: "value", type });
  }
  const translator = new Translator(text, taken);
  if (!isStatements) {
    return translator.expression(parseExpression(text), result, inside);
  }
  const returned = result === "condition" ? scalar("bool") : result === "class" ? scalar("u32") : result;
  return translator.statements(parseStatements(text), returned, inside);
}
