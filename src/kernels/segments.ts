import loadItemsAlone from "#shaders/device/io/load_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import outputOfSegments from "#shaders/device/io/output_of_segments.wgsl";
import clearHeads from "#shaders/device/kernels/clear_heads.wgsl";
import markHeads from "#shaders/device/kernels/mark_heads.wgsl";
import markParts from "#shaders/device/kernels/mark_parts.wgsl";
import beginsAndEnds from "#shaders/device/segments/begins_and_ends.wgsl";
import count from "#shaders/device/segments/count.wgsl";
import element from "#shaders/device/segments/element.wgsl";
import exclusivePrefix from "#shaders/device/segments/exclusive.wgsl";
import headBits from "#shaders/device/segments/head_bits.wgsl";
import headWords from "#shaders/device/segments/head_words.wgsl";
import headFlags from "#shaders/device/segments/heads.wgsl";
import headsMirrored from "#shaders/device/segments/heads_mirrored.wgsl";
import initialValue from "#shaders/device/segments/initial.wgsl";
import runsOfKeys from "#shaders/device/segments/keys.wgsl";
import runsByExpression from "#shaders/device/segments/keys_by_expression.wgsl";
import loadItems from "#shaders/device/segments/load_items.wgsl";
import markEmpty from "#shaders/device/segments/mark_empty.wgsl";
import markNoEmpty from "#shaders/device/segments/mark_no_empty.wgsl";
import segmentOffsets from "#shaders/device/segments/offsets.wgsl";
import partHeads from "#shaders/device/segments/part_heads.wgsl";
import partHeadsMirrored from "#shaders/device/segments/part_heads_mirrored.wgsl";
import segmentParts from "#shaders/device/segments/parts.wgsl";
import placesByOffsets from "#shaders/device/segments/places_by_offsets.wgsl";
import equalRows from "#shaders/device/segments/rows.wgsl";
import storeFirstItems from "#shaders/device/segments/store_first_items.wgsl";
import storeInParts from "#shaders/device/segments/store_in_parts.wgsl";
import storeKeys from "#shaders/device/segments/store_keys.wgsl";
import storeTotals from "#shaders/device/segments/store_totals.wgsl";
import storeTotalsByOffsets from "#shaders/device/segments/store_totals_by_offsets.wgsl";
import storeTotalsTogether from "#shaders/device/segments/store_totals_together.wgsl";
import totals from "#shaders/device/segments/totals.wgsl";
import { expressionFiles } from "../algebra/expression_files.ts";
import { hex } from "../algebra/literals.ts";
import type { Monoid } from "../algebra/monoid.ts";
import { usedBytes } from "../algebra/padding.ts";
import type { ParamsSeen } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { piecesOf, textOf } from "../text/pieces.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { hasFullSubgroups } from "./algorithms.ts";
import {
  carriedAs,
  constantsText,
  conversion,
  operatorAs,
  operatorSources,
  storageText,
} from "./contract.ts";
import { scanFlatSegmentsKernel } from "./flat_segments.ts";
import type { Kernel, SegmentSources, TotalsOptions } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import { carriedOf } from "./map.ts";
import { reduceOffsetsKernel, takesValues, WORD_BITS } from "./offsets.ts";
import type { Sizes } from "./sizes.ts";
import { textFunction } from "./text_function.ts";
import { regrouped } from "./words.ts";

// The package loads this file only if a plan has segments.

/** What says where segments start. */
export type HeadSource = { readonly kind: "rows" | "offsets" | "begins" | "heads" | "headBits" } | KeySource;

/** Whether places say where segments start: offsets, or begins and ends. */
export const areGiven = ({ kind }: HeadSource): boolean => kind === "offsets" || kind === "begins";

/** The files of kernels that find segments by their places: of segments with gaps, those that tell segments from gaps. */
const placeFiles = ({ kind }: HeadSource): readonly SourceText[] =>
  kind === "begins" ? [segmentOffsets, beginsAndEnds] : [segmentOffsets];

