/** A function of the engine that Bun's own types lack (Bun 1.4.4). */
declare module "bun:jsc" {
  /** Keeps a function from being compiled into those that call it. */
  // biome-ignore lint/suspicious/noExplicitAny: any function
  export function noInline(work: (...values: any[]) => unknown): void;
}
