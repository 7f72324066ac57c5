import binary64ArithmeticFile from "#shaders/numeric/binary64_arithmetic.wgsl";
import binary64ConversionsFile from "#shaders/numeric/binary64_conversions.wgsl";
import f16File from "#shaders/numeric/f16_64.wgsl";
import int64ArithmeticFile from "#shaders/numeric/int64_arithmetic.wgsl";
import int64ConversionsFile from "#shaders/numeric/int64_conversions.wgsl";
import type { SourceText } from "../text/source.ts";
import { sharedFile } from "./literals.ts";
import { f64 } from "./words_64.ts";

/** The files of 64-bit numbers whose functions callers' texts and kernels may call. Those of operators alone are among the types'. */
export const numericFiles: readonly SourceText[] = [
  .../* @__PURE__ */ f64.files.filter(({ as }) => as !== undefined),
  /* @__PURE__ */ sharedFile(int64ConversionsFile),
  /* @__PURE__ */ sharedFile(int64ArithmeticFile),
  /* @__PURE__ */ sharedFile(binary64ConversionsFile),
  /* @__PURE__ */ sharedFile(binary64ArithmeticFile),
  /* @__PURE__ */ sharedFile(f16File),
];
