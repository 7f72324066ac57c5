// What is loaded by `import()` where it is first needed, in a module of its own: what a bundler drops of those that
// are taken at once then brings none of it along. ARCHITECTURE.md says when each is loaded.

export const loadBlelloch = () => import("./kernels/blelloch.ts");
export const loadHillisSteele = () => import("./kernels/hillis_steele.ts");
export const loadSubgroup = () => import("./kernels/subgroup.ts");
export const loadOneByOne = () => import("./kernels/one_by_one.ts");
export const loadPlainGpu = () => import("./gpu/plain_gpu.ts");
export const loadPlainSoftware = () => import("./gpu/plain_software.ts");
export const loadChosen = () => import("./plan/chosen.ts");
export const loadSinglePass = () => import("./plan/single_pass.ts");
export const loadDigits = () => import("./gpu/run_numbers.ts");
export const loadPrepared = () => import("./gpu/prepare.ts");
export const loadHandScan = () => import("./gpu/hand_scan.ts");
export const loadHandReduce = () => import("./gpu/hand_reduce.ts");
export const loadHandCompact = () => import("./gpu/hand_compact.ts");
export const loadHandTypes = () => import("./gpu/hand_types.ts");
export const loadHandMap = () => import("./gpu/hand_map.ts");
export const loadShaderProblem = () => import("./gpu/compile_error.ts");
export const loadOpenProblems = () => import("./gpu/open_problems.ts");
export const loadSinglePassTest = () => import("./gpu/look_back_test.ts");
