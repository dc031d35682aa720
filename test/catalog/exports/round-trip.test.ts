import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { recount } from "../../../src/catalog/directory/recount.ts";
import { IMPORT_KIND_NAMES } from "../../../src/catalog/imports/kinds/import-kinds.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { answersOf, exported, exportedFile } from "../../support/exporting.ts";
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
  ["xlsx", false],
] as const)("as %s, raw: %p", (format, isRaw) => {
  test("an appliance filled from exports gives the same answers, whatever the catalog contains", async () => {
    const property = fc.asyncProperty(oddCatalog, fc.gen(), async (catalog, draw) => {
      await fill(source, catalog);
      for (const kind of IMPORT_KIND_NAMES) {
        const file = await exportedFile(source, { kind, format, isRaw });
        const named = { format: format === "xlsx" ? null : format };
        const { rejects } = await importText(copy, kind, file, named);
        expect(rejects).toEqual([]);
        expect((await exportedFile(copy, { kind, format, isRaw })).equals(file)).toBe(true);
      }
      await recount(copy.app.domains.db, copy.ports.clock);
      const request = oddRequests(catalog);
      for (let sent = 0; sent < REQUESTS; sent++) {
        const path = draw(() => request);
        expect(await answersOf(copy, path), path).toEqual(await answersOf(source, path));
      }
    });
    // A single run without shrinking, because an appliance can be filled only once.
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  });
});

