import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { recount } from "../../../src/catalog/directory/recount.ts";
import { IMPORT_KIND_NAMES } from "../../../src/catalog/imports/import-kinds.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { answersOf, exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";
import { type OddCatalog, oddCatalog, oddRequests } from "../../support/odd-catalog.ts";
import { webp } from "../../support/webp.ts";

const REQUESTS = 500;

let source: Appliance;
let copy: Appliance;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  writeFileSync(join(folder, "news.webp"), webp(500, 500));
  [source, copy] = [await startAppliance(), await startAppliance()];
});
afterEach(async () => {
  await Promise.all([source.close(), copy.close()]);
  rmSync(folder, { recursive: true });
});

async function fill(appliance: Appliance, catalog: OddCatalog): Promise<void> {
  for (const kind of IMPORT_KIND_NAMES) {
    const rows = catalog[kind].map((row) => JSON.stringify(row)).join("\n");
    const { rejects } = await importText(appliance, kind, rows, { format: "ndjson", folder });
    expect(rejects).toEqual([]);
  }
  await recount(appliance.app.domains.db, appliance.ports.clock);
}

describe.each([
  ["csv", false],
  ["csv", true],
  ["ndjson", false],
] as const)("as %s, raw: %p", (format, isRaw) => {
  test("what is exported and imported into an empty appliance is answered alike, whatever is in it", async () => {
    const property = fc.asyncProperty(oddCatalog, fc.gen(), async (catalog, draw) => {
      await fill(source, catalog);
      for (const kind of IMPORT_KIND_NAMES) {
        const file = await exported(source, { kind, format, isRaw });
        const { rejects } = await importText(copy, kind, file, { format });
        expect(rejects).toEqual([]);
        expect(await exported(copy, { kind, format, isRaw })).toBe(file);
      }
      await recount(copy.app.domains.db, copy.ports.clock);
      const request = oddRequests(catalog);
      for (let asked = 0; asked < REQUESTS; asked++) {
        const path = draw(() => request);
        expect(await answersOf(copy, path), path).toEqual(await answersOf(source, path));
      }
    });
    // Once, and not made smaller: an appliance can be filled once only.
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  });
});

test.each([["csv"], ["ndjson"]] as const)(
  "what was derived follows its posts in the other appliance too, and what was given stays: %s",
  async (format) => {
    await imported(source, "channels", [channel(1)]);
    const at = "2026-11-19T10:00:00Z";
    await imported(source, "posts", [{ id: 1, channel: 1, views: 40, published_at: at }]);
    const day = { channel: 1, subscribers: 5 };
    await imported(source, "stats", [
      { ...day, day: "2026-11-18", views: 9, posts: 3 },
      { ...day, day: "2026-11-19" },
    ]);
    // The order that the guide names, and one in which days come before the posts they are derived from.
    for (const kinds of [
      ["channels", "posts", "stats"],
      ["channels", "stats", "posts"],
    ] as const) {
      await copy.close();
      copy = await startAppliance();
      for (const kind of kinds) {
        const file = await exported(source, { kind, format });
        const { rejects } = await importText(copy, kind, file, { format });
        expect(rejects).toEqual([]);
      }
      const later = [
        { id: 1, views: 70 },
        { id: 2, channel: 1, views: 5, published_at: "2026-11-18T10:00:00Z" },
      ];
      await imported(copy, "posts", later);
      const { body } = await copy.get(
        "/v1/msgr/stats/daily/?channels=1&from=2026-11-18&to=2026-11-19",
      );
      expect(body.results).toEqual([
        { ...day, day: "2026-11-18", views: 9, posts: 3 },
        { ...day, day: "2026-11-19", views: 70, posts: 1 },
      ]);
    }
  },
);

