import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer, type Server } from "node:net";
import { fencedBlocks, readDocument } from "../support/documents.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { call } from "../support/webhook-journey.ts";

/** The crawlers of the guide, as pasted, which fill an empty appliance beside the real process. */

const PYTHON = Bun.which("python3");
if (PYTHON === null) console.warn("No python3 here: the crawler in Python was not run.");

const programs = [
  { name: "TypeScript", info: "ts", file: "crawler.ts", program: process.execPath },
  ...(PYTHON === null
    ? []
    : [{ name: "Python", info: "python", file: "crawler.py", program: PYTHON }]),
];

let machine: Machine;
let source: Bun.Server<undefined> | null = null;
let cutting: Server | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await source?.stop(true);
  cutting?.close();
  await machine.leave();
});

const DAY = "2026-11-20";
const at = (hour: number) => ({ published_at: `${DAY}T${hour}:00:00+03:00` });
const FOUND = {
  channels: [
    { handle: "my_channel", title: "Мой канал", subscribers: 12_345, category: "news" },
    { handle: "other_channel", subscribers: 5 },
  ],
  posts: [
    { channel: "@my_channel", msgr_post_id: 1, text: "Первый пост", views: 40, ...at(12) },
    { channel: "@my_channel", msgr_post_id: 2, text: "Второй пост", views: "many", ...at(13) },
    { channel: "@nobody", msgr_post_id: 3, text: "Ничей пост", views: 1, ...at(14) },
  ],
  stats: [{ channel: "@my_channel", day: DAY, subscribers: 12_300 }],
};

/** In front of the appliance: ends the connection of the first push of posts when its answer comes. */
async function cutFirstAnswer(serving: Serving): Promise<{ address: string; cut(): boolean }> {
  const { port, hostname } = new URL(serving.address);
  let isCut = false;
  const server = createServer((client) => {
    const appliance = connect(Number(port), hostname);
    let isOfPosts = false;
    client.on("data", (sent) => {
      isOfPosts ||= sent.includes("POST /operator/v1/posts/");
      appliance.write(sent);
    });
    appliance.on("data", (answer) => {
      if (isCut || !isOfPosts) return client.write(answer);
      isCut = true;
      return client.destroy();
    });
    client.on("close", () => appliance.destroy()).on("error", () => appliance.destroy());
    appliance.on("close", () => client.destroy()).on("error", () => client.destroy());
  });
  cutting = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : 0;
  return { address: `http://127.0.0.1:${own}`, cut: () => isCut };
}

describe.each(programs)("a crawler in $name", ({ info, file, program }) => {
  const [code = ""] = fencedBlocks(readDocument("src/catalog/imports/importing.md"))
    .filter((block) => block.info === info)
    .map((block) => block.code);

  test("fills an empty appliance, once, although an answer is lost", async () => {
    const { key } = await machine.customer();
    const operator = await machine.json<{ key: string }>([
      ...["staff", "key", "create", "--name", "crawler", "--can", "data"],
    ]);
    const serving = await machine.serve();
    source = Bun.serve({ port: 0, fetch: () => Response.json(FOUND) });
    const front = await cutFirstAnswer(serving);
    machine.write(file, code);

    async function run(address: string, operatorKey = operator.key) {
      const child = Bun.spawn([program, machine.path(file)], {
        env: {
          ...{ PATH: process.env["PATH"] ?? "", HOME: machine.folder, PYTHONIOENCODING: "utf-8" },
          ...{ OPERATOR: `${address}/operator/v1`, OPERATOR_KEY: operatorKey },
          SOURCE: String(source?.url),
        },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, notes, exitCode] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ]);
      return { out, notes, exitCode };
    }

    const first = await run(front.address);
    expect(first.exitCode, first.notes).toBe(0);
    expect(front.cut()).toBe(true);
    // The posts are accepted rather than unchanged: the repeated request got the answer of the first.
    expect(first.out.trimEnd().split("\n")).toEqual([
      "channels: 1 accepted, 0 unchanged, 1 rejected",
      "  1 rejected, title: This field is required for a new channel.",
      "posts: 2 accepted, 0 unchanged, 1 rejected",
      expect.stringMatching(/^ {2}1 accepted, views: ./),
      "  2 rejected, channel: There is no channel @nobody.",
      "stats: 1 accepted, 0 unchanged, 0 rejected",
    ]);

    const again = await run(serving.address);
    expect(again.exitCode, again.notes).toBe(0);
    expect(again.out).toContain("posts: 0 accepted, 2 unchanged, 1 rejected");

    // Nothing is repeated that would not help.
    const refused = await run(serving.address, key);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.notes).toContain("channels: 401");

    const get = async (path: string) => (await call(serving, key, "GET", path)).body;
    const { results } = (await get("/v1/msgr/channels/?q=мой канал")) as { results: object[] };
    expect(results).toMatchObject([{ handle: "my_channel", subscribers: 12_345 }]);
    const [{ id }] = results as [{ id: number }];
    expect(await get(`/v1/msgr/channels/${id}/posts/`)).toMatchObject({
      results: [{ text: "Второй пост" }, { text: "Первый пост", views: 40 }],
    });
    const days = `/v1/msgr/stats/daily/?channels=${id}&from=${DAY}&to=${DAY}`;
    expect(await get(days)).toMatchObject({ results: [{ day: DAY, subscribers: 12_300 }] });
  });
});
