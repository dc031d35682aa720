import { derivedRows } from "../catalog/derived-rows.ts";
import { serveOperations } from "../db/serve-operations.ts";
import { systemClock } from "../ports/clock.ts";
import { pools } from "./operations.ts";

/** The module that every database thread runs. */
serveOperations(pools, systemClock, derivedRows);
