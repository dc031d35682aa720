import { connect, createServer, type Socket } from "node:net";
import { hostsOf } from "../../src/cluster/connection.ts";
import { RATES_CHANNEL } from "../../src/cluster/rate-shares.ts";

/** The connection between a node and PostgreSQL, which a test can cut. */
export interface PostgresLine {
  /** Address of the database through this line. */
  url: string;
  /** Closes all connections, and new ones until `mend`. */
  cut(): void;
  mend(): void;
  /** Holds back everything that nodes send from now on, like a PostgreSQL that hangs. */
  hold(): void;
  /**
   * Sends what was held back, even if its node is gone by now. Resolves once PostgreSQL has answered it or
   * closed the connection.
   */
  release(): Promise<void>;
  /** Number of connections that the node has tried. */
  readonly connections: number;
  /** Number of round trips from the node to PostgreSQL. */
  readonly questions: number;
  /** Whether the node is notified of others' commits; otherwise it copies on request or by polling. */
  hearsNotices: boolean;
  /** Reports of rates that the node was sent. */
  readonly rateNotices: number;
  /**
   * Loses the answer to the next commit of shared rows: once PostgreSQL has committed, `then` is called and
   * the line is cut.
   */
  loseNextCommit(then?: () => void): void;
  /** Loses the answer to a round trip, by its number, as `loseNextCommit` does. */
  loseAnswer(question: number, then: () => void): void;
  close(): Promise<void>;
}

/** Text that identifies a commit of shared rows. */
const COMMIT = "UPDATE kanalog.state SET version = version + 1";

/** First bytes of a node's requests: text of statements, or values for a prepared one. */
const QUESTIONS = [..."QPB"].map((letter) => letter.charCodeAt(0));

/** First byte of a notification in PostgreSQL's protocol. */
const NOTICE = "A".charCodeAt(0);

export async function openPostgresLine(url: string): Promise<PostgresLine> {
  const { hostname, port } = new URL(hostsOf(url)[0] as string);
  const open = new Set<Socket>();
  let isCut = false;
  let losing: { isIt: (bytes: Buffer) => boolean; then: () => void } | null = null;
  /** Bytes held back, by their connection to PostgreSQL; null while nothing is held back. */
  let held: Map<Socket, { node: Socket; kept: Uint8Array[] }> | null = null;

  let connections = 0;
  let questions = 0;
  let rateNotices = 0;

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
    node.on("data", (bytes: Buffer) => {
      if (QUESTIONS.includes(bytes[0] as number)) questions += 1;
      if (losing?.isIt(bytes) === true) isLosing = true;
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
        if (isListening)
          rateNotices += bytes.toString("latin1").split(`${RATES_CHANNEL}\0`).length - 1;
        node.write(bytes);
        return;
      }
      const lost = losing;
      losing = null;
      // Before the cut, which a process that should be killed might notice and end by itself.
      lost?.then();
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
    get rateNotices() {
      return rateNotices;
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
      losing = { isIt: (bytes) => bytes.includes(COMMIT), then };
    },
    loseAnswer(question, then) {
      losing = { isIt: () => questions === question, then };
    },
    async close() {
      line.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return line;
}
