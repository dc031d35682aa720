import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../../../support/machine.ts";

/** `kanalog post delete` while an appliance serves in another process. */

let machine: Machine;
let serving: Serving;
let key: string;
beforeAll(async () => {
  machine = createMachine();
  machine.write("channels.csv", "id,handle,title,subscribers\n1,one,One,10\n");
  await machine.json(["import", "channels", "channels.csv"]);
  const rows = [1, 2, 3, 4].map((id) => `${id},1,Post ${id},2026-01-0${id}T10:00:00Z`);
  machine.write("posts.csv", `id,channel,text,published_at\n${rows.join("\n")}\n`);
  await machine.json(["import", "posts", "posts.csv"]);
  ({ key } = await machine.customer());
  serving = await machine.serve();
});
afterAll(() => machine.leave());

const get = async (path: string) => serving.get(`/v1/msgr/${path}`, key);
async function lastPostAt(): Promise<string> {
  const card = (await (await get("channels/one/")).json()) as { last_post_at: string };
  return card.last_post_at;
}
async function listed(): Promise<number[]> {
  const page = (await (await get("channels/1/posts/")).json()) as { results: { id: number }[] };
  return page.results.map(({ id }) => id);
}

test("delete asks first, and does nothing if nobody can be asked", async () => {
  const { exitCode, out, notes } = await machine.run(["post", "delete", "4"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(notes).toContain("post 4 of channel 1, 2026-01-04T13:00:00+03:00: Post 4");
  expect(notes).toContain("This takes this post down.");
  expect(notes).toContain("--yes");
  expect(await listed()).toEqual([4, 3, 2, 1]);
});

test("delete takes posts down at once for a serving process, even if it has cached them", async () => {
  expect(await lastPostAt()).toBe("2026-01-04T13:00:00+03:00");
  expect((await get("posts/4/")).status).toBe(200);
  expect(await machine.json(["post", "delete", "4", "2", "4", "--yes"])).toEqual({ deleted: 2 });
  for (const id of [2, 4]) expect((await get(`posts/${id}/`)).status).toBe(404);
  expect(await listed()).toEqual([3, 1]);
  expect(await lastPostAt()).toBe("2026-01-03T13:00:00+03:00");
});

test("each deletion is recorded in the audit log as done by the command line", async () => {
  const recorded = machine.query<object>(
    "SELECT person, action, target FROM audit_log WHERE action = 'post.delete' ORDER BY id",
  );
  expect(recorded).toEqual([
    { person: "", action: "post.delete", target: "post 4" },
    { person: "", action: "post.delete", target: "post 2" },
  ]);
});

test("an unknown post number is refused by number, and the other posts are not touched", async () => {
  for (const missing of ["99", "4"]) {
    const { exitCode, notes } = await machine.run(["post", "delete", "3", missing, "--yes"]);
    expect(exitCode).toBe(1);
    expect(notes).toContain(`Post ${missing} was not found.`);
  }
  expect((await machine.run(["post", "delete", "three", "--yes"])).exitCode).toBe(2);
  expect(await listed()).toEqual([3, 1]);
  expect((await machine.run(["post", "delete", "3", "--yes"])).out).toBe("deleted  1\n");
});
