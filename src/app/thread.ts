import { derivedRows } from "../catalog/derived-rows.ts";
import { linkToCluster } from "../cluster/link-to-cluster.ts";
import { serveOperations } from "../db/operations.ts";
import { systemClock } from "../ports/clock.ts";
import { lanes } from "./operations.ts";

/** Entry module of every database thread. */
serveOperations(lanes, systemClock, (db, node, lane) => linkToCluster(db, node, lane, derivedRows));
