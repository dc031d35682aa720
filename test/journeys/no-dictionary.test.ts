import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/upkeep/checks/finding.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";

/** A program whose dictionary is missing or broken: posts are found by stems, and every answer and the doctor say so. */

const ROOT = join(import.meta.dir, "../..");

let machine: Machine;
let program: string[];
let dictionary: string;
beforeEach(() => {
  machine = createMachine();
  const folder = machine.path("program");
  const data = ["dictionary", "directories", "sample"].map((name) => `data/${name}`);
  for (const name of ["src", ...data, "LICENSE", "README.md", "package.json"]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  program = [process.execPath, join(folder, "src/main.ts")];
  dictionary = join(folder, "data/dictionary/lemmas.bin");
});
afterEach(() => machine.leave());

test.each(["missing", "broken"])("a dictionary that is %s", async (how) => {
  rmSync(dictionary);
  if (how === "broken") writeFileSync(dictionary, "no dictionary");
  const { key, member } = await machine.customer();
  const writing = await machine.json<{ key: string }>([
    ...["key", "create", "--member", String(member), "--write"],
  ]);
  machine.write("channels.csv", "id,title,subscribers\n1,News,5\n");
  const at = new Date(Date.now() - 3_600_000).toISOString();
  machine.write("posts.csv", `id,channel,published_at,text\n1,1,${at},рынок\n2,1,${at},на рынке\n`);
  for (const kind of ["channels", "posts"]) {
    const child = machine.spawn(["import", kind, `${kind}.csv`], { program });
    expect([await child.exited, await child.stderr.text()]).toEqual([0, expect.anything()]);
  }
  const found = async (path: string) => {
    const answer = await (await server.get(`/v1/msgr/posts/search/${path}`, key)).json();
    return answer as { matches: number; posts: number; note: string | null };
  };
  const doctor = machine.spawn(["doctor", "--json"], { program });
  const { results } = JSON.parse(await doctor.stdout.text()) as { results: Finding[] };
  expect(await doctor.exited).toBe(1);
  expect(results.find(({ check }) => check === "dictionary")).toEqual({
    ...{ check: "dictionary", state: "wrong" },
    found: expect.stringContaining("it cannot be read: "),
    advice: expect.stringContaining("install the program again"),
  });
  const environment = { KANALOG_LOG_LEVEL: "error", KANALOG_WEBHOOK_ALLOW: "127.0.0.0/8" };
  let server = await machine.serve(["serve"], { program, environment });
  await until(() => server.printed().includes("the dictionary of post search cannot be read"));
  const note = expect.stringContaining("Words were matched by their stems alone");
  expect(await found("?q=рынок")).toMatchObject({ matches: 1, note });
  expect(await found("stats/?q=рынок")).toMatchObject({
    ...{ posts: 1, note },
  });
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${server.address}/v1/msgr/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${writing.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: number };
  };
  const webhook = await post("webhooks/", { url: "https://127.0.0.1/", channels: [1] });
  const alert = await post("alerts/", { name: "Market", q: "рынок", webhook: webhook.id });
  expect(await post(`alerts/${alert.id}/preview/`, {})).toMatchObject({
    ...{ matches: 1, matches_capped: true, note },
  });
  expect(await server.stop()).toBe(0);
  // With its dictionary, the program builds the index anew, which says nothing of stems then.
  cpSync(join(ROOT, "data/dictionary/lemmas.bin"), dictionary);
  expect(await machine.spawn(["search", "rebuild"], { program }).exited).toBe(0);
  server = await machine.serve(["serve"], { program });
  const whole = await found("?q=рынок");
  expect([whole.matches, whole.note]).toEqual([2, null]);
  expect(await server.stop()).toBe(0);
});
