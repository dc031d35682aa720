/** Files imported `with { type: "file" }`: the module is the path under which the file can be read. */
declare module "*.csv" {
  const path: string;
  export default path;
}
declare module "*.ndjson" {
  const path: string;
  export default path;
}
declare module "*.bin" {
  const path: string;
  export default path;
}
declare module "*.css" {
  const path: string;
  export default path;
}
declare module "*.svg" {
  const path: string;
  export default path;
}
declare module "*.ttf" {
  const path: string;
  export default path;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "*.png" {
  const path: string;
  export default path;
}

/** Files imported `with { type: "text" }`: the module is the file's content. */
declare module "*.txt" {
  const text: string;
  export default text;
}
declare module "*.service" {
  const text: string;
  export default text;
}
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*/LICENSE" {
  const text: string;
  export default text;
}
declare module "*.sql" {
  const text: string;
  export default text;
}
