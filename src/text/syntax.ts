import type { Token } from "./pieces.ts";
import { tokensOf } from "./pieces.ts";
import { isReserved } from "./reserved.ts";

// WGSL as a tree: https://www.w3.org/TR/WGSL/#grammar. Every node knows where its text stands, so that a text can be rewritten in
// place. The tree is that of the text alone: which type a name has is told by src/text/typing.ts.

/** Where something stands in a text: from its first character to the one behind it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is wrong with a text, and where. */
export class TextFault extends Error {
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.at = at;
  }
}

export type UnaryOperator = "-" | "!" | "~" | "*" | "&";

export type BinaryOperator = keyof typeof ranks;

export type Expression = Span &
  (
    | { readonly kind: "number"; readonly text: string }
    /** `true` or `false`. */
    | { readonly kind: "boolean"; readonly value: boolean }
    /** A name, or a type such as `array<f32, 4>`. */
    | { readonly kind: "name"; readonly name: string; readonly template?: readonly Expression[] }
    | { readonly kind: "call"; readonly callee: NameExpression; readonly args: readonly Expression[] }
    | { readonly kind: "member"; readonly of: Expression; readonly member: string }
    | { readonly kind: "index"; readonly of: Expression; readonly index: Expression }
    | { readonly kind: "unary"; readonly operator: UnaryOperator; readonly operand: Expression }
    | {
        readonly kind: "binary";
        readonly operator: BinaryOperator;
        /** Where the operator stands. */
        readonly at: number;
        readonly left: Expression;
        readonly right: Expression;
      }
    | { readonly kind: "parentheses"; readonly inner: Expression }
  );

export type NameExpression = Extract<Expression, { kind: "name" }>;

export interface Attribute extends Span {
  readonly name: string;
  readonly args: readonly Expression[];
}

/** `let`, `const`, `var` or `override`, in a function or at module scope. */
export interface Variable extends Span {
  readonly kind: "variable";
  readonly keyword: "let" | "const" | "var" | "override";
  readonly attributes: readonly Attribute[];
  /** Of a `var`: the address space and the access mode. */
  readonly template: readonly Expression[];
  readonly name: Named;
  readonly type?: Expression;
  readonly value?: Expression;
}

/** A name where it is declared. */
export interface Named extends Span {
  readonly name: string;
}

export interface Block extends Span {
  readonly kind: "block";
  readonly statements: readonly Statement[];
}

export type Statement = Span &
  (
    | Block
    | Variable
    /** With `operator`, it is a compound assignment such as `+=`. `_ = value` has no target. */
    | {
        readonly kind: "assign";
        readonly target?: Expression;
        readonly operator?: BinaryOperator;
        readonly value: Expression;
      }
    | { readonly kind: "step"; readonly target: Expression; readonly operator: "++" | "--" }
    | { readonly kind: "call statement"; readonly call: Expression }
    | {
        readonly kind: "if";
        readonly condition: Expression;
        readonly then: Block;
        readonly otherwise?: Statement;
      }
    | {
        readonly kind: "for";
        readonly start?: Statement;
        readonly condition?: Expression;
        readonly update?: Statement;
        readonly body: Block;
      }
    | { readonly kind: "while"; readonly condition: Expression; readonly body: Block }
    | { readonly kind: "loop"; readonly body: Block }
    | { readonly kind: "continuing"; readonly body: Block }
    | { readonly kind: "switch"; readonly on: Expression; readonly cases: readonly Case[] }
    | { readonly kind: "return"; readonly value?: Expression }
    | { readonly kind: "break if"; readonly condition: Expression }
    | { readonly kind: "break" | "continue" | "discard" | "empty" }
    | { readonly kind: "const_assert"; readonly condition: Expression }
  );

/** `default` is a selector of its own, or stands among others. */
export interface Case extends Span {
  readonly selectors: readonly Expression[];
  readonly isDefault: boolean;
  readonly body: Block;
}

export interface Parameter extends Span {
  readonly attributes: readonly Attribute[];
  readonly name: Named;
  readonly type: Expression;
}

export type ModuleDeclaration = Span &
  (
    | {
        readonly kind: "function";
        readonly attributes: readonly Attribute[];
        readonly name: Named;
        readonly parameters: readonly Parameter[];
        readonly result?: Expression;
        readonly body: Block;
      }
    | { readonly kind: "struct"; readonly name: Named; readonly members: readonly Parameter[] }
    | { readonly kind: "alias"; readonly name: Named; readonly type: Expression }
    | Variable
    | { readonly kind: "const_assert"; readonly condition: Expression }
    | { readonly kind: "directive"; readonly text: string }
    | { readonly kind: "empty" }
  );

