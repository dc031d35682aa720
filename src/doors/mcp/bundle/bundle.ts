import { strToU8, zipSync } from "fflate";
import licenseText from "../../../../LICENSE" with { type: "text" };
import { madeOnce } from "../../../values/made-once.ts";
import { bridgeProgram } from "./bridge-program.ts";
import icon from "./icon.png" with { type: "file" };
import { bundleManifest } from "./manifest.ts";

/** The earliest time that a ZIP file can store, so that builds are reproducible. */
const MODIFIED_AT = new Date(1980, 0, 1);

/** @returns a function that builds `kanalog.mcpb`, for Claude Desktop, with an address filled in */
export function createBundle(): (address: string) => Promise<Uint8Array<ArrayBuffer>> {
  const program = madeOnce(bridgeProgram);
  return async (address) => {
    const files = {
      "manifest.json": strToU8(JSON.stringify(bundleManifest(address), null, 2)),
      "server.mjs": strToU8(await program()),
      "icon.png": await Bun.file(icon).bytes(),
      LICENSE: strToU8(licenseText),
    };
    return zipSync(files, { mtime: MODIFIED_AT });
  };
}
