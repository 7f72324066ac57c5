import type { CustomOperator } from "../../algebra/custom_operator.ts";
import { expressionFiles, takenAs } from "../../algebra/expression_files.ts";
import type { FieldType } from "../../algebra/fields.ts";
import { numbers, numericSurroundings, typeInText } from "../../algebra/numbers_64.ts";
import { provideNumbers } from "../../algebra/numbers_later.ts";
import { numericFiles } from "../../algebra/numeric_files.ts";
import type { DeclaredParams } from "../../algebra/seen_params.ts";
import type { ElementType } from "../../algebra/types.ts";
import { SourceError } from "../../errors.ts";
import { checkModule } from "../../simulator/check/module.ts";
import { constantCall } from "../../simulator/compile/constant_call.ts";
import { Module } from "../../simulator/compile/module.ts";
import type { Sees } from "../../text/callers.ts";
import { callersCombine, callersFunction, isStatements, placeOf, plainText } from "../../text/callers.ts";
import type { LinkedModule } from "../../text/link.ts";
import { linkSources } from "../../text/link.ts";
import { functionHeads } from "../../text/long_numbers.ts";
import { MARK } from "../../text/mark.ts";
import { callersNeighbour, errorAt, linesOf } from "../../text/origins.ts";
import type { Source, SourceText } from "../../text/source.ts";
import type {
  Expression,
  FunctionDeclaration,
  ModuleDeclaration,
  Statement,
  Variable,
} from "../../text/syntax.ts";
import { parseExpression, parseModule, parseStatements, TextFault } from "../../text/syntax.ts";
import { Scope, Typing } from "../../text/typing.ts";
import type { ScalarName, Type } from "../../text/wgsl_types.ts";
import { concrete, scalar } from "../../text/wgsl_types.ts";
import { structTexts, textName } from "./elements.ts";
import type { Program } from "./expressions.ts";
import { Names } from "./names.ts";
import { noCode } from "./no_code.ts";

// Callers' texts as trees with types. A text is taken if the simulator takes the function that a kernel has of it, and only then.

/** What a text is to give: a value of a type, whether something holds, the number of a class, or whatever it gives itself. */
export type Wanted = ElementType | "condition" | "class" | undefined;

/** The name of the function that a text is the end of. */
const ENTRY = "value_of_text";

/** What the simulator says of that function where its text gives another type, or nothing. */
const RETURNS_ANOTHER = new RegExp(`^${ENTRY} returns (.+), and this is (.+)$`);
const RETURNS_NOTHING = new RegExp(`^${ENTRY} returns .+, and (?=its end)`);

/** What messages call a text over elements. */
const TITLE = "the text";

/** The function's result in WGSL, and what an expression stands in. */
interface Head {
  readonly result: string;
  readonly open: string;
  readonly close: string;
}

const headOf = (result: string, open = "(", close = ")"): Head => ({ result, open, close });

/** What a text over elements is, and what it may name. */
export interface MapText {
  readonly text: string;
  readonly from: ElementType;
  readonly wanted: Wanted;
  /** Whether the text may name the element's index, `i`. */
  readonly hasIndex: boolean;
  /** The values that it may name beside. */
  readonly params?: DeclaredParams | undefined;
  /** Elements of other arrays that it may name beside, and their types. */
  readonly beside?: Beside | undefined;
}

/** The types of elements of other arrays, by the names that a text has for them. */
export type Beside = Readonly<Record<string, ElementType>>;

const isType = (wanted: Wanted): wanted is ElementType => typeof wanted === "object";

/** Whether texts over a type may have numbers of 64 bits. */
function takesLong(types: readonly ElementType[]): boolean {
  const isLong = types.some((type) => type.numbers !== undefined);
  if (isLong) {
    provideNumbers(numbers);
  }
  return isLong;
}

/** Names at module scope: constants. Variables there have no code. */
function namesOf(constants: Iterable<readonly [string, Variable]>): Names {
  const names = new Names();
  for (const [name, variable] of constants) {
    if (variable.keyword === "const") {
      names.declare(name, { kind: "constant", variable, names });
    }
  }
  return names;
}