export type FunctionDeclaration = Extract<ModuleDeclaration, { kind: "function" }>;

/** How tightly an operator binds. */
const ranks = {
  "||": 1,
  "&&": 2,
  "|": 3,
  "^": 4,
  "&": 5,
  "==": 6,
  "!=": 6,
  "<": 7,
  ">": 7,
  "<=": 7,
  ">=": 7,
  "<<": 8,
  ">>": 8,
  "+": 9,
  "-": 9,
  "*": 10,
  "/": 10,
  "%": 10,
} as const;

/** The operators that compare. */
export const relational: readonly string[] = ["==", "!=", "<", ">", "<=", ">="];
const arithmetic = ["+", "-", "*", "/", "%"];

/** The operators that may stand to the left and to the right of one without parentheses. WGSL wants them for all others. */
function besides(operator: BinaryOperator): readonly [left: readonly string[], right: readonly string[]] {
  if (operator === "&&" || operator === "||") {
    const both = [...relational, ...arithmetic, "<<", ">>"];
    return [[...both, operator], both];
  }
  if (relational.includes(operator)) {
    const both = [...arithmetic, "<<", ">>"];
    return [both, both];
  }
  const product = ["*", "/", "%"];
  if (operator === "+" || operator === "-") {
    return [arithmetic, product];
  }
  return [product.includes(operator) ? product : "&|^".includes(operator) ? [operator] : [], []];
}

interface Lexeme extends Span {
  readonly text: string;
  /** `template` is a bracket of a list of types, as in `array<f32>`. */
  readonly kind: "word" | "number" | "symbol" | "template" | "end";
}

/** Compilers stop at as many levels, too. */
export const MOST_LEVELS = 500;

const LONG_SYMBOLS = [
  "<<=",
  ">>=",
  "&&",
  "||",
  "==",
  "!=",
  "<=",
  ">=",
  "<<",
  ">>",
  "->",
  "++",
  "--",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "&=",
  "|=",
  "^=",
];

/** The characters with which long symbols start. */
const STARTS = "<>&|=!-+*/%^";

const NUMBER =
  /0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+[fh]?)?[iu]?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[iufh]?/y;

/** Whether a dot behind a lexeme stands before a member, and starts no number. */
const isValue = (before: Lexeme | undefined): boolean =>
  before?.kind === "word" ? !isReserved(before.text) : before?.text === ")" || before?.text === "]";

/** The lexeme that starts with a token: a number may have several. `before` is the lexeme before it. */
function lexemeAt(text: string, from: number, [token, , word]: Token, before: Lexeme | undefined): Lexeme {
  NUMBER.lastIndex = from;
  const isNumber = token === "." ? !isValue(before) : token >= "0" && token < ":";
  const number = isNumber ? (NUMBER.exec(text)?.[0] ?? "") : "";
  const kind = word ? "word" : number ? "number" : "symbol";
  // A number with letters behind it is one word, so that it is refused as a whole.
  const lexeme = number.length > token.length ? number : token;
  return { text: lexeme, kind, from, to: from + lexeme.length };
}

/** The words, numbers and single characters of a text, without blanks and comments. */
function simpleLexemes(text: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  let from = 0;
  let taken = 0;
  for (const token of tokensOf(text)) {
    const [read, isBlank] = token;
    if (!isBlank && from >= taken) {
      const lexeme = lexemeAt(text, from, token, lexemes.at(-1));
      taken = lexeme.to;
      lexemes.push(lexeme);
    }
    from += read.length;
  }
  return lexemes;
}

/** Whether a symbol follows a lexeme without blanks between them. */
const isNext = (lexemes: readonly Lexeme[], at: number, text: string): boolean =>
  lexemes[at + 1]?.text === text && lexemes[at + 1]?.from === lexemes[at]?.to;

/** A bracket that may open a list of types, and in how many other brackets it stands. */
interface Opening {
  readonly at: number;
  readonly depth: number;
}

/** Drops those that are as deep, or deeper. */
function dropFrom(open: Opening[], depth: number): void {
  while ((open.at(-1)?.depth ?? -1) >= depth) {
    open.pop();
  }
}

