// What is loaded by `import()` where it is first needed, in a module of its own: what a bundler drops of those that
// are taken at once then brings none of it along. ARCHITECTURE.md says when each is loaded.

export const loadBlelloch = () => import("./codegen/device_blelloch.ts");
export const loadHillisSteele = () => import("./codegen/device_hillis_steele.ts");
export const loadSubgroup = () => import("./codegen/device_subgroup.ts");
export const loadOneByOne = () => import("./codegen/device_one_by_one.ts");
export const loadPlainGpu = () => import("./runtime/plain_gpu.ts");
export const loadPlainSoftware = () => import("./runtime/plain_software.ts");
export const loadChosen = () => import("./primitives/chosen.ts");
export const loadSinglePass = () => import("./primitives/single_pass.ts");
export const loadDigits = () => import("./runtime/digits.ts");
export const loadPrepared = () => import("./runtime/prepared.ts");
export const loadHandScan = () => import("./runtime/hand_scan.ts");
export const loadHandReduce = () => import("./runtime/hand_reduce.ts");
export const loadHandCompact = () => import("./runtime/hand_compact.ts");
export const loadHandTypes = () => import("./runtime/hand_types.ts");
export const loadHandMap = () => import("./runtime/hand_map.ts");
export const loadShaderProblem = () => import("./runtime/shader_problem.ts");
export const loadOpenProblems = () => import("./runtime/open_problems.ts");
export const loadSinglePassTest = () => import("./runtime/single_pass_test.ts");