/** The files of numbers of 64 bits, where functions have no bodies: texts that call them are checked by what they take and give. */
let heads: ReadonlyMap<string, SourceText> | undefined;

function withHeads(files: readonly SourceText[]): readonly SourceText[] {
  heads ??= new Map(numericFiles.map((file) => [file.name, { ...file, text: functionHeads(file.text) }]));
  const known = heads;
  return files.map((file) => known.get(file.name) ?? file);
}

/** The function of a kernel, if it is right. @throws {SourceError} */
function checked(sources: readonly Source[], entry: string): Module {
  const linked = linkSources(sources, entry);
  try {
    const module = new Module(linked.code);
    checkModule(module);
    return module;
  } catch {
    return separate(linked);
  }
}

/** A module in which places count from the start of the text. @throws {SourceError} at the caller's line. */
function separate(linked: LinkedModule): Module {
  try {
    const module = new Module(linked.code, true);
    checkModule(module);
    return module;
  } catch (fault) {
    if (!(fault instanceof TextFault)) {
      throw fault;
    }
    const { line, column } = placeOf(linked.code.slice(0, fault.at));
    const lines = linesOf(linked);
    const origin = lines[line - 1];
    const own = origin?.source.callers ? origin : callersNeighbour(lines, line - 1);
    throw own === undefined
      ? fault
      : errorAt(own, linked, { line, column, isExact: own === origin }, () => toldOf(fault));
  }
}

/** What is wrong, without the name of a function that the caller does not know. */
const toldOf = ({ message }: TextFault): string =>
  message
    .replace(RETURNS_ANOTHER, (_, taken: string, given: string) => `this is ${given}; it takes ${taken}`)
    .replace(RETURNS_NOTHING, "");

/** What is made of a caller's text, in which a fault counts places. @throws {SourceError} */
function readAs<Made>(text: string, read: (plain: string) => Made): Made {
  const plain = plainText(TITLE, text);
  try {
    return read(plain);
  } catch (fault) {
    if (!(fault instanceof TextFault)) {
      throw fault;
    }
    const { line, column } = placeOf(plain.slice(0, fault.at));
    throw new SourceError(`${TITLE}, line ${line}: ${fault.message}`, text, line, column);
  }
}

function programOf(module: Module, entry: string): Program {
  const { typing, functions, constants, declarations } = module;
  requireNoAssertions(declarations);
  for (const declaration of functions.values()) {
    module.typeBody(declaration);
  }
  return {
    typing,
    functions,
    names: namesOf(constants),
    takesLong: false,
    entry: functions.get(entry) ?? noCode("no function"),
  };
}

function requireNoAssertions(declarations: readonly ModuleDeclaration[]): void {
  if (declarations.some(({ kind }) => kind === "const_assert")) {
    noCode("an assertion");
  }
}

/** A text with numbers of 64 bits as the caller wrote it. It has been checked as kernels have it. */
function longProgram(text: string): Program {
  const declarations = parseModule(text);
  const typing = new Typing();
  typing.module(declarations, new Scope(numericSurroundings().scope));
  requireNoAssertions(declarations);
  const functions = declarations.filter((one): one is FunctionDeclaration => one.kind === "function");
  const constants = declarations.filter((one): one is Variable => one.kind === "variable");
  const names = new Set(declarations.flatMap((one) => ("name" in one ? [one.name.name] : [])));
  return {
    typing,
    functions: new Map(functions.map((one) => [one.name.name, one])),
    names: namesOf(constants.map((one) => [one.name.name, one])),
    takesLong: true,
    entry:
      names.size === declarations.filter((one) => "name" in one).length
        ? (functions.find(({ name }) => name.name === ENTRY) ?? noCode("no function"))
        : noCode("a name that is declared twice"),
  };
}

