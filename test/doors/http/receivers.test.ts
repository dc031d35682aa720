import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signatureHeader } from "../../../src/push/webhooks/delivery/attempt.ts";
import python from "../../../src/push/webhooks/receivers/python.txt" with { type: "text" };
import typescript from "../../../src/push/webhooks/receivers/typescript.txt" with { type: "text" };
import { startAppliance } from "../../support/appliance.ts";
import { until } from "../../support/until.ts";

/** Runs the receivers shown in the documentation as a reader would. */
const SECRET = "whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const folder = mkdtempSync(join(tmpdir(), "kanalog-receivers-"));
const PYTHON = Bun.which("python3");
if (PYTHON === null) console.warn("No python3 here: the receiver in Python was not run.");

const receivers = [
  { name: "TypeScript", source: typescript, file: "receiver.ts", program: process.execPath },
  ...(PYTHON === null
    ? []
    : [{ name: "Python", source: python, file: "receiver.py", program: PYTHON }]),
];

function freePort(): number {
  const listener = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port = 0 } = listener;
  listener.stop(true);
  return port;
}

function body(ids: number[]): Uint8Array {
  const posts = ids.map((id) => ({ id, channel: 1, text: `Привет \u2028 🙂 ${id}` }));
  return new TextEncoder().encode(JSON.stringify({ event: "post.created", webhook: 1, posts }));
}

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(receivers)("the receiver in $name", ({ source, file, program }) => {
  const port = freePort();
  let child: Bun.Subprocess<"ignore", "pipe", "ignore">;

  async function send(content: Uint8Array, signature: string | null): Promise<number> {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (signature !== null) headers["x-service-signature"] = signature;
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers,
      body: content,
    });
    return answer.status;
  }
  const signed = (content: Uint8Array, atMs = Date.now()) =>
    signatureHeader(content, [SECRET], atMs);

  beforeAll(async () => {
    writeFileSync(join(folder, file), source);
    child = Bun.spawn([program, join(folder, file)], {
      env: { PATH: process.env["PATH"] ?? "", WEBHOOK_SECRET: SECRET, PORT: String(port) },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    await until(async () => {
      try {
        return (await send(body([]), null)) === 401;
      } catch {
        return false;
      }
    });
  });
  afterAll(async () => {
    child.kill();
    await child.exited;
  });

  test("accepts signed events only, and prints each post once", async () => {
    const event = body([1, 2]);
    expect(await send(event, signed(event))).toBe(204);
    expect(await send(event, signed(event))).toBe(204);

    expect(await send(body([666]), signed(event))).toBe(401);
    expect(await send(event, signatureHeader(event, ["whsec_other"], Date.now()))).toBe(401);
    expect(await send(event, signed(event, Date.now() - 302_000))).toBe(401);
    expect(await send(event, signed(event, Date.now() + 500_000))).toBe(401);
    expect(await send(event, signed(event, Date.now() - 200_000))).toBe(204);

    // During a rotation's overlap there are two signatures; the known secret's may be either.
    const former = signatureHeader(event, ["whsec_other", SECRET], Date.now());
    const next = signatureHeader(event, [SECRET, "whsec_other"], Date.now());
    expect(await send(event, former)).toBe(204);
    expect(await send(event, next)).toBe(204);

    // The same post matched by an alert, delivered twice.
    const matched = new TextEncoder().encode(
      JSON.stringify({
        ...{ event: "post.matched", webhook: 1, alert: { id: 7, name: "A" } },
        posts: [{ id: 1, channel: 2, text: "Alert" }],
      }),
    );
    expect(await send(matched, signed(matched))).toBe(204);
    expect(await send(matched, signed(matched))).toBe(204);

    const last = body([3]);
    expect(await send(last, signed(last))).toBe(204);
    child.kill();
    const printed = await new Response(child.stdout).text();
    expect(printed.split("\n").filter((line) => line.startsWith("post "))).toEqual([
      expect.stringContaining("post 1 of channel 1: Привет"),
      expect.stringContaining("post 2 of channel 1: Привет"),
      "post 1 of channel 2: Alert",
      expect.stringContaining("post 3 of channel 1: Привет"),
    ]);
    expect(printed).not.toContain("666");
  });
});

describe.each(receivers)("the receiver in $name, given an invalid header", ({ file, program }) => {
  test("refuses it and keeps running", async () => {
    const port = freePort();
    const child = Bun.spawn([program, join(folder, file)], {
      env: { PATH: process.env["PATH"] ?? "", WEBHOOK_SECRET: SECRET, PORT: String(port) },
      stdout: "ignore",
      stderr: "ignore",
    });
    const event = body([1]);
    const t = Math.floor(Date.now() / 1000);
    const hex = createHmac("sha256", SECRET).update(`${t}.`).update(event).digest("hex");
    const send = async (signature: string): Promise<number> => {
      const headers = { "x-service-signature": signature };
      const init = { method: "POST", headers, body: event };
      return (await fetch(`http://127.0.0.1:${port}/`, init)).status;
    };
    try {
      await until(() =>
        send("").then(
          () => true,
          () => false,
        ),
      );
      for (const header of [
        "",
        ",",
        "=",
        "t",
        "t=,v1=",
        `t=${t}`,
        `v1=${hex}`,
        `t=${t},v1=`,
        `t=${t},v1=${hex.slice(2)}`,
        `t=${t},v1=${hex}00`,
        `t=${t},v1=zz${hex.slice(2)}`,
        `t=${t},v0=${hex}`,
        `t=-${t},v1=${hex}`,
        `t=1e9,v1=${hex}`,
        `t=NaN,v1=${hex}`,
        `t=${"9".repeat(400)},v1=${hex}`,
      ]) {
        expect(await send(header), header).toBe(401);
      }
      expect(await send(`t=${t},v1=${hex}`)).toBe(204);
    } finally {
      child.kill();
    }
  });
});

test("the guide about webhooks shows both receivers completely", async () => {
  const appliance = await startAppliance();
  for (const language of ["en", "ru"]) {
    const { body: page } = await appliance.request(`/docs/webhooks/?lang=${language}`);
    const shown = (source: string) => Bun.escapeHTML(source).replaceAll("&#x27;", "'");
    expect(page).toContain(shown(typescript));
    expect(page).toContain(shown(python));
  }
  await appliance.close();
});
