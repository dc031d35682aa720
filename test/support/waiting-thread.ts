import { serveOperations } from "../../src/db/operations.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { waiting } from "./waiting-operations.ts";

serveOperations({ waiting }, systemClock, () => {});
