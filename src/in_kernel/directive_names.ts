import type { Operator } from "../algebra/monoid.ts";
import { operators } from "../algebra/operator_table.ts";
import { operatorKeyOf } from "../algebra/operators.ts";
import { plainTypes } from "../algebra/plain_types.ts";
import type { TypeName } from "../algebra/types.ts";
import { numeric } from "./numeric.ts";

/** What the name of a scan or a reduction says. */
export interface ScanForm {
  readonly family: "work_group" | "coalesced" | "thread_tile";
  readonly kind: "scan" | "reduce";
  /** 0 if the family has no tiles. */
  readonly tileSize: number;
  readonly op: Operator<TypeName>;
  readonly type: TypeName;
  readonly update: boolean;
  readonly uniform: boolean;
  readonly segmented: boolean;
  /** Of thread tiles: whether only active threads take part. */
  readonly coalesced: boolean;
}

/** What the name of a sort says. */
export interface SortForm {
  readonly family: "sort";
  readonly type: TypeName;
  /** It is undefined if keys are sorted alone. */
  readonly values: TypeName | undefined;
  readonly descending: boolean;
}

/** What the name of a shuffle or a broadcast says. */
export interface ShuffleForm {
  readonly family: "shuffle";
  /** 0 for a broadcast in the whole work-group. */
  readonly tileSize: number;
  readonly type: TypeName;
}

/** What a function's name says. */
export type Form =
  | ScanForm
  | SortForm
  | ShuffleForm
  | { readonly family: "compact"; readonly update: boolean }
  | { readonly family: "allocate" }
  | { readonly family: "split" }
  | { readonly family: "identity"; readonly op: Operator<TypeName>; readonly type: TypeName }
  | { readonly family: "numeric"; readonly type: TypeName };

/** Functions that each thread calls by itself: they take no size, and no settings. */
export const isSizeless = ({ family }: Form): boolean => family === "identity" || family === "numeric";

const FORMS =
  "work_group_scan_(inclusive|exclusive)_<op>_<type>[_total|_uniform|_update], work_group_reduce_<op>_<type>, both after coalesced_ or thread_tile_<N>_ too, work_group_compact[_update][_uniform], work_group_allocate[_uniform], thread_tile_<N>_coalesced_ before scan_(inclusive|exclusive)_<op>_<type>[_total|_update] or reduce_<op>_<type>, work_group_segmented_ or thread_tile_<N>_segmented_ before scan_(inclusive|exclusive)_<op>_<type>[_total] or reduce_<op>_<type>, work_group_split[_total|_uniform], work_group_sort[_descending]_<type>[_partial], work_group_sort_pairs[_descending]_<type>_<type>[_partial], work_group_broadcast_<type>, thread_tile_<N>_(broadcast|shuffle[_up|_down|_xor])_<type>, identity_<op>_<type>, and add_u64, mul_f64 and others on u64, i64, f64 and f16";

/** What may stand behind a function's name. */
export interface Endings {
  readonly suffix: string | undefined;
  readonly workGroupSize: number;
}

/** The function that a name stands for, and its name without suffix and size; or what is wrong with the name. */
export function formOf(
  name: string,
  { suffix, workGroupSize }: Endings,
): { readonly base: string; readonly form: Form } | string {
  const without = (text: string, ending: string | number | undefined): string =>
    text.endsWith(`_${ending}`) ? text.slice(0, -`_${ending}`.length) : text;
  const short = without(name, workGroupSize);
  let problem = "";
  for (const base of [name, short, without(name, suffix), without(short, suffix)]) {
    const form = parseName(base);
    if (typeof form !== "string") {
      return { base, form };
    }
    problem = form;
  }
  return problem;
}

function parseName(name: string): Form | string {
  for (const formIn of readers) {
    const form = formIn(name);
    if (form !== undefined) {
      return form;
    }
  }
  return `${name} is not a function; it takes ${FORMS}`;
}

/** What a name says; or what is wrong with it; or undefined if it names no function of this kind. */
type Reader = (name: string) => Form | string | undefined;

const compactForm: Reader = (name) => {
  const [matched, update] = /^work_group_compact(_update)?(?:_uniform)?$/.exec(name) ?? [];
  return matched === undefined ? undefined : { family: "compact", update: update !== undefined };
};

const allocateForm: Reader = (name) =>
  /^work_group_allocate(?:_uniform)?$/.test(name) ? { family: "allocate" } : undefined;

const splitForm: Reader = (name) =>
  /^work_group_split(?:_total|_uniform)?$/.test(name) ? { family: "split" } : undefined;

const SORT = /^work_group_sort(_pairs)?(_descending)?_([^_]+)(?:_([^_]+))?$/;

