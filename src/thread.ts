import { serveOperations } from "./db/threads.ts";
import {
  importOperations,
  jobOperations,
  peopleOperations,
  pushOperations,
  readOperations,
  sessionOperations,
  usageOperations,
  writeOperations,
} from "./operations.ts";
import { systemClock } from "./ports/clock.ts";

/** What every database thread runs. */
serveOperations(
  {
    ...readOperations,
    ...usageOperations,
    ...writeOperations,
    ...pushOperations,
    ...peopleOperations,
    ...sessionOperations,
    ...jobOperations,
    ...importOperations,
  },
  systemClock,
);
