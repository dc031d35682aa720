/**
 * A separate machine for `webhooks-public-address.test.ts`, run in its own namespaces of users, network and
 * mounts: `bun public-address.ts <folder>`. In it 8.8.4.4 is an address of this machine, and host names
 * resolve to what `answers` below says. Prints what it observed, as JSON.
 */
import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startReceiver } from "./https-receiver.ts";
import { createMachine } from "./machine.ts";
import { until } from "./until.ts";
import {
  call,
  createWebhook,
  importPosts,
  type NewWebhook,
  posts,
  pushing,
  readEvent,
  withCustomers,
} from "./webhook-journey.ts";

export const PUBLIC_ADDRESS = "8.8.4.4";

/** What the script prints. */
export interface Seen {
  /** Posts that the public receiver got, by path of the webhook. */
  delivered: Record<string, number[]>;
  /** Status and body of each attempted creation, by what was attempted. */
  creations: Record<string, { status: number; body: unknown }>;
  /** Answers to the test of a webhook whose host name was moved, and of one at a closed port. */
  moved: unknown;
  closed: unknown;
  /** Number of connections to the receiver on the private address. */
  privateConnections: number;
}

async function see(folder: string): Promise<Seen> {
  await setUp(folder);
  const answers = new Map([
    ["receiver.test", [PUBLIC_ADDRESS]],
    ["closed.receiver.test", [PUBLIC_ADDRESS]],
    ["moved.receiver.test", [PUBLIC_ADDRESS]],
    ["private.receiver.test", ["127.0.0.1"]],
    ["mixed.receiver.test", [PUBLIC_ADDRESS, "10.0.0.7"]],
  ]);
  const closeDns = await answerNames(answers);
  const machine = createMachine();
  const open = await startReceiver({ status: 200 }, { host: PUBLIC_ADDRESS });
  const hidden = await startReceiver({ status: 200 });
  try {
    const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
    // The usual settings: no network is exempt.
    const settings = pushing({
      KANALOG_WEBHOOK_ALLOW: "",
      // Retries for as long as the test waits for anything: on a busy machine 30 may be over before the
      // move.
      KANALOG_WEBHOOK_RETRIES: Array(300).fill("1s").join(),
    });
    const serving = await machine.serve(["serve"], settings);
    const create = (host: string, port: number): Promise<NewWebhook> =>
      createWebhook(serving, customer, { host, port }, `/${host}`, [1]);
    await create(PUBLIC_ADDRESS, open.port);
    await create("receiver.test", open.port);
    // Uses the port of the hidden receiver, which would get a connection if the check failed.
    const closedWebhook = await create("closed.receiver.test", hidden.port);
    const movedWebhook = await create("moved.receiver.test", hidden.port);
    const creations: Seen["creations"] = {};
    for (const [what, host] of Object.entries({
      address: "127.0.0.1",
      name: "private.receiver.test",
      mixed: "mixed.receiver.test",
      unknown: "nowhere.test",
      localhost: "localhost",
    })) {
      const given = { url: `https://${host}:${hidden.port}/hidden`, channels: [1] };
      creations[what] = await call(serving, customer.key, "POST", "/v1/msgr/webhooks/", given);
    }

    await importPosts(machine, posts(1, 2));
    await until(() => open.requests.length >= 2, "the deliveries to the public address");

    answers.set("moved.receiver.test", ["127.0.0.1"]);
    const attempts = (): number =>
      machine.query(
        `SELECT 1 FROM webhook_attempts JOIN webhook_deliveries d ON d.id = delivery_id
         WHERE webhook_id = ${movedWebhook.id}`,
      ).length;
    const attemptsBefore = attempts();
    const test = async ({ id }: NewWebhook): Promise<unknown> =>
      (await call(serving, customer.key, "POST", `/v1/msgr/webhooks/${id}/test/`)).body;
    const [moved, closed] = await Promise.all([test(movedWebhook), test(closedWebhook)]);
    // The test is one attempt, and the retries continue.
    await until(() => attempts() >= attemptsBefore + 3, "attempts after the move");

    await serving.stop();
    const delivered: Seen["delivered"] = {};
    for (const request of open.requests) {
      delivered[request.path] = [...(delivered[request.path] ?? []), ...readEvent(request).posts];
    }
    const privateConnections = hidden.connections;
    return { delivered, creations, moved, closed, privateConnections };
  } finally {
    await Promise.all([machine.leave(), open.close(), hidden.close()]);
    closeDns();
  }
}

/** Sets up what exists only here: the address on the loopback, and our own name server and hosts. */
async function setUp(folder: string): Promise<void> {
  writeFileSync(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n");
  writeFileSync(join(folder, "hosts"), "127.0.0.1 localhost\n");
  for (const words of [
    ["ip", "link", "set", "lo", "up"],
    ["ip", "address", "add", `${PUBLIC_ADDRESS}/32`, "dev", "lo"],
    ["mount", "--bind", join(folder, "resolv.conf"), "/etc/resolv.conf"],
    ["mount", "--bind", join(folder, "hosts"), "/etc/hosts"],
  ]) {
    const child = Bun.spawn(words, { stdout: "inherit", stderr: "inherit" });
    if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: exit ${child.exitCode}`);
  }
}

const TYPE_A = 1;
const NO_SUCH_NAME = 3;

/**
 * A name server for IPv4 addresses, which answers from a map that may change; answers must not be cached.
 */
async function answerNames(answers: ReadonlyMap<string, string[]>): Promise<() => void> {
  const socket = createSocket("udp4");
  socket.on("message", (question, { address, port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const query = question.subarray(12, at + 5);
    const known = answers.get(labels.join(".").toLowerCase());
    const found = question.readUInt16BE(at + 1) === TYPE_A ? (known ?? []) : [];
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (known === undefined ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    const records = found.map((ip) =>
      // The name of the question, type A, class IN, a TTL of 0, four bytes.
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([head, query, ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(53, "127.0.0.1", resolve));
  return () => socket.close();
}

if (import.meta.main) console.log(JSON.stringify(await see(process.argv[2] ?? "")));
