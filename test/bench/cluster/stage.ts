import { copyFileSync } from "node:fs";
import { createMachine, type Finished, type Machine, type Serving } from "../../support/machine.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres.ts";

export const SECRET = "the secret of one machine and of both nodes of the bench";

/** A server, and the environment in which commands use its file. */
export interface Server extends Serving {
  name: string;
  database: string;
  environment: Record<string, string>;
}

/** One machine and two nodes, which start with the same rows. */
export interface Stage {
  machine: Machine;
  postgres: PostgresServer;
  alone: Server;
  nodes: [Server, Server];
  /** A key that is valid on all of them. */
  key: string;
  /** A key of another organization, too. */
  secondKey: string;
  leave(): Promise<void>;
}

/** Channels that exist before measuring. */
export const FIRST_CHANNELS = 1_000;

/** Starts all servers; PostgreSQL and its synchronous standby flush their commits, as in production. */
export async function startStage(): Promise<Stage> {
  const machine = createMachine();
  const postgres = await startPostgres({ isFlushed: true });
  const standby = await postgres.startWithStandby();
  const settings = { KANALOG_SECRET: SECRET, KANALOG_LOG_LEVEL: "error" };
  const ofNode = (name: string) => ({
    ...settings,
    KANALOG_DB: machine.path(`${name}.db`),
    KANALOG_CLUSTER: postgres.url,
    KANALOG_NODE: name,
  });
  const serve = async (name: string, environment: Record<string, string>): Promise<Server> => {
    const serving = await machine.serve(["serve"], { environment });
    const database = environment["KANALOG_DB"] ?? machine.database;
    return { ...serving, name, database, environment };
  };

  await writeChannels(machine, FIRST_CHANNELS, 0);
  await command(machine, ["import", "channels", machine.path("channels.csv")], settings);
  const { key } = await machine.customer();
  const { key: secondKey } = await machine.customer();
  await command(machine, ["plan", "set", "profi", "--quota", "1000000000"], settings);
  copyFileSync(machine.database, machine.path("a.db"));
  await command(machine, ["cluster", "init", "--from", machine.path("a.db")], ofNode("a"));
  await command(machine, ["cluster", "join"], ofNode("b"));
  return {
    ...{ machine, postgres, key, secondKey },
    alone: await serve("alone", settings),
    nodes: [await serve("a", ofNode("a")), await serve("b", ofNode("b"))],
    async leave() {
      await machine.leave();
      await postgres.stop();
      await standby.stop();
    },
  };
}

/** @throws Error if it fails */
export async function command(
  machine: Machine,
  words: readonly string[],
  environment: Record<string, string>,
): Promise<Finished> {
  const finished = await machine.runProgram(words, { environment });
  if (finished.exitCode !== 0) {
    throw new Error(`${words.join(" ")}: ${finished.notes}${finished.out}`);
  }
  return finished;
}

/** Writes `channels.csv` with channels from number 1 on. @param edition is part of their titles */
export function writeChannels(machine: Machine, count: number, edition: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) => `${at + 1},channel${at + 1},${titleOf(at + 1, edition)},${at * 7 + edition}`,
  );
  return machine.write("channels.csv", `id,handle,title,subscribers\n${rows.join("\n")}\n`);
}

export function titleOf(id: number, edition: number): string {
  return `Канал ${id} новости ${edition}`;
}