/** The places of the brackets that enclose lists of types: https://www.w3.org/TR/WGSL/#template-list-discovery */
function templateBrackets(lexemes: readonly Lexeme[]): ReadonlySet<number> {
  const brackets = new Set<number>();
  let depth = 0;
  // The brackets that may open a list. The deepest comes last.
  let open: Opening[] = [];
  for (let at = 0; at < lexemes.length; at++) {
    const { text } = lexemes[at] as Lexeme;
    if (text === ">" && open.at(-1)?.depth === depth) {
      brackets.add(at).add(open.pop()?.at ?? at);
      continue;
    }
    if ("=!<>".includes(text) && isNext(lexemes, at, "=")) {
      at++;
      continue;
    }
    switch (text) {
      case "<":
        if (lexemes[at - 1]?.kind === "word" && !isNext(lexemes, at, "<")) {
          open.push({ at, depth });
        }
        break;
      case "(":
      case "[":
        depth++;
        break;
      case ")":
      case "]":
        dropFrom(open, depth);
        depth = Math.max(0, depth - 1);
        break;
      case "=":
        open = [];
        break;
      case ";":
      case "{":
      case ":":
        depth = 0;
        open = [];
        break;
      case "&":
      case "|":
        if (isNext(lexemes, at, text)) {
          dropFrom(open, depth);
          at++;
        }
        break;
    }
  }
  return brackets;
}

function lexemesOf(text: string): Lexeme[] {
  const simple = simpleLexemes(text);
  const brackets = templateBrackets(simple);
  const lexemes: Lexeme[] = [];
  for (let at = 0; at < simple.length; at++) {
    const first = simple[at] as Lexeme;
    if (brackets.has(at)) {
      lexemes.push({ ...first, kind: "template" });
      continue;
    }
    const long =
      first.kind === "symbol" && STARTS.includes(first.text)
        ? LONG_SYMBOLS.find(
            (symbol) =>
              text.startsWith(symbol, first.from) &&
              Array.from(symbol, (_, step) => at + step).every((place) => !brackets.has(place)),
          )
        : undefined;
    lexemes.push(long === undefined ? first : { ...first, text: long, to: first.from + long.length });
    at += (long?.length ?? 1) - 1;
  }
  const end = simple.at(-1)?.to ?? 0;
  return [...lexemes, { text: "", kind: "end", from: end, to: end }];
}

/** Reads WGSL from left to right. */
class Reader {
  readonly #lexemes: readonly Lexeme[];
  #at = 0;
  #level = 0;
  readonly #heights = new WeakMap<Expression, number>();

  constructor(text: string) {
    this.#lexemes = lexemesOf(text);
  }

  get next(): Lexeme {
    return this.#lexemes[this.#at] as Lexeme;
  }