/** The files by which a reduction stores totals. */
const totalFiles = ({ kind }: HeadSource): readonly SourceText[] =>
  kind === "begins" ? [outputItems, outputOfSegments] : [outputItems];

/** Segments that are runs of equal keys. */
export interface KeySource {
  readonly kind: "keys";
  /** The type of the keys that are compared. */
  readonly type: ElementType;
  /** How each of them is computed, if they are not the items of the range `keys` themselves. */
  readonly by?: KeyExpression;
}

/** A caller's WGSL that gives the key of an item `x`. */
export interface KeyExpression extends ParamsSeen {
  /** The type of the items. */
  readonly from: ElementType;
  readonly text: string;
  /** Files that the kernels have without it. */
  readonly known: readonly SourceText[];
}

/** Whether keys are scalars of a word, which are loaded as vectors and moved between lanes. */
export const isWordKey = ({ type, by }: KeySource): boolean =>
  by === undefined && /^[uif]32$/.test(carriedAs(type));

/** How a kernel uses segments. */
export interface SegmentUse {
  readonly heads: HeadSource;
  /** Whether a scan leaves out each place's own element. */
  readonly exclusive: boolean;
  /** Whether kernels take all items in mirrored order, so that they start segments where these end for the caller. */
  readonly isMirrored?: boolean;
  /** Whether each segment starts from an initial value. */
  readonly initial: boolean;
  /** Whether the threads of a single pass may hold the values of a scan without heads. */
  readonly isFlat?: boolean;
  /** What is stored instead of prefixes, for a reduction: the totals, and maybe the keys of runs and the number of segments. */
  readonly totals?: {
    /** What is stored for each run: its key, or with an expression its first item. */
    readonly unique: boolean | "first item";
    readonly count: boolean;
  };
}

/** The bytes at whose multiples WGSL puts elements that are vectors. */
const vectorAligns: Readonly<Record<string, number>> = { "vec2<u32>": 8, "vec4<u32>": 16 };

/** Bytes of an element that holds a value and a number, as WGSL lays it out. */
function elementBytesOf({ domain }: Monoid): number {
  const { element, fields, align: own = 4 } = domain;
  const align = vectorAligns[element] ?? (fields === undefined ? 4 : Math.max(4, own));
  return Math.ceil((Math.ceil(domain.elementBytes / 4) * 4 + 4) / align) * align;
}

/** The operator that combines within segments, from the operator on their values. */
export function segmentedMonoid(own: Monoid, { heads, exclusive, isMirrored, initial }: SegmentUse): Monoid {
  const { domain, start } = own;
  const { element: value, stored = value, fromStored = "x", toStored = "x", fromValue = "x" } = domain;
  // Exclusive prefixes may combine no element.
  const shown = start && exclusive && !initial ? start.before : toStored;
  // What becomes of NaN is the operator's identity.
  const toValues = piecesOf(
    [
      conversion("value_from_stored", "SegmentStored", "SegmentValue", fromStored),
      conversion("value_from_native", own.type.native.element, "SegmentValue", fromValue),
    ].join("\n"),
    (word) => (word === "identity" ? "value_identity" : word),
  );
  const conversions = generated(
    [
      `alias SegmentStored = ${stored};`,
      ...toValues.map(textOf),
      conversion("shown_value", "SegmentValue", "SegmentStored", shown),
      conversion(
        "stored_from_value",
        "SegmentValue",
        "SegmentStored",
        initial ? "shown_value(combine_values(initial_value(), x))" : "shown_value(x)",
      ),
    ].join("\n"),
  );
  return {
    key: own.key,
    title: own.title,
    type: own.type,
    operation: undefined,
    identity: own.identity,
    onValues: own,
    declarations: [
      ...operatorAs(own, "SegmentValue", "value_identity", "combine_values"),
      conversions,
      ...(initial ? [initialValue] : []),
      ...(isMirrored ? [heads.kind === "begins" ? partHeadsMirrored : headsMirrored] : []),
      element,
    ],
    domain: {
      element: "Element",
      fields: ["value", "heads"],
      stored,
      fromStored: "Element(value_from_stored(x), 0u)",
      toStored: "stored_from_value(x.value)",
      fromValue: "Element(value_from_native(x), 0u)",
      elementBytes: elementBytesOf(own),
      ...(domain.long && { long: true }),
      literal: domain.literal,
    },
  };
}

