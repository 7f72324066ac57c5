/** Why a test is skipped that is not in the sample. */
export const NOT_SAMPLED = "not in the sample";
