import { connect, type Socket } from "node:net";

/** An answer as it was received. */
export interface RawAnswer {
  status: number;
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/** A connection that sends bytes unchanged, valid or not; the address is `http://host:port`. */
export interface RawConnection {
  socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** The next complete answer; null if the connection was closed before. */
  answer(ofHead?: boolean): Promise<RawAnswer | null>;
  /** Settles once the other side has closed the connection. */
  ended: Promise<void>;
  close(): void;
}

export function connectRaw(address: string): Promise<RawConnection> {
  const { hostname, port } = new URL(address);
  // The other side may close its half while this one is still sending.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const ended = Promise.withResolvers<void>();
  let received: Buffer = Buffer.alloc(0);
  let isOver = false;
  let onMore = () => {};
  const over = () => {
    isOver = true;
    ended.resolve();
    onMore();
  };
  socket.on("end", over).on("close", over).on("error", over);
  socket.on("data", (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    onMore();
  });

  const connection: RawConnection = {
    socket,
    ended: ended.promise,
    send: (bytes) => {
      socket.write(bytes);
    },
    async answer(ofHead = false) {
      for (;;) {
        const read = readAnswer(received, ofHead);
        if (read !== null) {
          received = received.subarray(read.endsAt);
          return read.answer;
        }
        if (isOver) return null;
        await new Promise<void>((resolve) => {
          onMore = resolve;
        });
      }
    },
    close: () => socket.destroy(),
  };
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(connection));
    socket.once("error", reject);
  });
}

/** The first answer in these bytes, if it is complete. */
function readAnswer(bytes: Buffer, ofHead: boolean): { answer: RawAnswer; endsAt: number } | null {
  const headEndsAt = bytes.indexOf("\r\n\r\n");
  if (headEndsAt < 0) return null;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEndsAt).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const from = headEndsAt + 4;
  if (status < 200) {
    const final = readAnswer(bytes.subarray(from), ofHead);
    return final && { ...final, endsAt: from + final.endsAt };
  }
  const hasBody = !ofHead && status !== 204 && status !== 304;
  const found = hasBody ? readBody(bytes, from, headers) : { body: "", endsAt: from };
  return found && { answer: { status, headers, body: found.body }, endsAt: found.endsAt };
}

function readBody(
  bytes: Buffer,
  from: number,
  headers: Record<string, string>,
): { body: string; endsAt: number } | null {
  if (headers["transfer-encoding"] !== "chunked") {
    const endsAt = from + Number(headers["content-length"] ?? 0);
    return bytes.length < endsAt ? null : { body: bytes.toString("utf8", from, endsAt), endsAt };
  }
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const sizeEndsAt = bytes.indexOf("\r\n", at);
    if (sizeEndsAt < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, sizeEndsAt), 16);
    const chunkAt = sizeEndsAt + 2;
    at = chunkAt + size + 2;
    if (bytes.length < at) return null;
    if (size === 0) return { body: Buffer.concat(chunks).toString("utf8"), endsAt: at };
    chunks.push(bytes.subarray(chunkAt, chunkAt + size));
  }
}

/** The private IPv4 address of a number below 2^24. */
export function addressAt(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