/** Declares the type of keys, and when two are the same: if they have the same bits, or are both NaN. Bits between scalars do not count. */
function keyText(type: ElementType): SourceText {
  const carried = carriedAs(type);
  const words = Math.ceil(type.bytes / 4);
  const of = (name: string): string[] => regrouped(carried, [name], "u32", words);
  const [a, b] = [of("a"), of("b")];
  // Bits behind an item that is no whole number of words are zero in both.
  const used = new Uint8Array(words * 4).fill(255);
  used.set(usedBytes(type));
  const masks = new Uint32Array(used.buffer);
  const same = a
    .flatMap((word, at) => {
      const mask = masks[at] as number;
      return mask === 0xffffffff
        ? [`${word} == ${b[at]}`]
        : mask === 0
          ? []
          : [`((${word} ^ ${b[at]}) & ${hex(mask)}) == 0u`];
    })
    .join(" && ");
  return generated(
    [
      `alias Key = ${carried};`,
      "fn is_same_key(a: Key, b: Key) -> bool {",
      `  return ${type.kind === "float" ? `(${same}) || (${isNan(type, a)} && ${isNan(type, b)})` : same};`,
      "}",
    ].join("\n"),
  );
}

/** Declares the items that keys are computed from, `Keyed`, and the key of one. */
function expressionSources(
  type: ElementType,
  { from, text, known, params }: KeyExpression,
): readonly Source[] {
  const files = expressionFiles(from, type);
  const others = new Set(known.map(({ name }) => name));
  return [
    generated(
      [
        `alias Keyed = ${carriedAs(from)};`,
        conversion("value_from_keyed", "Keyed", from.native.element, from.fromCarried ?? "x"),
        conversion("key_from_value", type.native.element, "Key", carriedOf(type, type.native)),
        conversion("key_from_item", "Keyed", "Key", "key_from_value(key_value(value_from_keyed(x)))"),
      ].join("\n"),
    ),
    ...textFunction({
      name: "key_value",
      title: "the key",
      text,
      parameters: { x: from },
      result: type,
      params,
    }),
    ...files.filter(({ name }) => !others.has(name)),
  ];
}

/** The files that say where runs of keys start. `own` is for keys that are items of a range. */
export const runKeySources = ({ type, by }: KeySource, own: SourceText = runsOfKeys): readonly Source[] =>
  by === undefined ? [keyText(type), own] : [keyText(type), ...expressionSources(type, by), runsByExpression];

/** The file that stores something for each run beside its total. */
const uniqueFile = (unique: boolean | "first item"): SourceText =>
  unique === "first item" ? storeFirstItems : storeKeys;

/** WGSL for whether words are the bits of a NaN. */
const isNan = ({ name }: ElementType, [low, high]: readonly string[]): string =>
  name === "f16"
    ? `(${low} & 0x7fffu) > 0x7c00u`
    : name === "f32"
      ? `(${low} & 0x7fffffffu) > 0x7f800000u`
      : `((${high} & 0x7fffffffu) > 0x7ff00000u || ((${high} & 0x7fffffffu) == 0x7ff00000u && ${low} != 0u))`;

const headFiles = {
  rows: equalRows,
  heads: headFlags,
  headBits,
  offsets: headBits,
  begins: partHeads,
} as const satisfies Record<Exclude<HeadSource["kind"], "keys">, SourceText>;

/** The most totals of a tile that lie in work-group memory at the same time, and the most bytes of an element that has one of these. */
const MOST_STAGED = 1280;
const MOST_STAGED_BYTES = 8;

const stagedTotals = ({ workGroupSize, items }: Sizes): number =>
  Math.min(MOST_STAGED, Math.ceil((workGroupSize * items * 5) / 16));

