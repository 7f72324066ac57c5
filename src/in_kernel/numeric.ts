import type { Operator } from "../algebra/monoid.ts";
import { operatorOn } from "../algebra/monoid.ts";
import { numericFiles } from "../algebra/numeric_files.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuseOthers } from "../errors.ts";
import { piecesOf, textOf, tokensOf } from "../text/pieces.ts";
import type { SourceText } from "../text/source.ts";
import type { InKernelFunctions } from "./link.ts";
import { codeOf } from "./link.ts";

/**
 * Functions that use no work-group memory, from files, text of ours that uses what the files declare, and text that uses it by the
 * names that it has in a caller's kernel. `names` are those that a kernel may call.
 */
function plainFunctions(
  files: readonly SourceText[],
  own: string,
  callable: string,
  names: readonly string[],
): InKernelFunctions {
  // Declarations have the same names as in other in-kernel functions, so that a kernel gets each of them once.
  const written = new Map<string, string>();
  for (const file of files) {
    for (const { name } of piecesOf(file.text)) {
      written.set(name, file.as?.(name) ?? name);
    }
  }
  const shared = piecesOf(
    files.map((file) => `${file.text}\n`).join("") + own,
    (word) => written.get(word) ?? word,
  );
  return {
    names,
    workGroupMemory: 0,
    pieces: piecesOf(shared.map(textOf).join("") + callable),
    get code(): string {
      return codeOf(this.pieces, names);
    },
  };
}

/** The files whose functions a kernel may call: those that do without a contract, and what belongs to the type's. */
function filesOf({ files }: ElementType): SourceText[] {
  const own = files.filter(({ as }) => as !== undefined);
  const known = own.map(({ name }) => name);
  return [
    ...own,
    ...numericFiles.filter(
      ({ name }) => !known.includes(name) && known.includes(name.replace(/_(arithmetic|conversions)/, "")),
    ),
  ];
}

/**
 * The arithmetic of a type that WGSL does not have, for kernels of your own. The functions have the names of
 * shaders/numeric/. For u64 and i64, they are `add_u64`, `sub_u64`, `mul_u64`, `less_u64`, `less_i64`, `min_u64` and so on.
 * For f64, they are `add_f64`, `sub_f64`, `mul_f64`, `less_f64`, `floor_f64`, `trunc_f64`, conversions such as `f64_from_u32` and
 * `u32_from_f64`, and those of the integers, too. For f16, they are `bits_from_f16` and `f16_from_bits`. Values of 64 bits are `vec2<u32>`, low
 * word first. A kernel gets only the functions that it calls.
 *
 * @throws {ArgumentError} for a type that WGSL has itself.
 *
 * @example
 * ```ts
 * const code = link(myKernel, [numeric(f64)]);
 * // in myKernel:  let half = mul_f64(f64_from_u32(x), vec2(0u, 0x3fe00000u));
 * ```
 */
export function numeric(type: ElementType): InKernelFunctions {
  const functions = known.get(type) ?? functionsOf(requireType(type, "numeric"));
  known.set(type, functions);
  return functions;
}

/** What was made for each type: directives look through the names of all. */
const known = new WeakMap<ElementType, InKernelFunctions>();

function functionsOf(type: ElementType): InKernelFunctions {
  const files = filesOf(type);
  const names: string[] = [];
  let text = "";
  for (const { text: own, as } of files) {
    for (const { name, code } of piecesOf(own).filter(({ keyword }) => keyword === "fn")) {
      const head = code.slice(0, code.indexOf("{") + 1).trim();
      const parameters = tokensOf(head).flatMap(([, , word, colon]) => (word && colon ? word : []));
      names.push(name);
      text += `${head}\n  return ${as?.(name)}(${parameters.join(", ")});\n}\n`;
    }
  }
  if (names.length === 0) {
    throw new ArgumentError(
      `numeric: WGSL has the arithmetic of ${type.name} itself; it takes u64, i64, f64, f16 or a struct of them`,
      "type",
    );
  }
  return plainFunctions(files, "", text, names);
}

/**
 * An operator's identity as a function for your kernel, such as `identity_max_f32()`. A thread that has nothing to combine
 * gives this value. It is a function, since WGSL takes no infinity as a constant. The identity of a sum of f64 is −0, which
 * changes nothing; 0 would turn −0 into 0.
 *
 * @throws {ArgumentError} when the operator does not take the type.
 *
 * @example
 * ```ts
 * const code = link(myKernel, [workGroupReduce({ type: f32, op: max, workGroupSize: 256 }), identityOf({ type: f32, op: max })]);
 * // in myKernel:  let most = work_group_reduce_max_f32(select(identity_max_f32(), f32(x), x > 3u), local_index);
 * ```
 */
export function identityOf<Name extends string>(options: {
  /** The element type. */
  readonly type: ElementType<Name>;
  /** The operator. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
}): InKernelFunctions {
  const { type, op = add as Operator, ...others } = Object(options) as { type: ElementType; op?: Operator };
  refuseOthers("identityOf", others, "type, op");
  const { key, identity } = operatorOn(op, type, "identityOf");
  const [expression, setup = ""] = type.native.literal(identity, "value");
  const name = `identity_${key}`;
  const text = `fn ${name}() -> ${type.value} {
  ${setup}return ${expression};
}`;
  return plainFunctions(filesOf(type), text, "", [name]);
}