test.each([["csv"], ["ndjson"]] as const)(
  "derived values follow their posts in the copy too, and imported ones stay: %s",
  async (format) => {
    await imported(source, "channels", [channel(1)]);
    const at = "2026-11-19T10:00:00Z";
    await imported(source, "posts", [{ id: 1, channel: 1, views: 40, published_at: at }]);
    const day = { channel: 1, subscribers: 5 };
    await imported(source, "stats", [
      { ...day, day: "2026-11-18", views: 9, posts: 3 },
      { ...day, day: "2026-11-19" },
    ]);
    // The guide's order, and one with days before the posts from which they are derived.
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

  test("a post that was taken down stays out of the copy, even if it is imported there later", async () => {
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
    // Its number is not reused either.
    await imported(copy, "posts", [{ ...post, msgr_post_id: "10" }]);
    expect((await copy.get("/v1/msgr/posts/6/")).body.id).toBe(6);
  });

  test("posts without media are distinguished from posts whose media are unknown", async () => {
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

  test("posts that were taken down in one or both of two merged channels are transferred", async () => {
    const post = (id: number, channel: number, msgr_post_id: string) => ({
      ...{ id, channel, msgr_post_id, text: `Пост ${id}`, published_at: AT },
    });
    await imported(source, "channels", [channel(1), channel(2)]);
    await imported(source, "posts", [
      ...[post(1, 1, "7"), post(2, 2, "7")],
      ...[post(3, 1, "8"), post(4, 2, "8")],
      ...[post(5, 1, "9"), post(6, 2, "9")],
    ]);
    await imported(
      source,
      "posts",
      [1, 3, 4, 6].map((id) => ({ id, deleted: true })),
    );
    await source.app.domains.channels.merge(1, 2, COMMAND_LINE);
    await carry("channels");
    const file = await carry("posts");
    expect(await exported(copy, { kind: "posts", format })).toBe(file);
    for (const appliance of [source, copy]) {
      const again = [post(0, 2, "8"), post(0, 2, "9")].map(({ id: _, ...row }) => row);
      expect((await appliance.importRows("posts", again)).unchanged).toBe(2);
      const { body } = await appliance.get("/v1/msgr/channels/2/posts/");
      expect(body.results.map(({ id }: { id: number }) => id)).toEqual([2]);
    }
  });

  test("the number of a removed channel is not reused in the copy either", async () => {
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

    const again = await copy.importRows("channels", [channel(3), channel(4)]);
    expect(again).toMatchObject({ kept_out: 2, rejects: [] });
    await imported(copy, "channels", [{ handle: "new", title: "Новый", subscribers: 1 }]);
    expect((await copy.get("/v1/msgr/channels/new/")).body.id).toBe(5);
  });

  test("numbers of posts that were removed with their channel are not reused in the copy either", async () => {
    const { channels } = source.app.domains;
    await imported(source, "channels", [channel(1), channel(2)]);
    await imported(source, "posts", [
      { id: 7, channel: 1, published_at: AT },
      { id: 9, channel: 2, published_at: AT },
    ]);
    await channels.delete(2, COMMAND_LINE);
    await carry("channels");
    const file = await carry("posts");
    expect(await exported(copy, { kind: "posts", format })).toBe(file);
    expect((await importText(copy, "posts", file, { format })).unchanged).toBe(2);

    for (const appliance of [source, copy]) {
      const post = { channel: 1, msgr_post_id: 1, published_at: AT };
      await imported(appliance, "posts", [post]);
      expect((await appliance.get("/v1/msgr/posts/10/")).body.id).toBe(10);
    }
  });

  test("a forward from a channel known only by its messenger id is transferred, whatever the messenger's hosts", async () => {
    const hosts = { KANALOG_MESSENGER_HOSTS: "max.ru" };
    const ofMax = [await startAppliance(hosts), await startAppliance(hosts)] as const;
    try {
      const row = { id: 1, channel: 1, published_at: AT, forwarded_from: "https://t.me/c/-2222" };
      for (const appliance of ofMax) await imported(appliance, "channels", [channel(1)]);
      await imported(ofMax[0], "posts", [row]);
      const file = await exported(ofMax[0], { kind: "posts", format });
      expect((await importText(ofMax[1], "posts", file, { format })).warnings).toEqual([]);
      for (const appliance of ofMax) {
        await imported(appliance, "channels", [channel(8, { msgr_id: -2222 })]);
        const { body } = await appliance.get("/v1/msgr/channels/8/mentions/?kind=forward");
        expect(body.results.map((post: { id: number }) => post.id)).toEqual([1]);
      }
    } finally {
      for (const appliance of ofMax) await appliance.close();
    }
  });

  test("a forward from a channel that is added to the catalog later is found in the copy too", async () => {
    const forwards = ["@later", "https://t.me/c/2222/1", 9, null];
    await imported(source, "channels", [channel(1)]);
    await imported(
      source,
      "posts",
      forwards.map((forwarded_from, at) => ({
        ...{ id: at + 1, channel: 1, published_at: AT, forwarded_from },
      })),
    );
    await carry("channels");
    const file = await carry("posts");
    expect(await exported(copy, { kind: "posts", format })).toBe(file);
    for (const appliance of [source, copy]) {
      await imported(appliance, "channels", [
        ...[channel(7, { handle: "Later" }), channel(8, { msgr_id: 2222 }), channel(9)],
      ]);
      for (const [at, id] of [7, 8, 9].entries()) {
        const { body } = await appliance.get(`/v1/msgr/channels/${id}/mentions/?kind=forward`);
        expect(body.results.map((post: { id: number }) => post.id)).toEqual([at + 1]);
      }
    }
  });

  test("all former handles find the same channels in the copy, including those of merged channels", async () => {
    const { channels } = source.app.domains;
    const give = (id: number, handle: string) => {
      for (const { ports } of [source, copy]) ports.clock.advance(60_000);
      return imported(source, "channels", [channel(id, { handle })]);
    };
    // @shared was last held by a channel with a lower number than the one that gave it up earlier.
    await give(9, "shared");
    await give(9, "nine");
    await give(4, "shared");
    await give(1, "one");
    await give(2, "two");
    await channels.merge(4, 2, COMMAND_LINE);
    await channels.merge(2, 1, COMMAND_LINE);
    const names = Array.from({ length: 25 }, (_, at) => `name${at}`);
    for (const name of names) await give(7, name);
    const forwards = [4, 2].map((forwarded_from, at) => ({
      ...{ id: at + 1, channel: 7, published_at: AT, forwarded_from },
    }));
    await imported(source, "posts", forwards);

    const file = await carry("channels");
    await carry("posts");
    expect(await exported(copy, { kind: "channels", format })).toBe(file);
    expect((await importText(copy, "channels", file, { format })).unchanged).toBe(5);
    const handles = ["shared", "nine", "one", "two", ...names];
    for (const path of [
      ...handles.map((handle) => `channels/${handle}/`),
      ...["channels/2/", "channels/4/", "channels/1/mentions/"],
    ]) {
      expect(await answersOf(copy, path), path).toEqual(await answersOf(source, path));
    }
    expect((await copy.get("/v1/msgr/channels/shared/")).body.id).toBe(1);
    expect((await copy.get("/v1/msgr/channels/1/mentions/")).body.results).toHaveLength(2);
  });

  test("merged_into is dropped if that channel does not exist, or the row's channel is not removed", async () => {
    const rows = [
      { id: 4, removed: true, merged_into: 3 },
      { id: 5, title: "Пять", subscribers: 1, merged_into: 4 },
    ];
    const text = rows.map((row) => JSON.stringify(row)).join("\n");
    const { inserted, warnings } = await importText(copy, "channels", text);
    expect(inserted).toBe(2);
    expect(warnings.map(({ column, line }) => [column, line])).toEqual([
      ["merged_into", 1],
      ["merged_into", 2],
    ]);
  });

  test("a row with removed does not remove an existing channel", async () => {
    await imported(copy, "channels", [channel(1)]);
    const { rejects } = await copy.importRows("channels", [
      { id: 1, removed: true },
      { handle: "one", removed: true },
    ]);
    expect(rejects.map(({ column, reason }) => [column, reason])).toEqual([
      ["removed", "Channels can be removed only with `kanalog channel delete` and `merge`."],
      ["id", "This field is required."],
    ]);
    expect((await copy.get("/v1/msgr/channels/1/")).status).toBe(200);
  });

  test("an export of one channel or period includes its posts that were taken down", async () => {
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
