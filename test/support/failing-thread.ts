import { serveOperations } from "../../src/db/operations.ts";
import { SLOW_MS } from "../../src/db/statement.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { failing } from "./failing-operations.ts";

/** A clock by which every statement is slow. */
let nowMs = 0;
const clock = { ...systemClock, monotonic: () => (nowMs += SLOW_MS) };

serveOperations({ failing }, clock, () => {});
// Lets a test see that the thread was loaded, even if it never answers.
const loaded = new BroadcastChannel("failing-thread");
loaded.postMessage("loaded");
loaded.close();
