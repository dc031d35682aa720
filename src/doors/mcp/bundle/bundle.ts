import { strToU8, zipSync } from "fflate";
import licenseText from "../../../../LICENSE" with { type: "text" };
import { madeOnce } from "../../../values/kept-briefly.ts";
import { bridgeProgram } from "./bridge-program.ts";
import icon from "./icon.png" with { type: "file" };
import { bundleManifest } from "./manifest.ts";

export const MCP_ICON = Bun.file(icon);

/** The earliest time that a ZIP file can store, so that builds are reproducible. */
const MODIFIED_AT = new Date(1980, 0, 1);

/**
 * Uncompressed, because anybody may request bundles, for other addresses each time: 13 KB in 0.1 ms instead
 * of 10 KB in 2.4 ms of processor time.
 */
const STORED = 0;

/** @returns a function that builds `kanalog.mcpb`, for Claude Desktop, with an address filled in */
export function createBundle(): (address: string) => Promise<Uint8Array<ArrayBuffer>> {
  const constantFiles = madeOnce(async () => ({
    "server.mjs": strToU8(await bridgeProgram()),
    "icon.png": await MCP_ICON.bytes(),
    LICENSE: strToU8(licenseText),
  }));
  return async (address) => {
    const manifest = strToU8(JSON.stringify(bundleManifest(address), null, 2));
    const files = { "manifest.json": manifest, ...(await constantFiles()) };
    return zipSync(files, { mtime: MODIFIED_AT, level: STORED });
  };
}
