import { derivedRows } from "../catalog/derived-rows.ts";
import type { Columns } from "../catalog/search/columns/columns.ts";
import { useColumns } from "../catalog/search/columns/read-columns.store.ts";
import { linkToCluster } from "../cluster/link-to-cluster.ts";
import { serveOperations } from "../db/operations.ts";
import { systemClock } from "../ports/clock.ts";
import { lanes } from "./operations.ts";

/** Entry module of every database thread. */
serveOperations(lanes, systemClock, (db, access, { lane, memory, node }) => {
  if (node !== null && access === "writer") linkToCluster(db, node, lane, derivedRows);
  if (memory !== null && access === "reader") useColumns(db, memory as Columns);
});
