import { afterEach, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { getServers, Resolver, setServers } from "node:dns";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import {
  type GetRequest,
  type GetResult,
  type PostRequest,
  type PostResult,
  systemNetwork,
} from "../../src/ports/network.ts";
import {
  type Behaviour,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
  TEST_CA,
} from "../support/https-receiver.ts";
import { HANGS_AFTER_MS, until } from "../support/until.ts";

const network = systemNetwork({ ca: TEST_CA });
const NETWORK_FILE = join(import.meta.dir, "../../src/ports/network.ts");
const CA_FILE = join(import.meta.dir, "../support/tls/ca.pem");

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

async function receiverThat(
  answers: Parameters<typeof startReceiver>[0] = { status: 200 },
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const receiver = await startReceiver(answers, options);
  opened.push(receiver);
  return receiver;
}

async function plainServer(onConnection: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(server);
  return server;
}

/** @param to the port of a listener, or the listener itself */
function requestTo(to: { port: number } | Server, changes: Partial<PostRequest> = {}): PostRequest {
  return {
    address: "127.0.0.1",
    port: "port" in to ? to.port : (to.address() as AddressInfo).port,
    host: "receiver.test",
    authority: "receiver.test",
    path: "/hook",
    headers: {},
    body: Buffer.from("{}"),
    timeoutMs: HANGS_AFTER_MS,
    ...changes,
  };
}

/** With one of the system's own limits, it would be given up even later, or never. */
const GIVEN_UP_MAX_MS = 60_000;

async function timed(post: () => Promise<PostResult>): Promise<[PostResult, number]> {
  const startedMs = performance.now();
  return [await post(), performance.now() - startedMs];
}

/** Result of a post in a process of its own, with only these variables in its environment. */
async function postElsewhere(
  request: PostRequest,
  ca: string | null,
  environment: Record<string, string>,
): Promise<PostResult> {
  const script = `
    const { systemNetwork } = await import(${JSON.stringify(NETWORK_FILE)});
    const { request, ca } = await new Response(Bun.stdin.stream()).json();
    request.body = Buffer.from(request.body);
    console.log(JSON.stringify(await systemNetwork({ ca }).post(request)));`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: environment,
    stdin: new Blob([JSON.stringify({ request: { ...request, body: "{}" }, ca })]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await child.stdout.text());
}

test("a post goes to the given address, and the name is not resolved", async () => {
  const receiver = await receiverThat({ status: 202 });
  // The name does not exist.
  expect(await network.post(requestTo(receiver))).toEqual({ status: 202 });
  expect(receiver.requests).toHaveLength(1);
});

test("a post sends the name in the TLS handshake, and the Host, path, headers and bytes it was given", async () => {
  const receiver = await receiverThat();
  const body = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
  await network.post(
    requestTo(receiver, {
      host: "a.receiver.test",
      authority: "a.receiver.test:8443",
      path: "/hook/%20?a=1&b=%2F",
      headers: { "Content-Type": "application/json", "User-Agent": "Kanalog", "X-Mark": "7" },
      body,
    }),
  );
  const [request] = receiver.requests;
  expect(request).toMatchObject({
    method: "POST",
    path: "/hook/%20?a=1&b=%2F",
    serverName: "a.receiver.test",
    headers: {
      host: "a.receiver.test:8443",
      "content-type": "application/json",
      "user-agent": "Kanalog",
      "x-mark": "7",
      "content-length": "100000",
    },
  });
  expect(Buffer.compare(request?.body ?? new Uint8Array(), body)).toBe(0);
});

test("no path leads to another address", async () => {
  const receiver = await receiverThat();
  for (const path of ["@192.0.2.1/", "//192.0.2.1/", "/@192.0.2.1:1/", ".evil.test/"]) {
    expect(await network.post(requestTo(receiver, { path }))).toEqual({ status: 200 });
  }
  expect(receiver.requests).toHaveLength(4);
});

test("the host may be an IP address, IPv4 or IPv6", async () => {
  const receiver = await receiverThat();
  for (const host of ["127.0.0.1", "8.8.4.4", "::1"]) {
    expect(await network.post(requestTo(receiver, { host }))).toEqual({ status: 200 });
  }
  expect(receiver.requests.map(({ serverName }) => serverName)).toEqual([null, null, null]);
});

test("a post goes to an IPv6 address", async () => {
  const receiver = await receiverThat({ status: 204 }, { host: "::1" });
  expect(await network.post(requestTo(receiver, { address: "::1" }))).toEqual({ status: 204 });
});

test("a name given as the address is not resolved", async () => {
  const receiver = await receiverThat();
  const request = requestTo(receiver, { address: "localhost", host: "localhost" });
  expect(await network.post(request)).toEqual({ fault: "unreachable" });
  expect(receiver.connections).toBe(0);
});

test("the certificate must be valid for the host, whatever the address is", async () => {
  const receiver = await receiverThat();
  for (const host of ["other.test", "receiver.test.evil.test", "a.b.receiver.test", "8.8.8.8"]) {
    expect(await network.post(requestTo(receiver, { host }))).toEqual({ fault: "certificate" });
  }
  const other = await receiverThat({ status: 200 }, { certificate: "other-name" });
  expect(await network.post(requestTo(other))).toEqual({ fault: "certificate" });
  expect(await network.post(requestTo(other, { host: "other.test" }))).toEqual({ status: 200 });
  expect(receiver.requests).toEqual([]);
  expect(other.requests).toHaveLength(1);
});

test("an expired certificate is refused", async () => {
  const receiver = await receiverThat({ status: 200 }, { certificate: "expired" });
  expect(await network.post(requestTo(receiver))).toEqual({ fault: "certificate" });
  expect(receiver.requests).toEqual([]);
});

test("a certificate of an unknown CA is refused", async () => {
  const receiver = await receiverThat();
  const strict = systemNetwork({ ca: null });
  expect(await strict.post(requestTo(receiver))).toEqual({ fault: "certificate" });
  expect(receiver.requests).toEqual([]);
});

test("no environment variable disables the check of certificates", async () => {
  const receiver = await receiverThat();
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const result = await postElsewhere(requestTo(receiver), null, environment);
  expect(result).toEqual({ fault: "certificate" });
  expect(receiver.requests).toEqual([]);
});

test("a configured CA is trusted in addition to the system's, not instead of them", async () => {
  const receiver = await receiverThat();
  const [another = ""] = rootCertificates;
  for (const variable of ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]) {
    for (const ca of [another, null]) {
      const result = await postElsewhere(requestTo(receiver), ca, { [variable]: CA_FILE });
      expect(result).toEqual({ status: 200 });
    }
  }
});