/** Whether totals lie in work-group memory before they are stored. */
const isStaged = ({ carry, algorithm, sizes }: TotalsOptions, { domain }: Monoid): boolean =>
  typeof carry === "object" &&
  algorithm === "subgroup" &&
  hasFullSubgroups(sizes) &&
  domain.elementBytes <= MOST_STAGED_BYTES;

/** The sources for segments of the kernels that read items. `monoid` is the operator on segments. */
export function segmentSources(use: SegmentUse, monoid: Monoid): SegmentSources {
  const { heads, exclusive, totals: stored } = use;
  const flatHeads = heads.kind === "keys" ? heads.type : heads.kind;
  return {
    ...(areGiven(heads) &&
      stored && {
        output: totalFiles(heads),
        singlePass: (options) =>
          takesValues(monoid, options)
            ? reduceOffsetsKernel(monoid, options, [
                ...placeFiles(heads),
                ...totalFiles(heads),
                emptyText(monoid, use),
              ])
            : undefined,
      }),
    ...(use.isFlat &&
      flatHeads !== "begins" && {
        singlePass: (options) =>
          takesValues(monoid, options) ? scanFlatSegmentsKernel(monoid, flatHeads, options) : undefined,
      }),
    ...(exclusive && { prefix: exclusivePrefix }),
    heads:
      heads.kind === "keys"
        ? runKeySources(heads)
        : [stored && areGiven(heads) ? headBits : headFiles[heads.kind]],
    ...(heads.kind === "begins" && { store: storeInParts }),
    // Mirrored heads are found one by one.
    load: use.isMirrored ? loadItemsAlone : loadItems,
    ...(stored && {
      totals: (options) => [
        totals,
        areGiven(heads) && options.sizes.items <= WORD_BITS
          ? storeTotalsByOffsets
          : heads.kind === "keys" && stored.unique !== "first item" && isStaged(options, monoid)
            ? storeTotalsTogether
            : storeTotals,
        constantsText({ STAGED: stagedTotals(options.sizes) }),
        ...(areGiven(heads) ? [...placeFiles(heads), placesByOffsets] : []),
        ...(stored.unique ? [uniqueFile(stored.unique)] : []),
      ],
    }),
    ...(stored?.count && { count }),
  };
}

/** Declares the result that a reduction stores for a segment without items. */
function emptyText({ onValues }: Monoid, { initial }: SegmentUse): SourceText {
  // A sum of no f64 is 0, and not the identity −0.
  const start = onValues?.start;
  return generated(
    start === undefined || initial
      ? "fn item_from_empty() -> Output {\n  return item_from_element(identity());\n}"
      : `fn item_from_empty() -> Output {\n  let x = value_identity();\n  return ${start.before};\n}`,
  );
}

/** The kernel that clears the bits of heads. */
export const clearHeadsKernel = (sizes: Sizes): Kernel =>
  linkKernel("wavefold clear heads", "clear_heads", [headWords, clearHeads], sizes);

/** The kernel that sets the bits of heads where offsets are, and stores what segments without items give to a reduction. */
export function markKernel(monoid: Monoid, use: SegmentUse, lengthOnGpu: boolean, sizes: Sizes): Kernel {
  const { type } = monoid;
  const empty: readonly Source[] = use.totals
    ? [
        ...operatorSources(monoid),
        storageText(monoid, "elements", "items", 1),
        ...type.files,
        emptyText(monoid, use),
        ...totalFiles(use.heads),
        markEmpty,
      ]
    : [markNoEmpty];
  return linkKernel(
    `wavefold mark heads <${monoid.title}>`,
    "mark_heads",
    [headWords, ...placeFiles(use.heads), markHeads, lengthFile(lengthOnGpu), ...empty],
    sizes,
  );
}

/** Items whose heads are in a word that {@link partsKernel} writes. */
export const ITEMS_OF_WORD = 16;

/** The kernel that writes the heads of a scan of segments with gaps. */
export const partsKernel = (lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel("wavefold mark parts", "mark_parts", [segmentParts, markParts, lengthFile(lengthOnGpu)], sizes);
