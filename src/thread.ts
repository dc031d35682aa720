import { serveOperations } from "./db/threads.ts";
import { jobOperations, pushOperations, readOperations, writeOperations } from "./operations.ts";
import { systemClock } from "./ports/clock.ts";

/** What every database thread runs. */
serveOperations(
  { ...readOperations, ...writeOperations, ...pushOperations, ...jobOperations },
  systemClock,
);