test("proxies in the environment are ignored", async () => {
  let proxied = 0;
  const proxy = await plainServer((socket) => {
    proxied += 1;
    socket.destroy();
  });
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"];
  const environment = Object.fromEntries(names.map((name) => [name, address]));
  const receiver = await receiverThat();
  const result = await postElsewhere(requestTo(receiver), TEST_CA, environment);
  expect(result).toEqual({ status: 200 });
  expect(proxied).toBe(0);
});

test("a redirect is returned as the answer and not followed", async () => {
  const receiver = await receiverThat("redirect");
  expect(await network.post(requestTo(receiver))).toEqual({ status: 302 });
  await receiver.idle();
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook"]);
});

test("the status is returned even if the body contradicts its headers", async () => {
  const headers = { "content-encoding": "gzip", "content-length": "70" };
  const receiver = await receiverThat({ status: 500, headers, body: "not gzip" });
  expect(await network.post(requestTo(receiver))).toEqual({ status: 500 });
});

test("every post has a connection of its own, which is closed with it", async () => {
  const receiver = await receiverThat({ status: 200, body: "x".repeat(1_000_000) });
  for (let at = 0; at < 5; at += 1) await network.post(requestTo(receiver));
  await receiver.idle();
  expect(receiver.connections).toBe(5);
});

test("an address on which nothing listens is reported as unreachable", async () => {
  const receiver = await startReceiver();
  await receiver.close();
  expect(await network.post(requestTo(receiver))).toEqual({ fault: "unreachable" });
});

test("a lost connection and an answer that is not HTTP are reported as broken, and not retried", async () => {
  for (const behaviour of ["close", "half", "garbage"] as const) {
    const receiver = await receiverThat(behaviour);
    expect(await network.post(requestTo(receiver))).toEqual({ fault: "broken" });
    expect(receiver.requests).toHaveLength(1);
  }
});

test("a server without TLS is reported as broken", async () => {
  const plain = await plainServer((socket) => {
    socket.on("error", () => {});
    socket.end("HTTP/1.1 200 OK\r\n\r\n");
  });
  expect(await network.post(requestTo(plain))).toEqual({ fault: "broken" });
});

test("headers that cannot be sent give a fault rather than an exception", async () => {
  const receiver = await receiverThat();
  const request = requestTo(receiver, { headers: { "X-Mark": "a\r\nX-Other: b" } });
  expect(await network.post(request)).toEqual({ fault: "broken" });
  expect(receiver.requests).toEqual([]);
});

