import carriedBufferFile from "../../shaders/device/io/carried_buffer.wgsl";
import laterHeadBitsFile from "../../shaders/device/segments/later_head_bits.wgsl";
import laterHeadsFile from "../../shaders/device/segments/later_heads.wgsl";
import laterKeysFile from "../../shaders/device/segments/later_keys.wgsl";
import laterKeysByExpressionFile from "../../shaders/device/segments/later_keys_by_expression.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { Source, SourceText } from "../text/source.ts";
import { file } from "./contract.ts";
import type { EndChoices } from "./ends.ts";
import { endsOf } from "./ends.ts";
import type { Ends, SegmentSources } from "./kernel.ts";

// Segments in windows. A segment may begin in a window before, so elements are handed on, and the first item of a later window
// starts a segment only where its flag or its key says so. This is loaded only for segments that no binding holds.

/** The files that take others' places, by the names of these. */
const later: ReadonlyMap<string, SourceText> = /* @__PURE__ */ (() =>
  new Map(
    (
      [
        ["segments/head_bits.wgsl", "segments/later_head_bits.wgsl", laterHeadBitsFile],
        ["segments/heads.wgsl", "segments/later_heads.wgsl", laterHeadsFile],
        ["segments/keys.wgsl", "segments/later_keys.wgsl", laterKeysFile],
        [
          "segments/keys_by_expression.wgsl",
          "segments/later_keys_by_expression.wgsl",
          laterKeysByExpressionFile,
        ],
        ["io/initial_buffer.wgsl", "io/carried_buffer.wgsl", carriedBufferFile],
      ] as const
    ).map(([of, name, text]) => [file(of, "").name, file(name, text)]),
  ))();

const replaced = <S extends Source>(sources: readonly S[]): (S | SourceText)[] =>
  sources.map((one) => ("name" in one ? (later.get(one.name) ?? one) : one));

/** The sources of a window that others come before. */
export const laterSources = (sources: SegmentSources): SegmentSources => ({
  ...sources,
  heads: (oneByOne) => replaced(sources.heads(oneByOne)),
});

/** What windows hand on, as elements: the total of each, and for later ones the total of those before. */
export function carriedEnds(title: string, monoid: Monoid, isLater: boolean): Ends {
  const choices: EndChoices = { initial: isLater, total: true, continued: true, carried: true };
  const { initial: _, ...ends } = endsOf(choices, title, monoid) as Ends;
  return { ...ends, sources: (place) => replaced(ends.sources(place)) };
}
