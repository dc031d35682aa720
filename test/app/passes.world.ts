import { test } from "bun:test";
import { channel, imported } from "../support/expectations.ts";
import { passed } from "../support/note-passes.ts";
import { MINUTE_MS, startPushing } from "../support/pushing.ts";

/** Run by passes.test.ts in a process of its own: prints the files of src that each piece of work passes. */
test("the files that requests pass", async () => {
  const pushing = await startPushing();
  const { appliance, customer, call, id } = pushing;
  await imported(appliance, "channels", [channel(4, { title: "Новости", category: "regional" })]);
  await call("POST", "/v1/msgr/alerts/", { name: "A", q: "found", webhook: id });
  const get = (path: string) => () => appliance.get(path, customer.key);
  const passes = {
    card: await filesOf(get("/v1/msgr/channels/4/")),
    search: await filesOf(get("/v1/msgr/channels/?q=новости&category=regional&limit=2")),
    alert: await filesOf(async (count) => {
      await pushing.read([count], { channel: 3, text: "found" });
      await pushing.pass(2 * MINUTE_MS);
    }),
  };
  console.log(`passes ${JSON.stringify(passes)}`);
  await pushing.close();
});

/** Done twice: the first time prepares statements and fills caches. */
async function filesOf(work: (count: number) => Promise<unknown>): Promise<string[]> {
  await work(1);
  passed.clear();
  await work(2);
  return [...passed].sort();
}
