import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PUBLIC_ADDRESS, type Seen } from "../support/public-address.ts";

/**
 * The address check with its usual settings, in the real process, on a machine that has a public address.
 */

const UNSHARE = ["unshare", "--map-root-user", "--net", "--mount"];
const SCRIPT = join(import.meta.dir, "../support/public-address.ts");

/** Whether this machine allows namespaces, with addresses and mounts in them. */
function namespacesAreAllowed(): boolean {
  const tried = "ip link set lo up && ip address add 8.8.4.4/32 dev lo && mount -t tmpfs none /mnt";
  try {
    return Bun.spawnSync([...UNSHARE, "sh", "-c", tried]).exitCode === 0;
  } catch {
    return false;
  }
}

const isAllowed = namespacesAreAllowed();
if (!isAllowed) console.info("skipped: this machine allows no network namespace");

describe.skipIf(!isAllowed)("with a public address on this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  let seen: Seen;
  beforeAll(async () => {
    const words = [...UNSHARE, process.execPath, SCRIPT, folder];
    const child = Bun.spawn(words, { stdout: "pipe", stderr: "pipe" });
    const [out, notes, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    expect(exitCode, notes).toBe(0);
    seen = JSON.parse(out) as Seen;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("posts arrive at a public address, and at a host name that resolves to one", () => {
    expect(seen.delivered).toEqual({
      [`/${PUBLIC_ADDRESS}`]: [1, 2],
      "/receiver.test": [1, 2],
    });
  });

  test("a private address is refused, and so is a host name with any private address", () => {
    for (const what of ["address", "name", "mixed", "localhost"]) {
      const { status, body } = seen.creations[what] ?? {};
      expect([what, status, body]).toEqual([what, 400, { url: [expect.any(String)] }]);
    }
  });

  test("an unknown host name is refused at creation", () => {
    expect(seen.creations["unknown"]).toEqual({
      status: 400,
      body: { url: [expect.any(String)] },
    });
  });

  test("a host name that moves to a private address is as unreachable as a closed port", () => {
    const unreachable = {
      ...{ delivered: false, status: null, error: expect.stringMatching(/./) },
      ...{ duration_ms: expect.any(Number), delivery: expect.any(Number) },
    };
    expect(seen.moved).toEqual(unreachable);
    expect(seen.closed).toEqual(unreachable);
    const errorOf = (answer: unknown) => (answer as { error: string }).error;
    expect(errorOf(seen.moved)).toBe(errorOf(seen.closed));
  });

  test("nothing connects to the private address", () => {
    expect(seen.privateConnections).toBe(0);
  });
});