describe.each([["csv"], ["ndjson"]] as const)("as %s", (format) => {
  const AT = "2026-11-19T10:00:00Z";
  const carry = async (kind: "channels" | "posts") => {
    const file = await exported(source, { kind, format });
    const { rejects } = await importText(copy, kind, file, { format });
    expect(rejects).toEqual([]);
    return file;
  };

  test("a post that was taken down stays out of the copy, whatever is imported there later", async () => {
    const post = { channel: 1, msgr_post_id: "7", text: "Пост", published_at: AT };
    const neverSeen = { channel: 1, msgr_post_id: "9", deleted: true };
    await imported(source, "channels", [channel(1)]);
    await imported(source, "posts", [
      { ...post, id: 3 },
      { ...post, id: 4, msgr_post_id: "8" },
    ]);
    await imported(source, "posts", [{ id: 3, deleted: true }, neverSeen]);
    await carry("channels");
    const file = await carry("posts");
    expect(await exported(copy, { kind: "posts", format })).toBe(file);

    const again = await copy.importRows("posts", [post, { ...post, msgr_post_id: "9" }]);
    expect(again).toMatchObject({ inserted: 0, unchanged: 2 });
    expect((await copy.get("/v1/msgr/posts/3/")).status).toBe(404);
    const { body } = await copy.get("/v1/msgr/channels/1/posts/");
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([4]);
    // Neither is a number given twice.
    await imported(copy, "posts", [{ ...post, msgr_post_id: "10" }]);
    expect((await copy.get("/v1/msgr/posts/6/")).body.id).toBe(6);
  });

  test("posts without media are told from those of which nobody knows", async () => {
    const post = { channel: 1, published_at: AT };
    await imported(source, "channels", [channel(1)]);
    await imported(source, "posts", [
      { ...post, id: 1, media: [] },
      { ...post, id: 2 },
      { ...post, id: 3, media: "photo video" },
    ]);
    await carry("channels");
    const file = await carry("posts");
    expect(await exported(copy, { kind: "posts", format })).toBe(file);
    const { body } = await copy.get("/v1/msgr/channels/1/posts/");
    expect(body.results.map(({ media }: { media: string[] | null }) => media)).toEqual([
      ["photo", "video"],
      null,
      [],
    ]);
  });

  test("the number of a removed channel is not given again in the copy either", async () => {
    const { channels } = source.app.domains;
    await imported(
      source,
      "channels",
      [1, 2, 3, 4].map((id) => channel(id)),
    );
    await channels.delete(3, COMMAND_LINE);
    await channels.merge(4, 1, COMMAND_LINE);
    const file = await carry("channels");
    expect(await exported(copy, { kind: "channels", format })).toBe(file);
    expect((await importText(copy, "channels", file, { format })).unchanged).toBe(4);

    const { rejects } = await copy.importRows("channels", [channel(3), channel(4)]);
    expect(rejects.map(({ reason }) => reason)).toEqual(
      [3, 4].map((id) => `Channel ${id} was merged or deleted, and its number is not given again.`),
    );
    await imported(copy, "channels", [{ handle: "new", title: "Новый", subscribers: 1 }]);
    expect((await copy.get("/v1/msgr/channels/new/")).body.id).toBe(5);
  });

  test("a row does not remove a channel that there is", async () => {
    await imported(copy, "channels", [channel(1)]);
    const { rejects } = await copy.importRows("channels", [
      { id: 1, removed: true },
      { handle: "one", removed: true },
    ]);
    expect(rejects.map(({ column, reason }) => [column, reason])).toEqual([
      ["removed", "A channel is removed by `kanalog channel delete` only."],
      ["id", "This field is required."],
    ]);
    expect((await copy.get("/v1/msgr/channels/1/")).status).toBe(200);
  });

  test("a channel's or a period's posts are exported with those of them that were taken down", async () => {
    const post = { text: "Пост", published_at: AT };
    await imported(source, "channels", [channel(1), channel(2)]);
    await imported(source, "posts", [
      { ...post, id: 1, channel: 1 },
      { ...post, id: 2, channel: 1, published_at: "2026-11-17T10:00:00Z" },
      { ...post, id: 3, channel: 2 },
      { ...post, id: 4, channel: 1 },
    ]);
    await imported(
      source,
      "posts",
      [1, 2, 3].map((id) => ({ id, deleted: true })),
    );
    const idsIn = (text: string) => [...text.matchAll(/^(?:\{"id":)?(\d+),/gm)].map(([, id]) => id);
    const selected = async (only: object) =>
      idsIn(await exported(source, { kind: "posts", format, ...only }));
    expect(await selected({ channel: "1" })).toEqual(["4", "1", "2"]);
    expect(await selected({ from: "2026-11-19" })).toEqual(["4", "1", "3"]);
    expect(await selected({ channel: "1", to: "2026-11-18" })).toEqual(["2"]);
  });
});
