import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LOG = new URL("../../src/ports/log.ts", import.meta.url).pathname;
const KEY = `knl_rw_${"a".repeat(38)}`;

/** Lines that a process writes with this log. */
async function written(level: string, calls: string): Promise<Record<string, unknown>[]> {
  const program = `
    const { systemLog } = await import(${JSON.stringify(LOG)});
    const log = systemLog(${JSON.stringify(level)});
    ${calls}`;
  const child = Bun.spawn([process.execPath, "-e", program], { stderr: "pipe", stdout: "pipe" });
  const [text, out] = await Promise.all([child.stderr.text(), child.stdout.text()]);
  expect(await child.exited, text).toBe(0);
  expect(out).toBe("");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("lines are JSON with level, time and message, and lines below the level are dropped", async () => {
  const all = `for (const level of ["debug", "info", "warn", "error"]) log[level]({ n: 1 }, level);`;
  for (const [level, messages] of [
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["error", ["error"]],
    ["silent", []],
  ] as const) {
    const lines = await written(level, all);
    expect(lines.map(({ msg }) => msg)).toEqual([...messages]);
    for (const line of lines) {
      expect(line).toEqual({
        level: line["msg"],
        time: expect.any(String),
        n: 1,
        msg: line["msg"],
      });
      expect(new Date(String(line["time"])).toISOString()).toBe(String(line["time"]));
    }
  }
});

test("an error is logged with the message of each cause once, without their stacks", async () => {
  const [line] = await written(
    "info",
    `
    const cause = new Error("the host is gone", { cause: new Error("the host is gone") });
    log.warn({ err: new Error("It cannot be done now.", { cause }) }, "x");
    `,
  );
  expect(line).toMatchObject({ err: { message: "It cannot be done now: the host is gone" } });
});

test("an error that is its own cause is logged, with a limited number of causes", async () => {
  const [line] = await written(
    "info",
    `
    const causes = [1, 2, 3, 4, 5, 6, 7].map((n) => new Error("cause " + n));
    causes.forEach((cause, at) => { cause.cause = causes[(at + 1) % causes.length]; });
    log.warn({ err: causes[0] }, "x");
    `,
  );
  expect(line).toMatchObject({
    err: { message: "cause 1: cause 2: cause 3: cause 4: cause 5" },
    msg: "x",
  });
});

test("no line contains a secret, neither in a field of that name nor in an error's message", async () => {
  const text = JSON.stringify(
    await written(
      "info",
      `
      const error = Object.assign(new Error("bad key ${KEY}", { cause: new Error("whsec_abcdef") }), {
        code: "EAUTH", config: { password: "hunter-1" },
      });
      log.info({ password: "hunter-2", request: { authorization: "Bearer hunter-3", cookie: "hunter-4" } }, "x");
      log.error({ err: error }, "smtp://ada:hunter-5@mail.example.com failed");
      log.error({ err: "Authorization: Bearer hunter-6" }, "failed with ${KEY}");
      `,
    ),
  );
  expect(text).not.toMatch(/hunter|a{38}|whsec_abcdef/);
  expect(text).toContain('"code":"EAUTH"');
  expect(text).toContain("bad key knl_rw_…");
});

describe.if(process.platform === "linux")("a pipe that nobody reads", () => {
  let folder: string;
  let [reader, writer] = [0, 0];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
    const path = join(folder, "pipe");
    expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
    reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    writer = openSync(path, constants.O_WRONLY);
  });
  afterEach(() => {
    closeSync(reader);
    closeSync(writer);
    rmSync(folder, { recursive: true });
  });

  /** What the pipe contains. */
  function held(): string {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.alloc(65_536);
      try {
        chunks.push(chunk.subarray(0, readSync(reader, chunk)));
      } catch {
        return Buffer.concat(chunks).toString();
      }
    }
  }

  test.each([[100], [6_000]])(
    "blocks nobody: lines of %d characters are dropped, and their number is logged once it is read",
    async (length) => {
      const program = `
        const { systemLog } = await import(${JSON.stringify(LOG)});
        const log = systemLog("info");
        for (let n = 0; n < 2_000; n++) log.info({ text: "x".repeat(${length}) }, "early");
        console.log("all told");
        for await (const _ of process.stdin) break;
        log.info({}, "late");`;
      const child = Bun.spawn([process.execPath, "-e", program], {
        stdio: ["pipe", "pipe", writer],
      });
      expect((await child.stdout.getReader().read()).done).toBe(false);
      const early = held();
      child.stdin.write("go on\n");
      await child.stdin.end();
      expect(await child.exited).toBe(0);
      const lines = `${early}${held()}`
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const written = lines.filter(({ msg }) => msg === "early").length;
      expect(written).toBeGreaterThan(5);
      expect(lines.slice(written)).toMatchObject([
        { level: "warn", lines: 2_000 - written },
        { msg: "late" },
      ]);
    },
  );
});
