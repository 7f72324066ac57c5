import carries from "#shaders/device/io/carries.wgsl";
import laterHeadBits from "#shaders/device/segments/later_head_bits.wgsl";
import laterHeads from "#shaders/device/segments/later_heads.wgsl";
import laterKeys from "#shaders/device/segments/later_keys.wgsl";
import laterKeysByExpression from "#shaders/device/segments/later_keys_by_expression.wgsl";
import laterOffsets from "#shaders/device/segments/later_offsets.wgsl";
import placesFromFirst from "#shaders/device/segments/places_from_first.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { Source, SourceText } from "../text/source.ts";
import type { EndChoices } from "./initial_and_total.ts";
import { endsOf } from "./initial_and_total.ts";
import type { Ends, SegmentSources } from "./kernel.ts";

// Segments in windows. A segment may begin in an earlier window. So windows hand elements on, and the first item of a later window
// starts a segment only if its flag or its key says so. The package loads this file only for segments that no binding holds.

/** The files of later windows, by the names of the files that they replace. */
const later: ReadonlyMap<string, SourceText> = /* @__PURE__ */ new Map([
  ["shaders/device/segments/head_bits.wgsl", laterHeadBits],
  ["shaders/device/segments/heads.wgsl", laterHeads],
  ["shaders/device/segments/keys.wgsl", laterKeys],
  ["shaders/device/segments/keys_by_expression.wgsl", laterKeysByExpression],
]);

/** The files for what lies at the ends of windows: one has both what a window reads and what it writes. */
const ends: ReadonlyMap<string, SourceText> = /* @__PURE__ */ new Map([
  ["shaders/device/io/total_stored.wgsl", carries],
]);
const INITIAL_BUFFER = "shaders/device/io/initial_buffer.wgsl";
const PLACES_BY_OFFSETS = "shaders/device/segments/places_by_offsets.wgsl";

const replaced = <S extends Source>(
  sources: readonly S[],
  files: ReadonlyMap<string, SourceText>,
): (S | SourceText)[] => sources.map((one) => ("name" in one ? (files.get(one.name) ?? one) : one));

/** The file for the places of totals: the output's binding may hold only some of the places, and offsets count the items of all windows. */
function placesOf(totals: readonly SourceText[], isLater: boolean): readonly SourceText[] {
  const isByOffsets = totals.some(({ name }) => name === PLACES_BY_OFFSETS);
  return isByOffsets ? (isLater ? [laterOffsets] : []) : [placesFromFirst];
}

/** The sources of a window: of the first one, or of a later one. A window stores no number of segments. */
export function windowSources(
  { count: _, totals, ...sources }: SegmentSources,
  isLater: boolean,
): SegmentSources {
  const files = isLater ? later : new Map<string, SourceText>();
  return {
    ...sources,
    heads: replaced(sources.heads, files),
    ...(totals && {
      totals: (...given: Parameters<typeof totals>) => {
        const own = totals(...given);
        return [...replaced(own, files), ...placesOf(own, isLater)];
      },
    }),
  };
}

/** What windows hand on, as elements: the total of each, and for later ones the total of those before. */
export function carriedEnds(title: string, monoid: Monoid, isLater: boolean): Ends {
  const choices: EndChoices = { initial: isLater, total: true, continued: true, carried: true };
  const { initial: _, ...own } = endsOf(choices, title, monoid) as Ends;
  return {
    ...own,
    sources: (place) =>
      replaced(
        own.sources(place).filter(({ name }) => name !== INITIAL_BUFFER),
        ends,
      ),
  };
}
