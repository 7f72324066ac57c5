import { ArgumentError, refuse } from "../errors.ts";
import type { OptionNames, OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { callersCombine, requireCode } from "../text/callers.ts";
import { describe, problemOfNearest } from "./check_value.ts";
import type { Monoid, Operator } from "./monoid.ts";
import { optionalDomain } from "./optional_element.ts";
import { requireName } from "./require_name.ts";
import type { ElementType, Value, WgslType } from "./types.ts";
import { isSameType, requireType, requireValueType } from "./types.ts";

/** An operator of the caller's own, for in-kernel functions alone. See {@link operator}. */
export interface InKernelOperator<Accepted extends string = string, V extends Value = Value>
  extends Operator<Accepted> {
  /** The one type that it takes. */
  readonly type: ElementType<Accepted, V>;
  /** The value that changes nothing on either side, if there is one. */
  readonly identity?: V;
  /** WGSL: an expression over `earlier` and `later`, or statements that end in `return`. */
  readonly combine: string;
  /** WGSL that `combine` uses; empty if there is none. */
  readonly declarations: string;
  /** A CPU twin of `combine` that was written by hand, if there is one. */
  reference?(earlier: V, later: V): V;
}

/** An operator of the caller's own. See {@link operator}. */
export interface CustomOperator<Accepted extends string = string, V extends Value = Value>
  extends InKernelOperator<Accepted, V> {
  /** The value that changes nothing on either side. */
  readonly identity: V;
}

/** What {@link operator} takes. */
export interface OperatorDefinition<Name extends string, V extends Value> {
  /** Letters, digits and underscores: it becomes part of names in WGSL. */
  readonly name: string;
  /** The one type that it takes: a scalar, or a struct. */
  readonly type: ElementType<Name, V>;
  /** The value that changes nothing on either side. */
  readonly identity: NoInfer<V>;
  /** WGSL: an expression over `earlier` and `later`, or statements that end in `return`. */
  readonly combine: string;
  /**
   * A CPU twin of `combine`, written by hand. References compute with it. Without it, they compute with `combine`, as JavaScript. The
   * check of `wavefold/laws` compares both.
   */
  readonly reference?: ((earlier: NoInfer<V>, later: NoInfer<V>) => NoInfer<V>) | undefined;
  /** WGSL functions, constants and structs that `combine` uses. */
  readonly declarations?: string;
}

/**
 * An operator without an identity. It is for in-kernel functions alone. Where they combine nothing, such as in the first
 * thread's exclusive prefix, they return a value of zeros. Each element takes a word more of work-group memory, so give the
 * identity if there is one.
 *
 * @example
 * ```ts
 * const earliest = operator({ name: "earliest", type: u32, combine: "earlier" });
 * const reduce = workGroupReduce({ type: u32, op: earliest, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let value = work_group_reduce_earliest_u32(x, local_index);
 * ```
 *
 * @throws {ArgumentError} when a part is missing.
 */
export function operator<Name extends string, V extends Value>(
  definition: Omit<OperatorDefinition<Name, V>, "identity"> & {
    /** WGSL for the value that changes nothing. An in-kernel operator can do without. */
    readonly identity?: undefined;
  },
): InKernelOperator<Name, V>;
/**
 * An operator on a type that `wgslType` of `wavefold/wgsl` made. It is for in-kernel functions alone, and its identity is a WGSL expression.
 *
 * @example
 * ```ts
 * const vec2u = wgslType({ name: "vec2u" });
 * const highest = operator({ name: "highest", type: vec2u, identity: "vec2u()", combine: "max(earlier, later)" });
 * const code = link(myKernel, [workGroupReduce({ type: vec2u, op: highest, workGroupSize: 256 })]);
 * // in myKernel:  let most = work_group_reduce_highest_vec2u(vec2u(x), local_index);
 * ```
 *
 * @throws {ArgumentError} when a part is missing.
 */
export function operator<Name extends string>(
  definition: Omit<OperatorDefinition<Name, never>, "identity" | "reference" | "type"> & {
    /** The type of its elements. */
    readonly type: WgslType<Name>;
    /** WGSL for the value that changes nothing. An in-kernel operator can do without. */
    readonly identity?: string;
  },
): InKernelOperator<Name, never>;
/**
 * An operator of your own: any associative function with an identity. It need not commute: every kernel keeps `earlier`
 * before `later`. They are numbers in `combine`, on u64, i64 and f64, too: `earlier + later`. On a struct, they are that struct.
 *
 * @example
 * ```ts
 * const first = operator({
 *   name: "first",
 *   type: u32,
 *   identity: 0xffffffff,
 *   combine: "select(earlier, later, earlier == 0xffffffffu)",
 * });
 * await fold.reduce(Uint32Array.of(7, 3, 9), { op: first }); // 7
 * ```
 *
 * @throws {ArgumentError} when a part is missing, or the identity is no value of the type.
 */
export function operator<Name extends string, V extends Value>(
  definition: OperatorDefinition<Name, V>,
): CustomOperator<Name, V>;
export function operator<Name extends string, V extends Value>(
  definition: Omit<OperatorDefinition<Name, V>, "identity"> & {
    /** WGSL for the value that changes nothing. An in-kernel operator can do without. */
    readonly identity?: unknown;
  },
): InKernelOperator<Name, V> {
  requireDefinition(definition, "operator", definitionNames);
  const { name, combine, declarations = "", reference } = definition;
  const given = definition.identity as V | undefined;
  requireName(name, "operator");
  const caller = `operator ${name}`;
  const type = requireValueType(definition.type, caller) as ElementType<Name, V>;
  requireCode(
    caller,
    "combine",
    combine,
    'a WGSL expression over earlier and later, such as "max(earlier, later)"',
  );
  if (reference !== undefined && typeof reference !== "function") {
    refuse(caller, "reference", typeof reference, `a function of two values of ${type.name}`);
  }
  if (typeof declarations !== "string") {
    refuse(caller, "declarations", typeof declarations, "WGSL text");
  }
  const problem = given !== undefined && problemOfNearest(type, given);
  if (problem) {
    throw new ArgumentError(`${caller}: the identity ${problem}`, "identity");
  }
  // Types of in-kernel functions alone do not round: their identity is text.
  const identity = given === undefined || typeof given === "string" ? given : type.round(given);
  const op: InKernelOperator<Name, V> = {
    name,
    type,
    ...(identity !== undefined && { identity }),
    combine,
    ...(reference && { reference }),
    declarations,
    on: customMonoid,
  };
  return op;
}

/** The names of {@link OperatorDefinition}. */
const definitionNames = {
  name: true,
  type: true,
  identity: true,
  combine: true,
  reference: true,
  declarations: true,
} as const satisfies OptionTable<OperatorDefinition<string, Value>>;

/** Requires an object that has no property but these. */
export function requireDefinition(definition: unknown, caller: string, names: OptionNames): void {
  if (typeof definition !== "object" || definition === null) {
    throw new ArgumentError(
      `${caller}: the definition is ${describe(definition)}; it takes an object`,
      "definition",
    );
  }
  requireOptions(caller, definition, names);
}

function customMonoid(given: Operator, type: ElementType, caller: string): Monoid {
  const op = given as InKernelOperator;
  const inKernel = IN_KERNEL.test(caller);
  (inKernel || caller === "identityOf" ? requireValueType : requireType)(type, caller);
  if (!isSameType(op.type, type)) {
    throw new ArgumentError(
      `${caller}<${type.name}, ${op.name}>: the operator ${op.name} is for ${op.type.name}, not for ${op.type.name === type.name ? "another type of that name" : type.name}`,
      "op",
    );
  }
  const own = {
    key: `${op.name}_${type.name}`,
    title: `${type.name}, ${op.name}`,
    type,
    operation: undefined,
  };
  const callers = callersCombine(op);
  if (op.identity !== undefined) {
    return { ...own, domain: type.native, callers, identity: op.identity };
  }
  if (!inKernel) {
    throw new ArgumentError(
      `${caller}<${own.title}>: the operator ${op.name} has no identity; give it one, since only work-group, thread-tile and coalesced functions do without`,
      "op",
    );
  }
  // The type as our own texts name it. A caller's struct may have the name of one of ours.
  const { element } = type.native;
  return {
    ...own,
    domain: optionalDomain(type),
    callers: {
      ...callers,
      text: (head, taken) =>
        [
          `${head}\n  return optional_combine(earlier, later);\n}`,
          callers.text(`fn combine_values(earlier: ${element}, later: ${element}) -> ${element} {`, taken),
        ].join("\n"),
    },
    // The identity is an element without a value, so this value stands for nothing.
    identity: 0,
  };
}

/** Matches the names of the calls that make in-kernel functions. */
const IN_KERNEL = /^(workGroup|threadTile|coalesced)/;
