import { runStdioBridge } from "../stdio-bridge.ts";

/**
 * The program in the bundle for Claude Desktop, run by Node.js: the bridge, configured by the environment.
 */
const { KANALOG_URL: url = "", KANALOG_KEY: key = "" } = process.env;
await runStdioBridge({ url, key });
