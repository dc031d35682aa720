import { join } from "node:path";

/**
 * The bridge as a single program for Node.js, bundled from its sources. An executable has no sources and
 * contains the finished text in place of this module (packaging/executable.ts).
 */
export async function bridgeProgram(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "server.ts")],
    target: "node",
    // Minified, because the bundler's comments would name this machine's folders.
    minify: { whitespace: true },
  });
  const [program] = built.outputs;
  if (!built.success || program === undefined) {
    throw new AggregateError(built.logs, "the bridge could not be built");
  }
  return program.text();
}
