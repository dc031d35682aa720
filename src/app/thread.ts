import { serveOperations } from "../db/serve-operations.ts";
import { systemClock } from "../ports/clock.ts";
import { pools } from "./operations.ts";

/** What every database thread runs. */
serveOperations(pools, systemClock);
