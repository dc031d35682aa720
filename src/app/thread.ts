import { serveOperations } from "../db/threads.ts";
import { systemClock } from "../ports/clock.ts";
import {
  bodyOperations,
  checkpointOperations,
  importOperations,
  jobOperations,
  peopleOperations,
  pushOperations,
  readOperations,
  sessionOperations,
  writeOperations,
} from "./operations.ts";

/** What every database thread runs. */
serveOperations(
  {
    ...readOperations,
    ...bodyOperations,
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