test("a receiver that never ends its head is given up in time, and its connection closed", async () => {
  const behaviours: Behaviour[] = ["hang", "drip", "endless-informational"];
  const timeoutMs = 1200;
  await Promise.all(
    behaviours.map(async (behaviour) => {
      const receiver = await receiverThat(behaviour);
      const [result, tookMs] = await timed(() => network.post(requestTo(receiver, { timeoutMs })));
      expect(result).toEqual({ fault: "timeout" });
      expect(tookMs).toBeWithin(timeoutMs - 5, GIVEN_UP_MAX_MS);
      await receiver.idle();
    }),
  );
});

test("a TLS handshake that hangs is given up in time, and its connection closed", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const silent = await plainServer((socket) => {
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.resume();
  });
  const [result, tookMs] = await timed(() => network.post(requestTo(silent, { timeoutMs: 300 })));
  expect(result).toEqual({ fault: "timeout" });
  expect(tookMs).toBeLessThan(GIVEN_UP_MAX_MS);
  await ended;
});

test("an address that does not answer is given up in time", async () => {
  // From the blocks for documentation. A machine without a route to them fails at once.
  for (const address of ["192.0.2.1", "2001:db8::1"]) {
    const request = requestTo({ port: 443 }, { address, timeoutMs: 300 });
    const [result, tookMs] = await timed(() => network.post(request));
    expect([{ fault: "timeout" }, { fault: "unreachable" }]).toContainEqual(
      result as { fault: string },
    );
    expect(tookMs).toBeLessThan(GIVEN_UP_MAX_MS);
  }
});

test("no answer fills the memory, however long it is", async () => {
  const behaviours: Behaviour[] = [
    "endless-head",
    "endless-line",
    "endless-informational",
    "endless-body",
  ];
  const beforeBytes = process.memoryUsage.rss();
  let mostBytes = beforeBytes;
  const timer = setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, 10);
  const results = await Promise.all(
    behaviours.map(async (behaviour) => {
      const receiver = await receiverThat(behaviour);
      const endsInTime = behaviour === "endless-informational";
      const timeoutMs = endsInTime ? 1500 : HANGS_AFTER_MS;
      const result = await network.post(requestTo(receiver, { timeoutMs }));
      await receiver.idle();
      return result;
    }),
  );
  clearInterval(timer);
  expect(results).toEqual([
    { fault: "broken" },
    { fault: "broken" },
    { fault: "timeout" },
    { status: 200 },
  ]);
  expect(mostBytes - beforeBytes).toBeLessThan(100_000_000);
});

test("receivers that hang do not delay another", async () => {
  const hanging = await receiverThat("hang");
  const receiver = await receiverThat();
  const controller = new AbortController();
  let ended = 0;
  const hung = Array.from({ length: 128 }, async () => {
    await network.post(requestTo(hanging, { signal: controller.signal }));
    ended += 1;
  });
  expect(await network.post(requestTo(receiver))).toEqual({ status: 200 });
  expect(ended).toBe(0);
  controller.abort();
  await Promise.all(hung);
});

test("a process with nothing else to do ends right after its last post", async () => {
  const receiver = await receiverThat();
  const startedMs = performance.now();
  await postElsewhere(requestTo(receiver), TEST_CA, {});
  expect(performance.now() - startedMs).toBeLessThan(HANGS_AFTER_MS);
});

test("a name in /etc/hosts is resolved", async () => {
  expect(await network.resolve("localhost", HANGS_AFTER_MS)).toContain("127.0.0.1");
});

test("an address resolves to itself", async () => {
  expect(await network.resolve("192.0.2.7", 1000)).toEqual(["192.0.2.7"]);
  expect(await network.resolve("2001:db8::7", 1000)).toEqual(["2001:db8::7"]);
});

