import type { Block, Expression, NameExpression, Parameter, Variable } from "../../text/syntax.ts";

// What a function's text uses, by what its names refer to: a local variable hides one at module scope of the same name.

export type Call = Extract<Expression, { kind: "call" }>;

/** The address spaces of variables at module scope. */
export type Space = "private" | "workgroup" | "storage" | "uniform";

/** What declares a name in a function. */
export type Declared = Variable | Parameter;

export interface Uses {
  /** All calls, in no special order. */
  readonly calls: readonly Call[];
  /** The names of the variables at module scope. */
  readonly globals: ReadonlySet<string>;
  /** The variables of the function whose address is taken. */
  readonly pointedAt: ReadonlySet<Declared>;
  /** The indices that choose parts of the function's variables and parameters. */
  readonly indices: ReadonlyMap<Declared, readonly Expression[]>;
  /** The calls of atomic functions on storage. */
  readonly storageAtomics: ReadonlySet<Call>;
}

/** What the reader has to know of the module around the function. */
export interface Around {
  /** The address space of a variable at module scope. */
  spaceOf(name: string): Space | undefined;
  /** The address space in the type of a pointer; undefined for other types. */
  addressSpaceOf(type: Expression): string | undefined;
}

/** A name of the function: of a pointer it has the space where that leads. */
interface LocalName {
  readonly declared: Declared;
  readonly space: string;
}

class UsesReader implements Uses {
  readonly calls: Call[] = [];
  readonly globals = new Set<string>();
  readonly pointedAt = new Set<Declared>();
  readonly indices = new Map<Declared, Expression[]>();
  readonly storageAtomics = new Set<Call>();
  readonly #around: Around;
  /** The names of the blocks around a place, from the innermost on. */
  readonly #scopes: Map<string, LocalName>[] = [];

  constructor(around: Around) {
    this.#around = around;
  }

  function(parameters: readonly Parameter[], body: Block): void {
    this.#inScope(() => {
      for (const declared of parameters) {
        const space = this.#around.addressSpaceOf(declared.type) ?? "function";
        this.#declare(declared.name.name, { declared, space });
      }
      this.visit(body.statements);
    });
  }

  visit(node: object): void {
    const { kind } = node as { readonly kind?: string };
    switch (kind) {
      case "block":
      case "for":
        this.#inScope(() => this.#visitParts(node));
        break;
      case "variable":
        this.#visitParts(node);
        this.#variable(node as Variable);
        break;
      case "name":
        this.#name(node as NameExpression);
        break;
      case "call":
        this.#call(node as Call);
        break;
      case "unary":
        this.#addressOf(node as Extract<Expression, { kind: "unary" }>);
        this.#visitParts(node);
        break;
      case "index":
        this.#element(node as Extract<Expression, { kind: "index" }>);
        this.#visitParts(node);
        break;
      default:
        this.#visitParts(node);
    }
  }

  #visitParts(node: object): void {
    for (const part of Object.values(node)) {
      if (typeof part === "object" && part !== null) {
        this.visit(part);
      }
    }
  }

  #inScope(visit: () => void): void {
    this.#scopes.unshift(new Map());
    visit();
    this.#scopes.shift();
  }

  #declare(name: string, local: LocalName): void {
    this.#scopes[0]?.set(name, local);
  }

  #find(name: string): LocalName | undefined {
    return this.#scopes.find((scope) => scope.has(name))?.get(name);
  }

  #variable(variable: Variable): void {
    const { keyword, name, value } = variable;
    const space = keyword === "let" && value ? this.#spaceOf(value) : "function";
    this.#declare(name.name, { declared: variable, space });
  }

  #name(one: NameExpression): void {
    if (this.#find(one.name) === undefined && this.#around.spaceOf(one.name) !== undefined) {
      this.globals.add(one.name);
    }
    this.visit(one.template ?? []);
  }

  #call(call: Call): void {
    const { callee, args } = call;
    this.calls.push(call);
    const [first] = args;
    if (first && callee.name.startsWith("atomic") && this.#spaceOf(first) === "storage") {
      this.storageAtomics.add(call);
    }
    this.#visitParts(args);
  }

  #addressOf({ operator, operand }: Extract<Expression, { kind: "unary" }>): void {
    const declared = operator === "&" ? this.#declaredAt(operand) : undefined;
    if (declared) {
      this.pointedAt.add(declared);
    }
  }

  #element({ of, index }: Extract<Expression, { kind: "index" }>): void {
    const declared = this.#declaredAt(of);
    const known = declared && this.indices.get(declared);
    if (known) {
      known.push(index);
    } else if (declared) {
      this.indices.set(declared, [index]);
    }
  }

  /** What declares the variable that an expression is a part of, if the function does. */
  #declaredAt(one: Expression): Declared | undefined {
    const root = rootOf(one);
    return root === undefined ? undefined : this.#find(root)?.declared;
  }

  /** The address space of what a pointer leads to: that of the variable at its root. */
  #spaceOf(expression: Expression): string {
    switch (expression.kind) {
      case "name":
        return this.#find(expression.name)?.space ?? this.#around.spaceOf(expression.name) ?? "function";
      case "unary":
        return this.#spaceOf(expression.operand);
      case "member":
      case "index":
        return this.#spaceOf(expression.of);
      case "parentheses":
        return this.#spaceOf(expression.inner);
      default:
        return "function";
    }
  }
}

/** The name of the variable that an expression is a part of. */
function rootOf(one: Expression): string | undefined {
  switch (one.kind) {
    case "name":
      return one.name;
    case "member":
    case "index":
      return rootOf(one.of);
    case "parentheses":
      return rootOf(one.inner);
    default:
      return undefined;
  }
}

/** Reads what a function uses. */
export function usesOf(parameters: readonly Parameter[], body: Block, around: Around): Uses {
  const reader = new UsesReader(around);
  reader.function(parameters, body);
  return reader;
}
