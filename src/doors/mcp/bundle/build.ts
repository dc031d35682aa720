import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packExtension } from "@anthropic-ai/mcpb";
import { description, license, version } from "../../../../package.json";
import { toolMethods } from "../../../methods/table.ts";

/** `bun run mcpb`: writes kanalog.mcpb, the bundle that Claude Desktop installs with a click. */
const BUNDLE = "kanalog.mcpb";

const manifest = {
  manifest_version: "0.3",
  name: "kanalog",
  display_name: "Kanalog",
  version,
  description: "Channels, statistics and posts of a messenger, from your Kanalog appliance.",
  long_description: description,
  author: { name: "Kanalog" },
  license,
  server: {
    type: "node",
    entry_point: "server.mjs",
    mcp_config: {
      command: "node",
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: filled in by the host
      args: ["${__dirname}/server.mjs"],
      env: { KANALOG_URL: "${user_config.url}", KANALOG_KEY: "${user_config.key}" },
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: filled in by the host
    },
  },
  tools: toolMethods.map(({ operationId, title }) => ({ name: operationId, description: title })),
  user_config: {
    url: {
      type: "string",
      title: "Address",
      description: "The address of the Kanalog appliance",
      default: "http://127.0.0.1:8080",
      required: true,
    },
    key: {
      type: "string",
      title: "API key",
      description: "A read-only key is enough: knl_ro_…",
      sensitive: true,
      required: true,
    },
  },
  compatibility: { runtimes: { node: ">=20.0.0" } },
};

const folder = mkdtempSync(join(tmpdir(), "kanalog-mcpb-"));
try {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "server.ts")],
    target: "node",
    naming: "server.mjs",
    // Comments of the built file would name the folders of this machine.
    minify: { whitespace: true },
    outdir: folder,
  });
  if (!built.success) throw new AggregateError(built.logs, "the bridge could not be built");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest, null, 2));
  copyFileSync(join(import.meta.dir, "../../../../LICENSE"), join(folder, "LICENSE"));
  const packed = join(folder, "..", `${BUNDLE}.${process.pid}`);
  if (!(await packExtension({ extensionPath: folder, outputPath: packed, silent: true }))) {
    throw new Error("the bundle could not be packed");
  }
  // Copied, since the temporary folder may be on another file system.
  copyFileSync(packed, BUNDLE);
  rmSync(packed);
  console.log(`Wrote ${BUNDLE}.`);
} finally {
  rmSync(folder, { recursive: true });
}
