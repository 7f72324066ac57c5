import { ArgumentError, refuse } from "../errors.ts";
import { hasCode, plainText, requireExpression } from "../text/callers.ts";
import { MARK } from "../text/mark.ts";
import { piecesOf, textOf } from "../text/pieces.ts";
import { describe } from "./check_value.ts";
import { requireDefinition } from "./custom_operator.ts";
import { requireName } from "./require_name.ts";
import type { ElementType, WgslType } from "./types.ts";

/** What {@link wgslType} takes. */
export interface WgslTypeDefinition<Name extends string> {
  /** Letters, digits and underscores: it becomes part of the functions' names. */
  readonly name: Name;
  /** The type in WGSL, if that is not the name, such as `array<vec3<f32>, 2>`, which no function's name can hold. */
  readonly wgsl?: string;
  /** The structs that it is made of. They come with the functions: leave them out of your kernel. */
  readonly declarations?: string;
}

/** How WGSL lays out a type, and how its values move between lanes. */
interface Layout {
  readonly size: number;
  readonly align: number;
  /** An expression that moves a value, by a built-in such as `subgroupShuffle`. */
  shuffle(wgsl: string, value: string, place: string): string;
}

const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

const bytesOf = (scalar: string): number => (/f16|h/.test(scalar) ? 2 : 4);

const whole: Layout["shuffle"] = (wgsl, value, place) => `${wgsl}(${value}, ${place})`;

/** A type of several parts, which move one by one. */
const parts = (
  size: number,
  align: number,
  maker: string,
  members: readonly (readonly [access: string, layout: Layout])[],
): Layout => ({
  size,
  align,
  shuffle: (wgsl, value, place) =>
    `${maker}(${members.map(([access, one]) => one.shuffle(wgsl, value + access, place)).join(", ")})`,
});

/** Parts of the same type at places 0, 1, 2 … */
const repeated = (count: number, maker: string, one: Layout): Layout => {
  const stride = roundUp(one.size, one.align);
  const members = Array.from({ length: count }, (_, at) => [`[${at}]`, one] as const);
  return parts(count * stride, one.align, maker, members);
};

function vector(count: number, scalar: number): Layout {
  return { size: count * scalar, align: (count === 3 ? 4 : count) * scalar, shuffle: whole };
}

/**
 * A WGSL type as an element of in-kernel functions alone: a vector, a matrix, an array, or a struct of your own, nested as
 * you like. Nothing converts it on the CPU, so the identity of its operators is a WGSL expression, if there is one.
 *
 * @throws {ArgumentError} for a type that is not made of u32, i32, f32, f16, vectors, matrices, arrays of a literal length, and
 * the structs that are declared.
 *
 * @example
 * ```ts
 * const vec3f = wgslType({ name: "vec3f" });
 * const sum = operator({ name: "sum", type: vec3f, identity: "vec3f()", combine: "earlier + later" });
 * const code = link(myKernel, [workGroupReduce({ type: vec3f, op: sum, workGroupSize: 256 })]);
 * // in myKernel:  let total = work_group_reduce_sum_vec3f(vec3f(f32(x)), local_index);
 * ```
 */
