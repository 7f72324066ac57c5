import { refuse, shown } from "../errors.ts";
import type { CallersCombine } from "../text/callers.ts";
import type { Constants } from "../text/module.ts";
import type { Source, SourceText } from "../text/source.ts";
import type { Domain, ElementType, Operation, Start, Value } from "./types.ts";
import { requireType } from "./types.ts";

declare const accepts: unique symbol;

/**
 * An operator that scans and reductions combine with: a monoid, once it is on a type. The parameter lists the types that it
 * takes, so that bitwise `and` on f32 does not type-check.
 */
export interface Operator<Accepted extends string = never> {
  /** For messages, and part of names in WGSL. */
  readonly name: string;
  /** For type checks only. An operator that takes more types may stand where one with fewer types is asked for. */
  readonly [accepts]?: (type: Accepted) => void;
  /** Not there. A function has it, such as `Math.max`, which is no operator. */
  readonly call?: undefined;
  /** The most bytes of an element, if elements are longer than the values of the type: those of `exactAdd` alone are. @internal */
  readonly mostBytes?: number;
  /** The operator on a type, as `monoid` returns it. @internal */
  on?(op: Operator, type: ElementType, caller: string): Monoid;
}

/** The limits of a work-group. */
export type WorkGroupLimits = Readonly<
  Record<
    "maxComputeInvocationsPerWorkgroup" | "maxComputeWorkgroupSizeX" | "maxComputeWorkgroupStorageSize",
    number
  >
>;

/** The threads of a work-group, and the items that each of them takes. */
export interface TileSizes {
  readonly workGroupSize: number;
  readonly items: number;
}

/** A kernel of tiles that an operator may change. */
export interface TileKernel<Sizes extends TileSizes> {
  readonly sizes: Sizes;
  readonly algorithm: string;
  readonly exclusive?: boolean;
  /** The device's limits, if it is a GPU. */
  readonly gpuLimits?: WorkGroupLimits | false;
  /** Whether tiles have carries, or sources that find them; and the ends of a scan, if it has any. */
  readonly carry?: unknown;
  readonly ends?: unknown;
  /** How input and output lie in their buffers. */
  readonly arrangement?: string;
}

/** The files of a kernel of tiles, by what they do there. What is not given is as for other operators. */
export interface TileFiles {
  /** The threads' numbers, and the other names of shaders/device/tiles/tile.wgsl that the kernel calls. */
  readonly tile: readonly SourceText[];
  /** They declare `load_items`. */
  readonly load?: readonly SourceText[];
  /** They declare `store_prefixes`. */
  readonly store?: readonly SourceText[];
  /** They declare the entry point. */
  readonly entryPoint?: readonly SourceText[];
}

/**
 * Tiles that an operator has of its own: for items, files of a kernel that has these constants and this entry point; for the totals of
 * tiles, other sizes. It is undefined for kernels that it leaves as they are.
 */
export type OwnTiles = <Sizes extends TileSizes>(
  side: "items" | "elements",
  entryPoint: "scan_tiles" | "scan_single_pass" | "scan_left_tiles" | "reduce_tiles",
  constants: Constants,
  kernel: TileKernel<Sizes>,
) => { readonly files?: TileFiles; readonly sizes?: Sizes } | undefined;

/** Elements as a buffer holds them. */
export interface Carried {
  /** The bytes of the element of a value; undefined stands for the identity. */
  bytes(value?: Value): Uint8Array;
  /** The value that an element is shown as. */
  value(bytes: Uint8Array): Value;
}

/** One operator on one type, ready for the reference and for code generation. */
export interface Monoid {
  /** `add_u32`: part of names in WGSL. */
  readonly key: string;
  /** `u32, add`: for messages. */
  readonly title: string;
  readonly type: ElementType;
  readonly domain: Domain;
  /** WGSL's operation for it, if the caller did not write the operator. */
  readonly operation: Operation | undefined;
  /** An expression over `earlier` and `later`, if the caller did not write the operator. */
  readonly combine?: string;
  /** The caller's WGSL, if the caller wrote the operator. */
  readonly callers?: CallersCombine;
  /**
   * If the operator takes one of its operands, in whatever order they come: the word of an element `x` that decides it. The operand with the
   * lesser word is taken, and other words decide between equal ones.
   */
  readonly leading?: string;
  /** The identity, as a value of the type. */
  readonly identity: Value;
  /** The value that results start from if they may combine no element. It is there only if it differs from the identity. */
  readonly start?: Start | undefined;
  /** Its own tiles for scans and reductions. */
  readonly tiles?: OwnTiles;
  /** How elements go from one part of the data to the next, if a value says less than the element that it comes from. */
  readonly carried?: Carried;
  /** The operator on the values that elements hold, if this one combines within segments. */
  readonly onValues?: Monoid;
  /** Declares `Element`, `identity` and `combine`, if this operator combines within segments. */
  readonly declarations?: readonly Source[];
}

/**
 * An operator on a type.
 *
 * @throws {ArgumentError} when the operator does not take the type; the message names both.
 */
export const monoid = (op: Operator, type: ElementType, caller: string): Monoid =>
  operatorOn(op, requireType(type, caller), caller);

/** The same as {@link monoid}, but the operator itself checks the type. */
export function operatorOn(op: Operator, type: ElementType, caller: string): Monoid {
  if (!(op as Partial<Operator> | null | undefined)?.on) {
    refuse(caller, "op", shown(op), 'an operator itself, such as add, which "wavefold" exports');
  }
  // No operator takes items that are narrower than a word, also where a plan has them in words. Callers' own may name no type.
  return (op as Required<Operator>).on(op, type?.narrow ?? type, caller);
}
