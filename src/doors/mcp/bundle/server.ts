import { spawn } from "node:child_process";
import { mcpAddressOf } from "../../../customers/keys/connect-snippets.ts";
import { postTextTo } from "../../../ports/download.ts";
import { runStdioBridge } from "../stdio-bridge.ts";

/**
 * The program in the bundle for Claude Desktop, run by Node.js: the bridge to an appliance, or this computer's own
 * program, as the environment says.
 */
const { KANALOG_URL: url = "", KANALOG_KEY: key = "", KANALOG_PROGRAM: program = "" } = process.env;
const { KANALOG_FILE: file = "" } = process.env;
if (program === "") await runStdioBridge(postTextTo(mcpAddressOf(url), key));
else {
  const source = file === "" ? ["--sample"] : ["--db", file];
  const child = spawn(program, ["mcp", ...source], { stdio: "inherit" });
  child.on("error", ({ message }) => {
    process.stderr.write(`${program}: ${message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
