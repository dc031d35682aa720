import { serveOperations } from "./db/threads.ts";
import { jobOperations, readOperations, writeOperations } from "./operations.ts";
import { systemClock } from "./ports/clock.ts";

/** What every database thread runs. */
serveOperations({ ...readOperations, ...writeOperations, ...jobOperations }, systemClock);