/** The type that a text has, whatever is wanted. @throws {SourceError} */
function ownType({ text, from, hasIndex, params }: MapText, isLong: boolean): Type {
  const typing = isLong ? new Typing() : new Typing(constantCall);
  const scope = new Scope(isLong ? numericSurroundings().scope : undefined);
  typing.declarations(parseModule(structsFor([from], params).join("\n")), scope);
  const struct = scope.find(from.name);
  const type = struct?.kind === "type" ? struct.type : scalar(from.name as ScalarName);
  scope.declare("x", { kind: "value", type });
  if (hasIndex) {
    scope.declare("i", { kind: "value", type: scalar("u32") });
  }
  for (const [name, one] of Object.entries(params?.types ?? {})) {
    scope.declare(name, { kind: "value", type: typeInText(one) });
  }
  return readAs(text, (plain) => {
    if (!isStatements(text)) {
      return requireOwn(typing.expression(parseExpression(plain), scope), from);
    }
    const statements = parseStatements(plain);
    typing.statements(statements, scope);
    const value = returnedIn(statements) ?? noCode("no result");
    return requireOwn(typing.typeOf(value), from);
  });
}

/** A type that an array may have: a scalar, or that of the elements. */
function requireOwn(type: Type, from: ElementType): Type {
  const own = concrete(type);
  return own.kind === "scalar" || (own.kind === "struct" && own.name === from.name)
    ? own
    : noCode("a value of no element type");
}

/** The value that the first `return` gives. */
function returnedIn(statements: readonly Statement[]): Expression | undefined {
  for (const one of statements) {
    const value = returnedBy(one);
    if (value !== undefined) {
      return value;
    }
  }
  return undefined;
}

function returnedBy(one: Statement): Expression | undefined {
  switch (one.kind) {
    case "return":
      return one.value;
    case "block":
      return returnedIn(one.statements);
    case "if":
      return returnedIn([one.then, ...(one.otherwise ? [one.otherwise] : [])]);
    case "for":
    case "while":
    case "loop":
    case "continuing":
      return returnedIn([one.body]);
    case "switch":
      return returnedIn(one.cases.map(({ body }) => body));
    default:
      return undefined;
  }
}

/** A text over elements: its tree, and the type of the elements that it gives, by name. */
export interface ReadText {
  readonly program: Program;
  /** `bool` for a condition. */
  readonly type: ElementType | ScalarName;
}

/**
 * A text over elements as a program; its function takes the scalars of `x`, then `i` if it has it, then the scalars of params, and then those of
 * elements of other arrays.
 *
 * @throws {Error} if it has no code.
 */
export function readMap(given: MapText): ReadText {
  const { from, wanted, params, beside = {} } = given;
  const others = Object.values(beside);
  const types = [from, ...(isType(wanted) ? [wanted] : []), ...others, ...(params?.elements ?? [])];
  const isLong = takesLong(types);
  const own = wanted === undefined || (wanted === "class" && isLong) ? ownType(given, isLong) : undefined;
  const module = checkedMap(given, types, own, isLong);
  return {
    program: isLong ? longProgram(longMapText(given, types, own)) : programOf(module, ENTRY),
    type: isType(wanted)
      ? wanted
      : wanted !== undefined
        ? wanted === "condition"
          ? "bool"
          : "u32"
        : own?.kind === "scalar"
          ? own.name
          : from,
  };
}

/** The declarations of the structs that elements and params have, each once. */
const structsFor = (types: readonly ElementType[], params: DeclaredParams | undefined): readonly string[] => [
  ...new Set([...types, ...(params?.elements ?? [])].flatMap(structTexts)),
];

const parametersText = (type: string, hasIndex: boolean): string => `x: ${type}${hasIndex ? ", i: u32" : ""}`;

