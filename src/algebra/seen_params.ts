import type { CallersType } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";
import type { FieldType } from "./fields.ts";
import type { ElementType, Scalar } from "./types.ts";

/** The params of a plan or a call, checked: values that its texts name. src/algebra/params.ts makes them. */
export interface DeclaredParams {
  /** Tells params apart whose names or types differ. */
  readonly key: string;
  readonly names: readonly string[];
  readonly types: Readonly<Record<string, FieldType>>;
  /** The element types that the types are made of. */
  readonly elements: readonly ElementType[];
  /** Bytes of the uniform. */
  readonly bytes: number;
  /** Declares the uniform. */
  readonly uniform: SourceText;
  /** What stands at the start of a kernel's function around a text: the values, by the names that the text has for them. */
  readonly lets: string;
  /** The values as parameters of a function, each behind a comma. */
  readonly parameters: string;
  /** The values of a call, as bytes of the uniform. A plan has none: each of its recordings gives them. */
  readonly values?: Uint8Array;
  /** @throws {ArgumentError} if the files of a text's types declare one of the names, or two different structs of one name. */
  requireFree(files: readonly SourceText[], types: readonly CallersType[]): void;
  /** Values as bytes of the uniform. `title` begins messages. @throws {ArgumentError} */
  pack(values: unknown, title: string): Uint8Array;
  /** The scalars of values in bytes of the uniform, in order. */
  scalarsOf(packed: Uint8Array): readonly Scalar[];
}

/** The params that a text sees. */
export interface ParamsSeen {
  readonly params?: DeclaredParams | undefined;
}

/** The values of a call's params, as its recording takes them. */
export function valuesIn(options: { readonly params?: unknown }): { readonly params?: Uint8Array } {
  const { values } = paramsIn(options) ?? {};
  return values ? { params: values } : {};
}

/** The option `params` of a plan or a call, which was checked where the plan or the call began. */
export const paramsIn = ({ params }: { readonly params?: unknown }): DeclaredParams | undefined =>
  params as DeclaredParams | undefined;
