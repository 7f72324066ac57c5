// WebGPU's flags by value: Node.js has no globals for them.

export const MAP_READ = 0x1;
export const MAP_WRITE = 0x2;
export const COPY_SRC = 0x4;
export const COPY_DST = 0x8;
export const UNIFORM = 0x40;
export const STORAGE = 0x80;
export const INDIRECT = 0x100;
export const QUERY_RESOLVE = 0x200;

/** All usages of buffers. */
export const ALL_USAGES = 0x3ff;

export const VERTEX_STAGE = 0x1;
export const COMPUTE_STAGE = 0x4;

/** All stages of shaders. */
export const ALL_STAGES = 0x7;
