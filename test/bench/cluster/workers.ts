import { copyFileSync } from "node:fs";
import { processorMsOfAll } from "../../support/processor-time.ts";
import { medianRatio } from "../peers/statistics.ts";
import { inTurns, medians } from "./answers.ts";
import type { Report } from "./report.ts";
import type { Server, Stage } from "./stage.ts";

const WORKERS = 2;
/** Wanted at few connections: processor time of a card, as a multiple of that with one worker. */
const FEW = { connections: 8, costMax: 1.4 };
const MANY = 100;
/** Several workers share a client, so each takes longer until its code is compiled. */
const WARM_S = 8;

/**
 * Gain and cost of a second worker on one machine, in turns. The client has a core for itself (`load.ts`), where
 * there are more than two: on two cores, workers share that one with it.
 */
export async function benchWorkers(
  stage: Stage,
  { rounds, seconds }: { rounds: number; seconds: number },
  report: Report,
): Promise<void> {
  const paths = Array.from({ length: 100 }, (_, at) => `/v1/msgr/channels/${at + 1}/`);
  const servers = [await serve(stage, 1), await serve(stage, WORKERS)];
  for (const connections of [FEW.connections, MANY]) {
    const [one = [], two = []] = await inTurns(
      stage,
      servers.map((server) => [server]),
      rounds,
      { paths, connections, seconds },
      WARM_S,
    );
    const ratio = (which: "perSecond" | "serverUs") =>
      medianRatio(
        two.map((seen) => seen[which]),
        one.map((seen) => seen[which]),
      ).toFixed(2);
    const cells = (given: (seen: ReturnType<typeof medians>) => string) =>
      [given(medians(one)), given(medians(two))] as const;
    const what = `cards, ${connections} connections in all`;
    report(
      what,
      ...cells((seen) => `${seen.perSecond.toFixed(0)} answers/s`),
      `${ratio("perSecond")} x`,
    );
    // What they would answer with a core for each and the client elsewhere.
    const apart = (all: typeof one, workers: number) =>
      `${((workers * 1e6) / medians(all).serverUs).toFixed(0)} answers/s`;
    report("derived: with a core for each worker", apart(one, 1), apart(two, WORKERS), "");
    const wanted = connections === FEW.connections ? `; wanted: at most ${FEW.costMax} x` : "";
    report(
      "the same: processor time of a card",
      ...cells((seen) => `${seen.serverUs.toFixed(1)} us`),
      `${ratio("serverUs")} x${wanted}`,
    );
  }
  for (const server of servers) await server.stop();
}

/** Serves a copy of the first machine's file. */
async function serve({ machine }: Stage, workers: number): Promise<Server> {
  const name = `${workers} workers`;
  const database = machine.path(`workers-${workers}.db`);
  copyFileSync(machine.database, database);
  const environment = { KANALOG_DB: database };
  const serving = await machine.serve(["serve", "--workers", String(workers)], { environment });
  const processorMs = () => processorMsOfAll(serving.pid);
  return { ...serving, processorMs, name, database, environment };
}