/** The function that a kernel has of the text. */
function checkedMap(
  { text, from, wanted, hasIndex, params, beside = {} }: MapText,
  types: readonly ElementType[],
  own: Type | undefined,
  isLong: boolean,
): Module {
  const returns = isStatements(text);
  const parameters = { x: from, ...(hasIndex && { i: "u32" as const }) };
  const reader = isLong ? numbers.reader(types) : undefined;
  const result =
    wanted ?? (returns && own?.kind === "scalar" ? own.name : own?.kind === "struct" ? from : "condition");
  // A number of 64 bits is converted to what it is asked for, which is a condition for a text of its own type.
  const head =
    wanted === undefined && isLong && !returns && own?.kind === "scalar"
      ? takenAs.condition
      : headFor(
          from,
          wanted,
          own,
          ({ native }) => native.element,
          (name) => (isLongName(name) ? "vec2<u32>" : name),
        );
  const typeFiles = expressionFiles(...types);
  params?.requireFree(typeFiles, types);
  const files = withHeads(typeFiles);
  const sees: Sees = {
    parameters: Object.keys(parameters),
    own: [...(params?.names ?? []), ...Object.keys(beside)],
    files,
    ...(reader && {
      read: (one: string) =>
        reader.body(
          one,
          { ...parameters, ...beside, ...(params?.types as typeof parameters | undefined) },
          result,
          returns,
        ),
    }),
  };
  const list = [
    parametersText(from.native.element, hasIndex) + (params?.parameters ?? ""),
    ...Object.entries(beside).map(([name, { native }]) => `${MARK}${name}: ${native.element}`),
  ];
  const line = `fn ${ENTRY}(${list.join(", ")}) -> ${head.result} {`;
  return checked([callersFunction(line, TITLE, text, sees, head.open, head.close), ...files], ENTRY);
}

/** The text in a function as the caller sees it: with numbers of 64 bits. */
function longMapText(
  { text, from, wanted, hasIndex, params, beside }: MapText,
  types: readonly ElementType[],
  own: Type | undefined,
): string {
  const isClass = wanted === "class" && own?.kind === "scalar";
  const head =
    isClass && own.name === "u64"
      ? headOf("u32", "u32(i32(min(", ", 2147483647)))")
      : isClass && own.name === "i64"
        ? headOf("u32", "u32(i32(clamp(", ", -2147483648, 2147483647)))")
        : headFor(
            from,
            wanted,
            own,
            ({ name }) => name,
            (name) => name,
          );
  const list = [...Object.entries(params?.types ?? {}), ...Object.entries(beside ?? {})].map(
    ([name, type]) => `, ${name}: ${textName(type as FieldType)}`,
  );
  return [
    ...structsFor(types, params),
    `fn ${ENTRY}(${parametersText(from.name, hasIndex)}${list.join("")}) -> ${head.result} {`,
    isStatements(text)
      ? `${plainText(TITLE, text)}\n}`
      : `return ${head.open}${plainText(TITLE, text)}\n${head.close};\n}`,
  ].join("\n");
}

/** How a function gives what is wanted, where types have these names. */
function headFor(
  from: ElementType,
  wanted: Wanted,
  own: Type | undefined,
  nameOf: (type: ElementType) => string,
  scalarName: (name: string) => string,
): Head {
  if (isType(wanted)) {
    return headOf(nameOf(wanted));
  }
  if (wanted !== undefined) {
    return takenAs[wanted];
  }
  return headOf(own?.kind === "scalar" ? scalarName(own.name) : nameOf(from));
}

const isLongName = (name: string): boolean => name === "u64" || name === "i64" || name === "f64";

/** An operator as a program; its function takes the scalars of `earlier`, and then those of `later`. @throws {Error} if it has no code. */
export function readOperator({ name, combine, declarations, type, swapped }: OperatorText): Program {
  const isLong = takesLong([type]);
  const { element } = type.native;
  const files = withHeads(type.files);
  const callers = callersCombine({
    name,
    combine,
    declarations,
    type: {
      ...type,
      files,
      ...(isLong && { numbers: { files: withHeads(numericFiles), reader: () => numbers.reader([type]) } }),
    },
  });
  const [first, second] = swapped ? ["later", "earlier"] : ["earlier", "later"];
  const line = (of: string): string => `(${first}: ${of}, ${second}: ${of}) -> ${of} {`;
  const module = checked([...callers.sources(`fn combine${line(element)}`), ...files], "combine");
  return isLong
    ? longProgram(
        [
          ...structTexts(type),
          plainText("declarations", declarations),
          `fn ${ENTRY}${line(type.name)}`,
          isStatements(combine)
            ? `${plainText("combine", combine)}\n}`
            : `return (${plainText("combine", combine)}\n);\n}`,
        ].join("\n"),
      )
    : programOf(module, "combine");
}

/** What an operator is made of. */
export type OperatorText = Pick<CustomOperator, "name" | "combine" | "declarations" | "type"> & {
  /** Whether the later operand comes first. */
  readonly swapped?: boolean | undefined;
};