/** A DNS server instead of the system's. */
async function dnsThat(answers: "hangs" | "knows nothing" | "fails"): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (question, { address, port }) => {
    if (answers === "hangs") return;
    const answer = Buffer.from(question);
    // A response: no such name, or a failure of the server itself.
    answer.writeUInt16BE(answers === "fails" ? 0x8182 : 0x8183, 2);
    socket.send(answer, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  setServers([`127.0.0.1:${socket.address().port}`]);
  opened.push({
    close() {
      setServers(new Resolver().getServers());
      socket.close();
    },
  });
}

test("a name that does not exist has no addresses", async () => {
  await dnsThat("knows nothing");
  expect(await network.resolve("nowhere.example.com", 1000)).toEqual([]);
});

test("a failing DNS server does not mean that the name does not exist", async () => {
  await dnsThat("fails");
  await expect(network.resolve("somewhere.example.com", 60_000)).rejects.toThrow();
});

test("a hanging DNS server is given up in time and delays no other name", async () => {
  await dnsThat("hangs");
  const startedMs = performance.now();
  const failures: string[] = [];
  const failedMs: number[] = [];
  // All are given up at the same time, because the first failure restores the system's name servers.
  const leftMs = () => 1000 - Math.floor(performance.now() - startedMs);
  const hung = Array.from({ length: 64 }, (_, at) =>
    network.resolve(`hangs-${at}.example.com`, leftMs()).catch((error: Error) => {
      failures.push(error.message);
      failedMs.push(performance.now() - startedMs);
    }),
  );
  await network.resolve("localhost", HANGS_AFTER_MS);
  expect(failures).toEqual([]);
  await Promise.all(hung);
  expect(failures).toHaveLength(64);
  // If they were resolved one after another, or four at once, the last would wait 64 or 16 times as long as
  // the first.
  expect((failedMs.at(-1) ?? 0) / (failedMs[0] ?? 0)).toBeLessThan(8);
  // Each had what was left of the second when it was started; which one is given up first depends on
  // timers.
  for (const failure of failures) {
    expect(failure).toMatch(/^hangs-\d+\.example\.com: no answer within (9\d\d|1000) ms$/);
  }
});

test("after a failure the system's DNS servers are read again", async () => {
  await dnsThat("knows nothing");
  await network.resolve("nowhere.example.com", 1000).catch(() => {});
  expect(getServers()).toEqual(new Resolver().getServers());
});

test("an aborted signal ends a request at once", async () => {
  const receiver = await startReceiver(() => "hang");
  const controller = new AbortController();
  const posted = network.post(requestTo(receiver, { signal: controller.signal }));
  await until(() => receiver.requests.length === 1);
  controller.abort();
  const [result, tookMs] = await timed(() => posted);
  expect(result).toEqual({ fault: "timeout" });
  expect(tookMs).toBeLessThan(GIVEN_UP_MAX_MS);
  await receiver.close();
});

/** A GET, with the answer's body as text. */
async function getFrom(
  to: { port: number },
  changes: Partial<GetRequest> = {},
): Promise<GetResult | { status: number; text: string }> {
  const { body: _, ...request } = requestTo(to);
  const got = await network.get({ isSecure: true, ...request, bytesMax: 1_000, ...changes });
  return "body" in got ? { status: got.status, text: new TextDecoder().decode(got.body) } : got;
}

test("a GET goes over http if requested, and returns how long to wait before asking again", async () => {
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: ({ headers }) =>
      new Response(headers.get("host"), { status: 429, headers: { "retry-after": "7" } }),
  });
  const { port = 0 } = server;
  const got = await network.get({
    ...{ isSecure: false, address: "127.0.0.1", port, host: "bots.example", path: "/" },
    ...{ authority: "bots.example", headers: {}, timeoutMs: 5_000, bytesMax: 1_000 },
  });
  expect(got).toEqual({ status: 429, body: Buffer.from("bots.example"), retryAfter: "7" });
  await server.stop(true);
});

test("a GET sends exactly the given request, reads the answer, and follows no redirect", async () => {
  const receiver = await receiverThat({ status: 200, body: "text" });
  expect(await getFrom(receiver, { headers: { accept: "application/json" } })).toEqual({
    ...{ status: 200, text: "text" },
  });
  expect(receiver.requests[0]).toMatchObject({
    method: "GET",
    path: "/hook",
    serverName: "receiver.test",
  });
  expect(receiver.requests[0]?.headers).toMatchObject({
    host: "receiver.test",
    accept: "application/json",
  });
  const redirecting = await receiverThat("redirect");
  expect(await getFrom(redirecting)).toMatchObject({ status: 302 });
  expect(redirecting.requests).toHaveLength(1);
});

test("a GET gives up a body that is too large or never ends, and a wait that is too long", async () => {
  const large = await receiverThat({ status: 200, body: "x".repeat(1_001) });
  expect(await getFrom(large)).toEqual({ fault: "too_large" });
  const exact = await receiverThat({ status: 200, body: "x".repeat(1_000) });
  expect(await getFrom(exact)).toMatchObject({ status: 200 });
  expect(await getFrom(await receiverThat("endless-body"))).toEqual({ fault: "too_large" });
  expect(await getFrom(await receiverThat("hang"), { timeoutMs: 50 })).toEqual({
    fault: "timeout",
  });
});

test("a GET checks that the certificate is for the name", async () => {
  const receiver = await receiverThat();
  expect(await getFrom(receiver, { host: "other.test" })).toEqual({ fault: "certificate" });
});

test("why the certificate of an address is not trusted is told, as of one where nothing answers", async () => {
  const { port } = await receiverThat({ status: 200 }, { certificate: "expired" });
  const faultAt = async (url: string) => await network.certificateEnd(url);
  expect(await faultAt(`https://127.0.0.1:${port}/`)).toEqual({ fault: expect.any(String) });
  expect(await faultAt("https://127.0.0.1:1/")).toEqual({ fault: "ECONNREFUSED" });
});
