import { expect, test } from "bun:test";
import { join } from "node:path";

/**
 * How many files of src have a function that is called while a card is read, a search is answered, and a post
 * is imported, put into an alert's event and sent: whoever looks for a fault reads as many. They only fall;
 * 30, 40 and 60 are wanted.
 */
const FILES_MAX = { card: 41, search: 57, alert: 69 };

test("a card, a search and a post on its way to an alert pass no more files than before", async () => {
  const words = [
    ...["test", "--timeout", "250000", "--preload=./test/support/note-passes.ts"],
    "./test/app/passes.world.ts",
  ];
  const child = Bun.spawn([process.execPath, ...words], {
    cwd: join(import.meta.dir, "../.."),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, notes] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const line = /^passes (.+)$/m.exec(out)?.[1];
  if (line === undefined) throw new Error(out + notes);
  const passes: Record<keyof typeof FILES_MAX, string[]> = JSON.parse(line);
  for (const name of ["card", "search", "alert"] as const) {
    const files = passes[name];
    // Otherwise nothing would have been noted.
    expect(files.length, name).toBeGreaterThan(20);
    expect(files.length, `${name}: ${files.join(", ")}`).toBeLessThanOrEqual(FILES_MAX[name]);
  }
}, 300_000);