  get #before(): Lexeme {
    return this.#lexemes[this.#at - 1] as Lexeme;
  }

  fail(problem: string, at = this.next.from): never {
    throw new TextFault(problem, at);
  }

  is(text: string, kind: Lexeme["kind"] = "symbol"): boolean {
    return this.next.text === text && this.next.kind === kind;
  }

  /** Whether the next word is this keyword. Then it is read. */
  keyword(word: string): boolean {
    return this.take(word, "word");
  }

  take(text: string, kind: Lexeme["kind"] = "symbol"): boolean {
    const found = this.is(text, kind);
    this.#at += Number(found);
    return found;
  }

  expect(text: string, kind: Lexeme["kind"] = "symbol"): void {
    if (!this.take(text, kind)) {
      this.fail(`expected '${text}', and found ${this.#found()}`);
    }
  }

  #found(): string {
    return this.next.kind === "end" ? "the end" : `'${this.next.text}'`;
  }

  #word(): Named {
    const { kind, text: name, from, to } = this.next;
    if (kind !== "word") {
      this.fail(`expected a name, and found ${this.#found()}`);
    }
    this.#at++;
    return { name, from, to };
  }

  /** What one level of nesting reads. */
  #nested<T>(read: () => T): T {
    if (++this.#level > MOST_LEVELS) {
      this.fail(`it is nested more than ${MOST_LEVELS} levels deep`);
    }
    const result = read();
    this.#level--;
    return result;
  }

  /** An expression, a level higher than its parts. They are many in a text that is not nested, too, as in `x + x + x`. */
  #above<Of extends Expression>(one: Of, ...parts: readonly Expression[]): Of {
    const height = parts.reduce((most, part) => Math.max(most, this.#heights.get(part) ?? 0), 0) + 1;
    if (height > MOST_LEVELS) {
      this.fail(
        `it has more than ${MOST_LEVELS} operations on each other's results; use statements`,
        one.from,
      );
    }
    this.#heights.set(one, height);
    return one;
  }

  #list<T>(read: () => T, end: string, kind: Lexeme["kind"] = "symbol"): T[] {
    const all: T[] = [];
    while (!this.is(end, kind)) {
      all.push(read());
      if (!this.take(",")) {
        break;
      }
    }
    this.expect(end, kind);
    return all;
  }

  expression(least = 1): Expression {
    return this.#nested(() => {
      let left = this.#unary();
      for (;;) {
        const { text, from: at } = this.next;
        const rank = this.next.kind === "symbol" ? (ranks as Record<string, number>)[text] : undefined;
        if (rank === undefined || rank < least) {
          return left;
        }
        this.#at++;
        const operator = text as BinaryOperator;
        const right = this.expression(rank + 1);
        const [lefts, rights] = besides(operator);
        for (const [side, allowed] of [
          [left, lefts],
          [right, rights],
        ] as const) {
          if (side.kind === "binary" && !allowed.includes(side.operator)) {
            this.fail(`WGSL takes '${side.operator}' beside '${operator}' only in parentheses`, side.at);
          }
        }
        const both = { from: left.from, to: right.to };
        left = this.#above({ kind: "binary", operator, at, left, right, ...both }, left, right);
      }
    });
  }

  #unary(): Expression {
    const { text, kind, from } = this.next;
    // `--x` is two operators here.
    const isTwo = kind === "symbol" && (text === "--" || text === "&&");
    if (isTwo || (kind === "symbol" && ["-", "!", "~", "*", "&"].includes(text))) {
      this.#at++;
      const operand = this.#nested(() => this.#unary());
      const operator = text.charAt(0) as UnaryOperator;
      const { to } = operand;
      const start = isTwo ? from + 1 : from;
      const inner = this.#above<Expression>({ kind: "unary", operator, operand, from: start, to }, operand);
      return isTwo ? this.#above({ kind: "unary", operator, operand: inner, from, to }, inner) : inner;
    }
    return this.#postfix(this.#primary());
  }

  #primary(): Expression {
    const { text, kind, from, to } = this.next;
    if (kind === "number") {
      this.#at++;
      return { kind: "number", text, from, to };
    }
    if (this.take("(")) {
      const inner = this.expression();
      this.expect(")");
      return this.#above({ kind: "parentheses", inner, from, to: this.#before.to }, inner);
    }
    if (kind !== "word") {
      this.fail(`expected an expression, and found ${this.#found()}`);
    }
    if (text === "true" || text === "false") {
      this.#at++;
      return { kind: "boolean", value: text === "true", from, to };
    }
    const callee = this.type();
    if (!this.take("(")) {
      return callee;
    }
    const args = this.#list(() => this.expression(), ")");
    return this.#above({ kind: "call", callee, args, from, to: this.#before.to }, ...args);
  }

  #postfix(start: Expression): Expression {
    let of = start;
    for (;;) {
      if (this.take(".")) {
        const { name: member, to } = this.#word();
        of = this.#above({ kind: "member", of, member, from: of.from, to }, of);
      } else if (this.take("[")) {
        const index = this.expression();
        this.expect("]");
        of = this.#above({ kind: "index", of, index, from: of.from, to: this.#before.to }, of, index);
      } else {
        return of;
      }
    }
  }

  /** A name, and the list of types behind it. */
  type(): NameExpression {
    const { name, from, to } = this.#word();
    if (!this.take("<", "template")) {
      return { kind: "name", name, from, to };
    }
    const template = this.#nested(() => this.#list(() => this.expression(), ">", "template"));
    return { kind: "name", name, template, from, to: this.#before.to };
  }

  #attributes(): Attribute[] {
    const all: Attribute[] = [];
    for (let from = this.next.from; this.take("@"); from = this.next.from) {
      const { name } = this.#word();
      const args = this.take("(") ? this.#list(() => this.expression(), ")") : [];
      all.push({ name, args, from, to: this.#before.to });
    }
    return all;
  }

  #parameter(): Parameter {
    const { from } = this.next;
    const attributes = this.#attributes();
    const name = this.#word();
    this.expect(":");
    const type = this.type();
    return { attributes, name, type, from, to: type.to };
  }

  #variable(attributes: readonly Attribute[] = []): Variable | undefined {
    const { text } = this.next;
    const from = attributes[0]?.from ?? this.next.from;
    const keyword = (["let", "const", "var", "override"] as const).find((one) => this.keyword(one));
    if (keyword === undefined) {
      return undefined;
    }
    const template = this.take("<", "template") ? this.#list(() => this.expression(), ">", "template") : [];
    const name = this.#word();
    const type = this.take(":") ? this.type() : undefined;
    const value = this.take("=") ? this.expression() : undefined;
    if (value === undefined && (text === "let" || text === "const")) {
      this.fail(`expected '=', and found ${this.#found()}`);
    }
    return {
      kind: "variable",
      keyword,
      attributes,
      template,
      name,
      ...(type && { type }),
      ...(value && { value }),
      from,
      to: this.#before.to,
    };
  }

  block(): Block {
    this.#attributes();
    const { from } = this.next;
    this.expect("{");
    const statements = this.statements("}");
    this.expect("}");
    return { kind: "block", statements, from, to: this.#before.to };
  }

  /** Statements up to a closing brace, or to the end. */
  statements(end: "}" | ""): Statement[] {
    return this.#nested(() => {
      const all: Statement[] = [];
      while (!(end === "" ? this.next.kind === "end" : this.is(end))) {
        all.push(this.statement());
      }
      return all;
    });
  }

  statement(): Statement {
    const attributes = this.#attributes();
    if (this.is("{")) {
      return this.block();
    }
    const found = this.#compound() ?? this.#simple(attributes);
    if (found.kind !== "empty" && !endsWithBlock(found)) {
      this.expect(";");
    }
    return found;
  }

  #compound(): Statement | undefined {
    const { from } = this.next;
    const until = (): Span => ({ from, to: this.#before.to });
    if (this.take(";")) {
      return { kind: "empty", ...until() };
    }
    if (this.keyword("if")) {
      return this.#if(from);
    }
    if (this.keyword("while")) {
      const condition = this.expression();
      const body = this.block();
      return { kind: "while", condition, body, ...until() };
    }
    if (this.keyword("for")) {
      return this.#for(from);
    }
    if (this.keyword("switch")) {
      return this.#switch(from);
    }
    for (const kind of ["loop", "continuing"] as const) {
      if (this.keyword(kind)) {
        const body = this.block();
        return { kind, body, ...until() };
      }
    }
    return undefined;
  }

  #if(from: number): Statement {
    const condition = this.expression();
    const then = this.block();
    if (!this.keyword("else")) {
      return { kind: "if", condition, then, from, to: this.#before.to };
    }
    const start = this.next.from;
    const otherwise = this.#nested(() => (this.keyword("if") ? this.#if(start) : this.block()));
    return { kind: "if", condition, then, otherwise, from, to: this.#before.to };
  }

  #for(from: number): Statement {
    this.expect("(");
    const start = this.is(";") ? undefined : this.#simple([]);
    this.expect(";");
    const condition = this.is(";") ? undefined : this.expression();
    this.expect(";");
    const update = this.is(")") ? undefined : this.#simple([]);
    this.expect(")");
    const body = this.block();
    return {
      kind: "for",
      ...(start && { start }),
      ...(condition && { condition }),
      ...(update && { update }),
      body,
      from,
      to: this.#before.to,
    };
  }

  #switch(from: number): Statement {
    const on = this.expression();
    this.#attributes();
    this.expect("{");
    const cases: Case[] = [];
    while (!this.take("}")) {
      const start = this.next.from;
      const selectors: Expression[] = [];
      let isDefault = this.keyword("default");
      if (!isDefault) {
        this.expect("case", "word");
        while (!this.is(":") && !this.is("{")) {
          if (this.keyword("default")) {
            isDefault = true;
          } else {
            selectors.push(this.expression());
          }
          if (!this.take(",")) {
            break;
          }
        }
      }
      this.take(":");
      const body = this.block();
      cases.push({ selectors, isDefault, body, from: start, to: body.to });
    }
    return { kind: "switch", on, cases, from, to: this.#before.to };
  }

  /** A statement that a semicolon ends. */
  #simple(attributes: readonly Attribute[]): Statement {
    const { from } = this.next;
    const until = (): Span => ({ from, to: this.#before.to });
    const variable = this.#variable(attributes);
    if (variable !== undefined) {
      return variable;
    }
    if (this.keyword("return")) {
      const value = this.is(";") || this.next.kind === "end" ? undefined : this.expression();
      return { kind: "return", ...(value && { value }), ...until() };
    }
    if (this.keyword("break")) {
      if (this.keyword("if")) {
        const condition = this.expression();
        return { kind: "break if", condition, ...until() };
      }
      return { kind: "break", ...until() };
    }
    for (const kind of ["continue", "discard"] as const) {
      if (this.keyword(kind)) {
        return { kind, ...until() };
      }
    }
    if (this.keyword("const_assert")) {
      const condition = this.expression();
      return { kind: "const_assert", condition, ...until() };
    }
    return this.#assignment(from);
  }

  #assignment(from: number): Statement {
    if (this.keyword("_")) {
      this.expect("=");
      const value = this.expression();
      return { kind: "assign", value, from, to: value.to };
    }
    const target = this.#unary();
    if (target.kind === "call") {
      return { kind: "call statement", call: target, from, to: target.to };
    }
    for (const operator of ["++", "--"] as const) {
      if (this.take(operator)) {
        return { kind: "step", target, operator, from, to: this.#before.to };
      }
    }
    const { text, kind } = this.next;
    const operator = /^([-+*/%&|^]|<<|>>)=$/.exec(text)?.[1] as BinaryOperator | undefined;
    if (kind !== "symbol" || (text !== "=" && operator === undefined)) {
      this.fail(`expected '=', and found ${this.#found()}`);
    }
    this.#at++;
    const value = this.expression();
    return { kind: "assign", target, ...(operator && { operator }), value, from, to: value.to };
  }

  declaration(): ModuleDeclaration {
    const { from } = this.next;
    const until = (): Span => ({ from, to: this.#before.to });
    if (this.take(";")) {
      return { kind: "empty", ...until() };
    }
    if (["enable", "requires", "diagnostic"].includes(this.next.text)) {
      return this.#directive(from);
    }
    const attributes = this.#attributes();
    if (this.keyword("fn")) {
      return this.#function(from, attributes);
    }
    if (this.keyword("struct")) {
      const name = this.#word();
      this.expect("{");
      const members = this.#list(() => this.#parameter(), "}");
      return { kind: "struct", name, members, ...until() };
    }
    const found = this.#alias(from) ?? this.#assert(from) ?? this.#variable(attributes);
    if (found === undefined) {
      this.fail(`expected a declaration, and found ${this.#found()}`);
    }
    this.expect(";");
    return found;
  }

  #directive(from: number): ModuleDeclaration {
    const words: string[] = [];
    while (!this.take(";")) {
      if (this.next.kind === "end") {
        this.fail("expected ';', and found the end");
      }
      words.push(this.next.text);
      this.#at++;
    }
    return { kind: "directive", text: words.join(" "), from, to: this.#before.to };
  }

  #function(from: number, attributes: readonly Attribute[]): ModuleDeclaration {
    const name = this.#word();
    this.expect("(");
    const parameters = this.#list(() => this.#parameter(), ")");
    let result: Expression | undefined;
    if (this.take("->")) {
      this.#attributes();
      result = this.type();
    }
    const body = this.block();
    return {
      kind: "function",
      attributes,
      name,
      parameters,
      ...(result && { result }),
      body,
      from,
      to: body.to,
    };
  }

  #alias(from: number): ModuleDeclaration | undefined {
    if (!this.keyword("alias")) {
      return undefined;
    }
    const name = this.#word();
    this.expect("=");
    const type = this.type();
    return { kind: "alias", name, type, from, to: type.to };
  }

  #assert(from: number): ModuleDeclaration | undefined {
    if (!this.keyword("const_assert")) {
      return undefined;
    }
    const condition = this.expression();
    return { kind: "const_assert", condition, from, to: condition.to };
  }
}

const endsWithBlock = ({ kind }: Statement): boolean =>
  ["block", "if", "for", "while", "loop", "continuing", "switch"].includes(kind);

/** Reads an expression that is the whole text. @throws {TextFault} */
export function parseExpression(text: string): Expression {
  const reader = new Reader(text);
  const expression = reader.expression();
  if (reader.is(";")) {
    reader.fail("an expression takes no ';'; statements end in 'return …;'");
  }
  if (reader.next.kind !== "end") {
    reader.fail(`expected an operator, and found '${reader.next.text}'`);
  }
  return expression;
}

/** Reads the statements of a function's body, without its braces. @throws {TextFault} */
export const parseStatements = (text: string): readonly Statement[] => new Reader(text).statements("");

/** Reads declarations and directives at module scope. @throws {TextFault} */
export function parseModule(text: string): readonly ModuleDeclaration[] {
  const reader = new Reader(text);
  const all: ModuleDeclaration[] = [];
  while (reader.next.kind !== "end") {
    all.push(reader.declaration());
  }
  return all;
}
