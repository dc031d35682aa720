import pg from "pg";
import { percentile } from "../peers/statistics.ts";
import { startLoad } from "./load.ts";
import { FIRST_CHANNELS, type Server, type Stage, titleOf, writeChannels } from "./stage.ts";

/** Interval for polling whether a change has arrived. */
const LOOK_MS = 5;
/** Clients during an import: some 40 requests a second. */
const BESIDE = { connections: 4, pauseMs: 100 };
/** Interval between two attempts to take the turn. */
const TURN_LOOK_MS = 20;

export interface Lag {
  /** From the start of the command's process until the other server returns the rows. */
  fromStartMs: number[];
  /** From the end of the command; negative if the rows arrive earlier. */
  fromEndMs: number[];
}

/** Imports rows on one server repeatedly, each time until another one (or itself) returns the last of them. */
export async function measureLag(
  { machine, key }: Stage,
  [here, there]: readonly [Server, Server],
  times: number,
): Promise<Lag> {
  const lag: Lag = { fromStartMs: [], fromEndMs: [] };
  for (let edition = 1; edition <= times; edition++) {
    const file = writeChannels(machine, FIRST_CHANNELS, edition);
    const begunMs = performance.now();
    const importing = machine.spawn(["import", "channels", file], here);
    const ended = importing.exited.then(() => performance.now());
    const path = `/v1/msgr/channels/${FIRST_CHANNELS}/`;
    const wanted = titleOf(FIRST_CHANNELS, edition);
    while (!(await (await there.get(path, key)).text()).includes(wanted)) await Bun.sleep(LOOK_MS);
    const seenMs = performance.now();
    lag.fromStartMs.push(seenMs - begunMs);
    lag.fromEndMs.push(seenMs - (await ended));
  }
  return lag;
}

export interface Imported {
  /** Until all servers have the rows, including the start and end of the process. */
  seconds: number;
  /** Processor time of the command, all servers, and PostgreSQL. */
  processorS: { command: number; servers: number; postgres: number };
  /** p99 of the last server's answers during the import, and before. */
  besideP99Ms: number;
  quietP99Ms: number;
  refused: number;
  /** How long others wait for their turn to change shared rows; there is no turn on one machine. */
  turnP50Ms: number;
  turnP99Ms: number;
  turnMaxMs: number;
}

/** Imports channels on the first of the servers, until all of them have the rows. */
export async function measureImport(
  { machine, postgres, key }: Stage,
  servers: readonly Server[],
  channels: number,
): Promise<Imported> {
  const isCluster = servers.length > 1;
  const file = writeChannels(machine, channels, 0);
  const [first, last] = [servers[0] as Server, servers.at(-1) as Server];
  const paths = Array.from({ length: 100 }, (_, at) => `/v1/msgr/channels/${at + 1}/`);
  const order = { ...{ address: last.address, key, paths }, ...BESIDE };
  const quiet = await startLoad({ ...order, seconds: 5 }).seen;
  const beside = startLoad({ ...order, seconds: null });
  const turns = isCluster ? watchTurns(postgres.url) : null;
  const before = servers.map((server) => server.processorMs());
  const postgresMs = postgres.processorMs();
  const begunMs = performance.now();
  const importing = machine.spawn(["import", "channels", file, "--wait"], first);
  if ((await importing.exited) !== 0) {
    beside.stop();
    throw new Error(await importing.stderr.text());
  }
  const seconds = (performance.now() - begunMs) / 1000;
  const serversMs = servers.map((server, at) => server.processorMs() - (before[at] ?? 0));
  const afterMs = postgres.processorMs();
  beside.stop();
  const seen = await beside.seen;
  const waits = (await turns?.stop()) ?? [];
  return {
    seconds,
    processorS: {
      command: Number(importing.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
      servers: serversMs.reduce((all, one) => all + one, 0) / 1000,
      postgres: (afterMs - postgresMs) / 1000,
    },
    besideP99Ms: seen.p99Ms,
    quietP99Ms: quiet.p99Ms,
    refused: Object.values(seen.others).reduce((all, one) => all + one, 0),
    turnP50Ms: percentile(waits, 0.5),
    turnP99Ms: percentile(waits, 0.99),
    turnMaxMs: percentile(waits, 1),
  };
}

/** Repeatedly takes the turn for changing shared rows, and releases it at once. @returns the waits, on `stop` */
function watchTurns(url: string): { stop(): Promise<number[]> } {
  const waits: number[] = [];
  let isOver = false;
  const watching = (async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    while (!isOver) {
      const startedMs = performance.now();
      await client.query("BEGIN; SELECT 1 FROM kanalog.state FOR UPDATE");
      waits.push(performance.now() - startedMs);
      await client.query("ROLLBACK");
      await Bun.sleep(TURN_LOOK_MS);
    }
    await client.end();
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return waits;
    },
  };
}
