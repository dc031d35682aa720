import { runStdioBridge } from "../stdio-bridge.ts";

/** The program of the bundle for Claude Desktop, in Node.js: the bridge, set by the environment. */
const { KANALOG_URL: url = "", KANALOG_KEY: key = "" } = process.env;
await runStdioBridge({ url, key });
