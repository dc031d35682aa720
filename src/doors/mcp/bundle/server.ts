import { runStdioBridge } from "../stdio-bridge.ts";

/** What the bundle for Claude Desktop runs, in Node.js: the bridge, told by the environment. */
const { KANALOG_URL: url = "", KANALOG_KEY: key = "" } = process.env;
await runStdioBridge({ url, key });
