import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DownloadRequest } from "../../src/ports/download.ts";
import { systemNetwork } from "../../src/ports/network.ts";
import { LEAST_RATE, type LeastRate } from "../../src/ports/own-work.ts";

/** Downloads from a real listener, which sends exactly the bytes that a test chooses. */

/** Measured over a moment instead of a minute. */
const SOON: LeastRate = { ...LEAST_RATE, overMs: 60 };

const network = systemNetwork({ ca: null });
let folder: string;
let close: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-download-"));
});
afterEach(() => {
  close();
  rmSync(folder, { recursive: true });
});

/** The request that the listener received. */
let received: string;

async function listen(answer: (socket: Socket) => void): Promise<DownloadRequest> {
  received = "";
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      received += piece.toString("latin1");
      if (received.includes("\r\n\r\n")) answer(socket);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const { port } = server.address() as { port: number };
  return {
    ...{ isSecure: false, address: "127.0.0.1", port, host: "files.example.com" },
    ...{ authority: `files.example.com:${port}`, path: "/a.csv?b=c", headers: { "x-one": "1" } },
    ...{ into: join(folder, "file"), bytesMax: 1000, leastRate: LEAST_RATE },
    signal: new AbortController().signal,
  };
}

const say =
  (head: string, body = "") =>
  (socket: Socket) =>
    void socket.end(`HTTP/1.1 ${head}\r\n\r\n${body}`, "latin1");

test("the file gets the body's bytes as they were sent, compressed or not", async () => {
  const request = await listen(
    say('200 OK\r\nETag: "7"\r\nContent-Encoding: gzip\r\nContent-Length: 3', "\x1f\x8b!"),
  );
  expect(await network.download(request)).toMatchObject({
    ...{ status: 200, bytes: 3, headers: { etag: '"7"', location: null } },
  });
  expect([...readFileSync(request.into)]).toEqual([0x1f, 0x8b, 0x21]);
  expect(received).toStartWith("GET /a.csv?b=c HTTP/1.1\r\n");
  expect(received.toLowerCase()).toContain(`\r\nhost: ${request.authority}\r\n`);
  expect(received).toMatch(/\r\nx-one: 1\r\n/i);
});

test("a redirect is not followed", async () => {
  const request = await listen(say("302 Found\r\nLocation: /other\r\nContent-Length: 0"));
  expect(await network.download(request)).toMatchObject({
    ...{ status: 302, headers: { location: "/other" } },
  });
});

test.each([
  ["a body shorter than announced", say("200 OK\r\nContent-Length: 10", "abc")],
  ["chunks without their end", say("200 OK\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n")],
  ["no HTTP", (socket: Socket) => void socket.end("hello\r\n\r\n")],
])("%s is reported as broken", async (_, answer) => {
  expect(await network.download(await listen(answer))).toEqual({ fault: "broken" });
});

test("a body that exceeds the limit is aborted", async () => {
  const request = await listen(say("200 OK\r\nContent-Length: 1001", "x".repeat(1001)));
  expect(await network.download(request)).toEqual({ fault: "too_large" });
});

test("a server that falls silent is given up, before the head as well as within the body", async () => {
  const silent = await listen(() => {});
  expect(await network.download({ ...silent, leastRate: SOON })).toEqual({ fault: "slow" });
  close();
  const halting = await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  });
  expect(await network.download({ ...halting, leastRate: SOON })).toEqual({ fault: "slow" });
});

test("a server that sends byte by byte is given up, however long it goes on", async () => {
  const request = await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  const bytesMax = 1_000_000;
  const slow = await network.download({ ...request, bytesMax, leastRate: SOON });
  expect(slow).toEqual({ fault: "slow" });
});

test("a port on which nothing listens is reported as unreachable", async () => {
  const request = await listen(() => {});
  close();
  expect(await network.download(request)).toEqual({ fault: "unreachable" });
});

test("a body whose announced length exceeds the limit is not read", async () => {
  const request = await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483649\r\n\r\n");
  });
  expect(await network.download(request)).toEqual({ fault: "too_large" });
  expect(readFileSync(request.into)).toHaveLength(0);
});

test.skipIf(process.platform !== "linux")(
  "a file that cannot be written ends the connection, which would count against the limit",
  async () => {
    const { promise: closed, resolve } = Promise.withResolvers<string>();
    const request = await listen((socket) => {
      socket.on("close", () => resolve("closed"));
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc");
    });
    await expect(network.download({ ...request, into: "/dev/full" })).rejects.toThrow("ENOSPC");
    expect(await closed).toBe("closed");
  },
);
