#!/usr/bin/env bun
import { runOnPinnedBun } from "./packaging/pinned-bun.ts";

// Imported only on the pinned Bun: the program's packages cannot be loaded on other versions.
const exitCode = await runOnPinnedBun(import.meta.path, process.argv.slice(2));
if (exitCode === null) await import("./program.ts");
else process.exitCode = exitCode;
