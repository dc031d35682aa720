import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";

/** A request as it was received; requests are ordered by when they were complete. */
export interface ReceivedRequest {
  method: string;
  path: string;
  /** Values by name in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Server name in the TLS handshake; null for none. */
  serverName: string | null;
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export type Behaviour =
  /** Never answers. */
  | "hang"
  /** Sends an endless head, one byte per second, beginning at once. */
  | "drip"
  /** Sends endless header lines. */
  | "endless-head"
  /** Sends an endless header line. */
  | "endless-line"
  /** Sends endless 100 and 103 answers. */
  | "endless-informational"
  /** Sends 200 and an endless body. */
  | "endless-body"
  /** Closes the connection instead of answering. */
  | "close"
  /** Closes the connection within the head of its answer. */
  | "half"
  /** Sends something that is not HTTP. */
  | "garbage"
  /** Sends 302 to its own `/redirected`. */
  | "redirect";

export type ReceiverAnswer = Reply | Behaviour;

export interface Receiver {
  host: string;
  port: number;
  requests: ReceivedRequest[];
  /** Number of connections so far. */
  readonly connections: number;
  /** Resolves once the clients have closed all connections. */
  idle(): Promise<void>;
  /** Closes the server and every connection. */
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** IP address to listen on. */
  host?: string;
  /** Its certificate, from `test/support/tls`. */
  certificate?: "receiver" | "other-name" | "expired";
}

const TLS_FOLDER = join(import.meta.dir, "tls");

/** The CA that signed the certificates of every receiver, as PEM. */
export const TEST_CA = readFileSync(join(TLS_FOLDER, "ca.pem"), "utf8");

const CHUNK = 64 * 1024;
const INFORMATIONAL = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";

/**
 * Starts a real HTTPS server on a free port that records all requests and answers as specified. It
 * implements HTTP itself over TLS sockets, so that it can break the protocol in every way; requests need a
 * Content-Length.
 */
export async function startReceiver(
  answer: ReceiverAnswer | ((request: ReceivedRequest) => ReceiverAnswer) = { status: 200 },
  { host = "127.0.0.1", certificate = "receiver" }: ReceiverOptions = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<TLSSocket>();
  let connections = 0;
  let whenIdle = () => {};
  const pem = readFileSync(join(TLS_FOLDER, `${certificate}.pem`));

  const server = createServer({ key: pem, cert: pem }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) whenIdle();
    });
    let received = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const read = readRequest(received, socket);
      if (read === null) return;
      received = received.subarray(read.endsAt);
      requests.push(read.request);
      give(socket, typeof answer === "function" ? answer(read.request) : answer, read.request);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: 0, backlog: 1024 }, resolve);
  });

  return {
    host,
    port: (server.address() as AddressInfo).port,
    requests,
    get connections() {
      return connections;
    },
    idle: () =>
      new Promise((resolve) => {
        whenIdle = resolve;
        if (sockets.size === 0) resolve();
      }),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/** @returns null if the request is not complete yet */
function readRequest(
  received: Buffer,
  socket: TLSSocket,
): { request: ReceivedRequest; endsAt: number } | null {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [first = "", ...lines] = received.toString("latin1", 0, headEnd).split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const endsAt = headEnd + 4 + Number(headers["content-length"] ?? 0);
  if (received.length < endsAt) return null;
  const body = new Uint8Array(received.subarray(headEnd + 4, endsAt));
  const serverName = (socket as { servername?: string | false }).servername || null;
  return { request: { method, path, headers, body, serverName }, endsAt };
}

function give(socket: TLSSocket, answer: ReceiverAnswer, request: ReceivedRequest): void {
  if (typeof answer === "string") {
    BEHAVIOURS[answer](socket, request);
    return;
  }
  const body = Buffer.from(answer.body ?? "");
  socket.write(Buffer.concat([Buffer.from(headOf(answer, body.length), "latin1"), body]));
}

const BEHAVIOURS: Record<Behaviour, (socket: TLSSocket, request: ReceivedRequest) => void> = {
  hang: () => {},
  drip: (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX-Filler: "),
  "endless-head": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    pour(socket, `X-Filler: ${"a".repeat(1000)}\r\n`);
  },
  "endless-line": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nX-Filler: ");
    pour(socket, "a");
  },
  "endless-informational": (socket) => pour(socket, INFORMATIONAL),
  "endless-body": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
    pour(socket, "a");
  },
  close: (socket) => socket.destroy(),
  half: (socket) => socket.end("HTTP/1.1 200 OK\r\nX-Hal"),
  garbage: (socket) => socket.end("220 this is no HTTP server\r\n\r\n"),
  redirect: (socket, { headers }) => {
    const location = `https://${headers["host"]}/redirected`;
    socket.write(headOf({ status: 302, headers: { location } }, 0));
  },
};

function headOf({ status, headers = {} }: Reply, bodyBytes: number): string {
  const all = { "content-length": String(bodyBytes), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Answer\r\n${lines.join("")}\r\n`;
}

function drip(socket: TLSSocket, head: string): void {
  let sent = 0;
  const next = () => socket.write(head[sent++] ?? "a");
  next();
  const timer = setInterval(next, 1000);
  socket.on("close", () => clearInterval(timer));
}

/** Writes as fast as the client reads. */
function pour(socket: TLSSocket, piece: string): void {
  const chunk = Buffer.from(piece.repeat(Math.ceil(CHUNK / piece.length)));
  const next = () => {
    if (socket.writable) socket.write(chunk);
  };
  socket.on("drain", next);
  next();
}
