import { join } from "node:path";
import { bridgeProgram } from "../doors/mcp/bundle/bridge-program.ts";
import { ROOT } from "./pinned-bun.ts";

const SOURCE = join(ROOT, "src");

/** How the program is bundled, whether into an executable or into a package. */
export async function programBuild(): Promise<Bun.BuildConfig & { plugins: Bun.BunPlugin[] }> {
  return {
    entrypoints: [join(SOURCE, "program.ts"), join(SOURCE, "app/thread.ts")],
    // All in one folder, because the modules refer to each other that way.
    naming: { entry: "[name].[ext]" },
    target: "bun",
    format: "esm",
    // The program and its threads share code; otherwise each would include its own copy.
    splitting: true,
    minify: { whitespace: true, syntax: true },
    plugins: [await bridgeText()],
  };
}

/** Embeds the finished bridge instead of the module that bundles it, whose sources are not inside. */
async function bridgeText(): Promise<Bun.BunPlugin> {
  const contents = `export const bridgeProgram = async () => ${JSON.stringify(await bridgeProgram())};`;
  return {
    name: "bridge",
    setup(build) {
      build.onLoad({ filter: /bundle.bridge-program\.ts$/ }, () => ({ contents, loader: "ts" }));
    },
  };
}
