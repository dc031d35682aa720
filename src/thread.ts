import { serveOperations } from "./db/threads.ts";
import {
  checkpointOperations,
  importOperations,
  jobOperations,
  peopleOperations,
  pushOperations,
  readOperations,
  sessionOperations,
  writeOperations,
} from "./operations.ts";
import { systemClock } from "./ports/clock.ts";

/** What every database thread runs. */
serveOperations(
  {
    ...readOperations,
    ...checkpointOperations,
    ...writeOperations,
    ...pushOperations,
    ...peopleOperations,
    ...sessionOperations,
    ...jobOperations,
    ...importOperations,
  },
  systemClock,
);
