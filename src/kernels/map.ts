import { expressionFiles } from "../algebra/expression_files.ts";
import type { Monoid } from "../algebra/monoid.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import type { Domain, ElementType } from "../algebra/types.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { conditionSources } from "./condition.ts";
import type { Side } from "./contract.ts";
import { carriedAs, conversion, elementFromCallers, valueFromItem, vectorText } from "./contract.ts";
import { textFunction } from "./text_function.ts";
import { regrouped } from "./words.ts";

/** The map that each item goes through when it is loaded, or when it is kept. */
export interface ItemMap {
  /** The type of the items before the map. */
  readonly from: ElementType;
  /** The map, as WGSL over the item `x` and its index `i`. */
  readonly text: string;
  /**
   * The declarations that a kernel of mapped items needs. Both its input and its output hold bits that no conversion has
   * touched, so that they may share a binding if their items have the same size. `shown` is as in `storageText`.
   */
  sources(
    monoid: Monoid,
    output: Side,
    vector: number,
    storesVectors: boolean,
    shown?: string,
  ): readonly Source[];
  /** The declarations by which a compaction to this type maps the items that it keeps. */
  keptSources(type: ElementType): readonly Source[];
}

/** WGSL for the bits of an element `x`, as they are carried. */
export const carriedOf = (
  type: ElementType,
  { element, stored = element, toStored = "x" }: Domain,
): string => (stored === carriedAs(type) ? toStored : regrouped(stored, [toStored], carriedAs(type)).join());

/**
 * The map that a caller's WGSL describes, over an item's value `x`, its index `i` and params. It gives a value of the resulting
 * type; or a u32, of a condition: 1 where that holds, and 0 elsewhere. `isMirrored` says that kernels take items in mirrored order.
 */
export function itemMap(
  from: ElementType,
  text: string,
  {
    params,
    isCondition = false,
    isMirrored = false,
  }: {
    readonly params: DeclaredParams | undefined;
    readonly isCondition?: boolean | undefined;
    readonly isMirrored?: boolean;
  },
): ItemMap {
  const parameters = { x: from, i: "u32" } as const;
  const mapValue = (type: ElementType): readonly Source[] =>
    isCondition
      ? [
          generated(
            `fn map_value(x: ${from.native.element}, i: u32) -> ${type.native.element} {\n  return u32(keep_value(x, i));\n}`,
          ),
          ...conditionSources(from, text, params),
        ]
      : textFunction({ name: "map_value", title: "the map", text, parameters, result: type, params });
  // The files of both types, each once: what a file declares must not be declared twice. A program may hold a type twice.
  const bothTypes = (type: ElementType): readonly SourceText[] => expressionFiles(from, type);
  return {
    from,
    text,
    sources(monoid, output, vector, storesVectors, shown) {
      const { domain, type } = monoid;
      const items = output === "items" ? carriedAs(type) : domain.element;
      const bits = shown ?? (output === "items" ? carriedOf(type, domain) : "x");
      return [
        generated(
          [
            `alias Input = ${carriedAs(from)};`,
            `alias Output = ${items};`,
            vectorText(carriedAs(from), storesVectors ? items : undefined, vector, isMirrored),
            valueFromItem(from),
            conversion("element_from_value", type.native.element, "Element", domain.fromValue ?? "x"),
            conversion("item_from_element", "Element", "Output", bits),
            elementFromCallers(
              monoid,
              `element_from_value(map_value(value_from_item(x), ${isMirrored ? "mirrored(i)" : "i"} + call.first_index))`,
            ),
          ].join("\n"),
        ),
        ...mapValue(type),
        ...bothTypes(type),
      ];
    },
    keptSources: (type) => [
      generated(
        [
          // A value is the same as a native element.
          conversion("item_from_value", type.native.element, "Output", carriedOf(type, type.native)),
          "fn mapped_item(item: Input, index: u32) -> Output {",
          "  return item_from_value(map_value(value_from_item(item), index + call.first_index));",
          "}",
        ].join("\n"),
      ),
      ...mapValue(type),
      ...bothTypes(type),
    ],
  };
}
