import { connect, createServer, type Socket } from "node:net";
import { hostsOf } from "../../src/db/cluster/primary.ts";

/** The connection between one node and PostgreSQL, which a test can cut. */
export interface PostgresLine {
  /** URL of the database through this connection. */
  url: string;
  /** Closes all connections; new ones are closed too until `mend`. */
  cut(): void;
  mend(): void;
  /** Holds back what nodes send from now on, as if the network or PostgreSQL stood still. */
  hold(): void;
  /**
   * Sends what was held back, even if its node is gone by now. Settles once PostgreSQL has answered it or
   * closed the connection.
   */
  release(): Promise<void>;
  /** Number of connections that the node has attempted. */
  readonly connections: number;
  /** Number of round trips between the node and PostgreSQL. */
  readonly questions: number;
  /**
   * Whether the node is notified of others' commits at once; otherwise it only copies when it is told to,
   * or for a request.
   */
  hearsNotices: boolean;
  /**
   * Lets the next commit of shared rows reach PostgreSQL but not its answer: once PostgreSQL has committed,
   * `then` is called and the connection is cut.
   */
  loseNextCommit(then?: () => void): void;
  close(): Promise<void>;
}

/** Text that identifies a commit of shared rows in what is sent. */
const COMMIT = "UPDATE kanalog.state SET version = version + 1";

/** First bytes of the messages that await an answer: a text of statements, or values for a prepared one. */
const QUESTIONS = [..."QPB"].map((letter) => letter.charCodeAt(0));

/** First byte of a notification, in PostgreSQL's protocol. */
const NOTICE = "A".charCodeAt(0);

export async function openPostgresLine(url: string): Promise<PostgresLine> {
  const { hostname, port } = new URL(hostsOf(url)[0] as string);
  const open = new Set<Socket>();
  let isCut = false;
  let losing: (() => void) | null = null;
  /** What is held back, by the connection that it is for; null while everything passes. */
  let held: Map<Socket, { node: Socket; kept: Uint8Array[] }> | null = null;

  let connections = 0;
  let questions = 0;

  const server = createServer((node) => {
    connections += 1;
    if (isCut) {
      node.destroy();
      return;
    }
    const postgres = connect(Number(port), hostname);
    let isLosing = false;
    let isListening = false;
    const end = (): void => {
      node.destroy();
      postgres.destroy();
      open.delete(node);
      open.delete(postgres);
    };
    for (const socket of [node, postgres]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
    }
    postgres.on("close", end);
    node.on("close", () => {
      if (held?.has(postgres) !== true) end();
    });
    node.on("data", (bytes) => {
      if (QUESTIONS.includes(bytes[0] as number)) questions += 1;
      if (losing !== null && bytes.includes(COMMIT)) isLosing = true;
      if (bytes.includes("LISTEN kanalog")) isListening = true;
      if (held === null) {
        postgres.write(bytes);
        return;
      }
      const kept = held.get(postgres)?.kept ?? [];
      held.set(postgres, { node, kept: [...kept, Buffer.from(bytes)] });
    });
    postgres.on("data", (bytes) => {
      if (isListening && !line.hearsNotices && bytes[0] === NOTICE) return;
      if (!isLosing) {
        node.write(bytes);
        return;
      }
      const then = losing;
      losing = null;
      // Called first, because a process to be killed might notice the cut and end by itself.
      then?.();
      line.cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = new URL(url);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as { port: number }).port);

  const line: PostgresLine = {
    url: own.href,
    get connections() {
      return connections;
    },
    get questions() {
      return questions;
    },
    hearsNotices: false,
    cut() {
      isCut = true;
      for (const socket of [...open]) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    hold() {
      held = new Map();
    },
    async release() {
      const all = [...(held ?? [])];
      held = null;
      const answered = all.map(([postgres, { node, kept }]) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        postgres.once("data", () => resolve());
        postgres.once("close", () => resolve());
        postgres.write(Buffer.concat(kept));
        if (node.destroyed) postgres.end();
        return promise;
      });
      await Promise.all(answered);
    },
    loseNextCommit(then = () => {}) {
      losing = then;
    },
    async close() {
      line.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return line;
}