const sortForm: Reader = (name) => {
  const [, pairs, descending, type, values] = SORT.exec(name.replace(/_partial$/, "")) ?? [];
  if (type === undefined || (pairs === undefined) !== (values === undefined)) {
    return undefined;
  }
  if (!isType(type)) {
    return notType(name, type);
  }
  if (values !== undefined && !isType(values)) {
    return notType(name, values);
  }
  return { family: "sort", type, values, descending: descending !== undefined };
};

const SHUFFLE =
  /^(?:work_group_broadcast|thread_tile_([1-9]\d*)_(?:broadcast|shuffle(?:_up|_down|_xor)?))_([^_]+)$/;

const shuffleForm: Reader = (name) => {
  const [, tileSize = 0, type] = SHUFFLE.exec(name) ?? [];
  if (type === undefined) {
    return undefined;
  }
  return isType(type) ? { family: "shuffle", tileSize: Number(tileSize), type } : notType(name, type);
};

/** Types whose arithmetic WGSL does not have. */
const emulated = ["u64", "i64", "f64", "f16"] as const satisfies readonly TypeName[];

const numericForm: Reader = (name) => {
  const type = emulated.find((candidate) => numeric(plainTypes[candidate]).names.includes(name));
  return type === undefined ? undefined : { family: "numeric", type };
};

const identityForm: Reader = (name) => {
  const [, operand] = /^identity_(.+)$/.exec(name) ?? [];
  if (operand === undefined) {
    return undefined;
  }
  const found = operandOf(name, operand);
  if (typeof found === "string") {
    return found;
  }
  const { op, type, ending } = found;
  return ending === undefined ? { family: "identity", op, type } : forScans(name, ending, "an identity");
};

const SCAN =
  /^(work_group|coalesced|thread_tile_([1-9]\d*))(_segmented|_coalesced)?_(?:scan_(inclusive|exclusive)|reduce)_(.+)$/;

const scanForm: Reader = (name) => {
  const [, scope, tile, variant, direction, operand = ""] = SCAN.exec(name) ?? [];
  const segmented = variant === "_segmented";
  const coalesced = variant === "_coalesced";
  if (scope === undefined || (segmented && scope === "coalesced") || (coalesced && tile === undefined)) {
    return undefined;
  }
  const found = operandOf(name, operand);
  if (typeof found === "string") {
    return found;
  }
  const { op, type, ending } = found;
  if (direction === undefined && ending !== undefined) {
    return forScans(name, ending, "a reduction");
  }
  if (segmented && (ending === "_uniform" || ending === "_update")) {
    return `${name}: ${ending} is not for segments, which have totals of their own; use _total`;
  }
  if (tile !== undefined && ending === "_uniform") {
    return `${name}: a tile's total is not the same for all threads of the work-group; use _total`;
  }
  return {
    family: tile === undefined ? (scope as "work_group" | "coalesced") : "thread_tile",
    kind: direction === undefined ? "reduce" : "scan",
    tileSize: Number(tile ?? 0),
    op,
    type,
    update: ending === "_update",
    uniform: ending === "_uniform",
    segmented,
    coalesced,
  };
};

/** In the order in which a name is held against them. */
const readers: readonly Reader[] = [
  compactForm,
  allocateForm,
  splitForm,
  sortForm,
  shuffleForm,
  numericForm,
  identityForm,
  scanForm,
];

/** The operator, the type and the ending that a name ends in, such as `add_u32_total`. */
interface Operand {
  /** Whether the operator takes the type is checked where the function is generated. */
  readonly op: Operator<TypeName>;
  readonly type: TypeName;
  readonly ending: string | undefined;
}

function operandOf(name: string, operand: string): Operand | string {
  const [, pair = "", ending] = /^(.+?)(_total|_uniform|_update)?$/.exec(operand) ?? [];
  const [, opName, type = ""] = /^(?:(\w+)_)?([^_]*)$/.exec(pair) ?? [];
  if (!isType(type) || opName === undefined) {
    return `${name}: ${pair} does not end in an operator and an element type; the types are ${typeNames()}`;
  }
  const all = Object.values<Operator>(operators);
  const op = all.find((operator) => operatorKeyOf(operator) === opName);
  return op === undefined
    ? `${name}: ${opName} is not an operator; it takes ${all.map(operatorKeyOf).join(", ")}`
    : { op: op as Operator<TypeName>, type, ending };
}

const forScans = (name: string, ending: string, kind: string): string =>
  `${name}: ${ending} is for scans, and this is ${kind}; leave it out`;

const isType = (name: string): name is TypeName => Object.hasOwn(plainTypes, name);

const typeNames = (): string => Object.keys(plainTypes).join(", ");

const notType = (name: string, type: string): string =>
  `${name}: ${type} is not an element type; the types are ${typeNames()}`;
