#!/usr/bin/env bun
import { runOnPinnedBun } from "./packaging/pinned-bun.ts";

// Imported only on the Bun that the program is made for: on others its packages cannot be loaded.
const exitCode = await runOnPinnedBun(import.meta.path, process.argv.slice(2));
if (exitCode === null) await import("./program.ts");
else process.exitCode = exitCode;
