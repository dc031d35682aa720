import { serveOperations } from "../../src/db/serve-operations.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { failing } from "./failing-operations.ts";

serveOperations({ failing }, systemClock);
