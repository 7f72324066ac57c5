// A shader file, as text: the build inlines it.
declare module "*.wgsl" {
  const text: string;
  export default text;
}
