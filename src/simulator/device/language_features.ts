/** WGSL that takes no feature, but is not in every compiler: https://www.w3.org/TR/WGSL/#language-extensions-sec. */
export const languageFeatures = [
  "packed_4x8_integer_dot_product",
  "pointer_composite_access",
  "subgroup_id",
  "unrestricted_pointer_parameters",
] as const;
