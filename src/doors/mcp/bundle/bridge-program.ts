import { join } from "node:path";

/**
 * The bridge as one program for Node.js, made of its sources. An executable, which has no sources, holds
 * the finished text in the place of this file (packaging/executable.ts).
 */
export async function bridgeProgram(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "server.ts")],
    target: "node",
    // Comments of the built file would name the folders of this machine.
    minify: { whitespace: true },
  });
  const [program] = built.outputs;
  if (!built.success || program === undefined) {
    throw new AggregateError(built.logs, "the bridge could not be built");
  }
  return program.text();
}