export function wgslType<const Name extends string>(definition: WgslTypeDefinition<Name>): WgslType<Name> {
  requireDefinition(definition, "wgslType", { name: true, wgsl: true, declarations: true });
  const { name, wgsl = name, declarations = "" } = definition;
  if (definition.wgsl === undefined && /^\w+</.test(name)) {
    const own = name.replace(/\W+/g, "_").replace(/_$/, "");
    throw new ArgumentError(
      `wgslType: name is ${JSON.stringify(name)}, and it becomes part of the functions' names; it takes { name: "${own}", wgsl: ${JSON.stringify(name)} }, with any name`,
      "name",
    );
  }
  requireName(name, "wgslType");
  const caller = `wgslType ${name}`;
  for (const [option, text] of Object.entries({ wgsl, declarations })) {
    if (typeof text !== "string") {
      refuse(caller, option, describe(text), "WGSL text, as a string");
    }
  }
  const pieces = piecesOf(plainText(`declarations of ${caller}`, declarations));
  const structs = new Map<string, readonly (readonly [member: string, type: string])[]>();
  for (const piece of pieces.filter((one) => one.name !== "")) {
    const [, body] = /^\s*struct\s+\S+?\s*\{([^@]*)\}\s*;?\s*$/.exec(piece.code) ?? [];
    if (body === undefined) {
      refuse(caller, "declarations", `a ${piece.keyword} ${piece.name}`, "structs without attributes");
    }
    const members = Array.from(
      body.matchAll(/(\w+)\s*:\s*((?:[^<>,]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+)/g),
    );
    structs.set(
      piece.name,
      members.map(([, member = "", type = ""]) => [member, type]),
    );
  }
  const open = new Set<string>();
  const layoutOf = (written: string): Layout => {
    const text = written.replace(/\s+/g, "");
    const [, count, scalar = ""] = /^vec([234])(<(?:[uif]32|f16)>|[uifh])$/.exec(text) ?? [];
    const [, columns, rows, float = ""] = /^mat([234])x([234])(<(?:f32|f16)>|[fh])$/.exec(text) ?? [];
    const [, element, length] = /^array<(.*?),(\d+)u?,?>$/.exec(text) ?? [];
    const own = structs.get(text);
    if (/^([uif]32|f16)$/.test(text)) {
      return { size: bytesOf(text), align: bytesOf(text), shuffle: whole };
    }
    if (count !== undefined) {
      return vector(Number(count), bytesOf(scalar));
    }
    if (columns !== undefined) {
      return repeated(Number(columns), text, vector(Number(rows), bytesOf(float)));
    }
    if (element !== undefined && Number(length) > 0) {
      return repeated(Number(length), text, layoutOf(element));
    }
    if (own === undefined || open.has(text)) {
      throw new ArgumentError(
        `${caller}: ${written.trim()} is not understood; it takes u32, i32, f32, f16, vectors and matrices of them, arrays of a literal length, and the structs of its declarations`,
        "wgsl",
      );
    }
    open.add(text);
    let end = 0;
    let align = 1;
    const members = own.map(([member, type]) => {
      const one = layoutOf(type);
      end = roundUp(end, one.align) + one.size;
      align = Math.max(align, one.align);
      return [`.${member}`, one] as const;
    });
    open.delete(text);
    return parts(roundUp(end, align), align, text, members);
  };
  const { size, align, shuffle } = layoutOf(wgsl);
  // Beside our own WGSL, the structs' names have the mark.
  const marked = (word: string): string => (structs.has(word) ? MARK + word : word);
  const inOurs = (text: string): string => piecesOf(text, marked).map(textOf).join("");
  const type: Omit<WgslType<Name>, "round"> = {
    name,
    kind: "struct",
    bytes: size,
    value: wgsl,
    takes: `operator({ type: ${name}, … })`,
    files:
      structs.size === 0
        ? []
        : [
            {
              name: `declarations of ${name}`,
              text: inOurs(pieces.map(textOf).join("")),
              as: (one) => one.slice(MARK.length),
            },
          ],
    native: {
      element: inOurs(wgsl),
      elementBytes: roundUp(size, align),
      align,
      shuffle: (builtin, element, place) => inOurs(shuffle(builtin, element, place)),
      literal(identity) {
        const title = `identity of ${name}`;
        requireExpression(title, identity as string);
        return [inOurs(plainText(title, identity as string).trim())];
      },
    },
    problemOf: (value) =>
      typeof value === "string" && hasCode(value)
        ? undefined
        : `${describe(value)} is no WGSL expression of ${name}`,
  };
  // The type has no `round`, so only in-kernel functions take it for an element type.
  return type as WgslType<Name> & ElementType<Name, never>;
}
