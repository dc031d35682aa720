import { cardsVersion, readCardsAhead } from "../../../../src/catalog/channels/channels.store.ts";
import {
  selectPartStarts,
  selectPublicHandles,
} from "../../../../src/catalog/channels/handles.store.ts";
import { createCategoryImages } from "../../../../src/catalog/directory/category-images.ts";
import { exportPart } from "../../../../src/catalog/exports/export-part.ts";
import { readExport } from "../../../../src/catalog/exports/export-selection.ts";
import { IMPORT_KIND_NAMES } from "../../../../src/catalog/imports/kinds/import-kinds.ts";
import { missingChannels, noteStale } from "../../../../src/catalog/post-search/catch-up.store.ts";
import {
  finishPostSearch,
  rebuildPostSearch,
} from "../../../../src/catalog/post-search/catch-up.ts";
import { selectOverTime } from "../../../../src/catalog/post-search/finding/over-time.store.ts";
import { readPostQuery } from "../../../../src/catalog/post-search/post-query.ts";
import { POST_ORDERINGS } from "../../../../src/catalog/post-search/post-search.ts";
import { countSearched } from "../../../../src/catalog/post-search/post-search-state.store.ts";
import {
  isSearchOptimized,
  textsWrittenSince,
} from "../../../../src/catalog/search/search-terms.ts";
import { eachOfDay } from "../../../../src/catalog/trends/trends.store.ts";
import type { Database } from "../../../../src/db/database.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { previewAlert } from "../../../../src/push/webhooks/alerts/preview.ts";
import { runJob } from "../../../../src/upkeep/jobs/jobs.ts";
import { removeOldMonths } from "../../../../src/upkeep/retention/old-months.ts";
import { DAY_MS, dayOf, parseDay } from "../../../../src/values/moscow-time.ts";
import { readCatalogRequest } from "../../../../src/verbs/methods/channels.ts";
import type { Answer } from "../../../support/appliance.ts";
import { pathOfNext } from "../../../support/expectations.ts";
import { BUSY_CHANNEL, FRESH_POSTS, type World } from "../world.ts";

/** Requests everything that is sold, in each way for which a statement is prepared. */
export async function exerciseCatalog({ appliance, customer }: World): Promise<void> {
  const { db, clock } = appliance.app.domains;
  // Searches are planned by these counts.
  const keptMonths = { posts: null, statistics: null };
  const settings = { backups: null, openDays: 7, keptMonths, isNode: false };
  await runJob(db, clock, { name: "optimize-search", dueAt: clock.now(), settings });
  // Three nights: the last one writes where the first did. A fourth finds only another number left out.
  for (const days of [0, 1, -1, 0]) {
    if (days === 0) db.exec("UPDATE metrics_read SET channels_left_out = 1");
    appliance.ports.clock.advance(days * DAY_MS);
    await runJob(db, clock, { name: "metrics", dueAt: clock.now(), settings });
  }
  // The second run reads what the first one made.
  eachOfDay(db, 0, () => {});
  for (let run = 0; run < 2; run += 1)
    await runJob(db, clock, { name: "trends", dueAt: clock.now(), settings });

  // Site maps of the public catalog, whose other pages read what the API reads.
  for (const afterId of selectPartStarts(db, 2)) selectPublicHandles(db, afterId);

  const get = async (path: string): Promise<Answer> => {
    const answer = await appliance.get(`/v1/msgr/${path}`, customer.key);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  /** Reads the first parts of an export; further ones are read by the same statements. */
  const beginning = async (path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${customer.key}` };
    const request = new Request(`http://localhost/v1/msgr/${path}`, { headers });
    const { status, body } = await appliance.app.server.handle(request);
    if (status !== 200 || body === null) throw new Error(`${path}: ${status}`);
    const reader = body.getReader();
    for (let part = 0; part < 3; part++) await reader.read();
    await reader.cancel();
  };
  /** Reads some pages of a list, one after the other. */
  const list = async (path: string, pages = 2): Promise<void> => {
    let at: string | null = path;
    for (let page = 0; page < pages && at !== null; page++) {
      const { body }: Answer = await get(at);
      at = body.next == null ? null : pathOfNext(body.next).replace("/v1/msgr/", "");
    }
  };

  for (const filter of [...CATALOG_FILTERS, ...METRIC_FILTERS]) {
    for (const ordering of ["-growth_30d", "-growth_30d_percent"]) {
      await list(`channels/?limit=100&ordering=${ordering}&${filter}`);
    }
  }
  await get("trends/?hours=72&category=science&territory=russia");
  for (const filter of METRIC_FILTERS) await list(`channels/?include=metrics&${filter}`);
  await list("channels/?kind=chat&limit=100&ordering=-err_30d", 8);
  for (const filter of CATALOG_FILTERS) {
    for (const ordering of ["-subscribers", "-quality", "-citation", "-last_post_at"]) {
      await list(`channels/?limit=100&ordering=${ordering}&${filter}`);
    }
  }
  db.exec("UPDATE channels SET last_post_at = 1 WHERE id = 1");
  // Pages up to the channels that have no value in this ordering, and beyond.
  await list("channels/?kind=chat&limit=100&ordering=-quality", 8);
  await list("channels/?kind=chat&limit=100&ordering=-last_post_at", 8);
  await get(`channels/?ids=${oneTo(100)}`);

  for (const named of ["@channel_2", "1000003", "@former_7", "t.me/c/1000003/1"]) {
    await get(`channels/resolve/?q=${encodeURIComponent(named)}`);
  }
  for (const channel of ["1", "channel_2", "former_7"]) await get(`channels/${channel}/`);
  for (const kind of ["", "is_ad=true", "is_ad=false"]) {
    for (const period of [
      "",
      "from=2026-11-19",
      "to=2026-11-19",
      "from=2026-11-18&to=2026-11-20",
    ]) {
      await list(`channels/${BUSY_CHANNEL}/posts/?limit=100&${kind}&${period}`, 3);
    }
  }
  await searchPosts(appliance, list);
  // Called directly, because an in-memory database has no cache that would do so.
  cardsVersion(db);
  readCardsAhead(db, 0);
  await list("channels/channel_1/posts/");
  for (const kind of ["", "kind=link", "kind=forward"]) {
    for (const period of ["", "from=2026-11-19", "to=2026-11-20"]) {
      await list(`channels/1/mentions/?limit=100&${kind}&${period}`);
    }
  }
  for (const channel of ["1", "1001", "former_7"]) await get(`channels/${channel}/similar/`);
  await appliance.app.services.mentions.neighbours(1);
  await list("channels/former_7/posts/");
  await get("posts/1/");
  await get(`channels/compare/?channels=1,channel_2,${BUSY_CHANNEL}&from=2025-11-20`);
  for (const filter of ["", "a_plus=false", "category=science", ...METRIC_FILTERS]) {
    await get(`channels/stats/?${filter}`);
  }
  await get("stats/daily/?channels=1&from=2025-11-20&to=2026-10-20");
  await get(`stats/daily/?channels=${oneTo(100)}&from=2026-11-01&to=2026-11-19`);
  const { statistics, posts, search } = appliance.app.services;
  statistics.span(1);
  const hundred = oneTo(100).split(",").map(Number);
  statistics.latest({ channelIds: hundred, since: null, limit: 30 });
  const allTime = { fromMs: 0, untilMs: clock.now() + DAY_MS };
  await posts.habits({ channelId: BUSY_CHANNEL, ...allTime });
  for (const filter of CATALOG_FILTERS) {
    const selection = readCatalogRequest(Object.fromEntries(new URLSearchParams(filter)), {
      channels: appliance.app.services.channels,
      directory: appliance.app.services.directory,
    });
    if (selection !== null) await search.count(selection.filter);
  }
  await search.rank({ categoryId: 1, subscribers: 100 });
  for (const directory of ["categories", "territories"]) await get(`${directory}/`);
  await appliance.request(createCategoryImages(db).add(new Uint8Array([1])));
  appliance.app.services.channels.newest(50);
  await appliance.app.services.channels.findIdsByHandle(["channel_1", "former_7", "nobody"]);
  exportParts(appliance);
  for (const rows of [
    "channels/",
    "channels/?category=science&q=канал&growth_30d_min=1",
    "stats/",
    "posts/",
  ]) {
    await beginning(`export/${rows}`);
  }
  for (const filter of ["channel=1", "category=news&from=2026-11-18"]) {
    for (const rows of ["stats", "posts"]) {
      await beginning(`export/${rows}/?format=ndjson&${filter}`);
    }
  }
  const busy = `export/posts/?channel=${BUSY_CHANNEL}`;
  const cursor = `${BUSY_CHANNEL}:${FRESH_POSTS + 1}`;
  for (const ads of ["", "&is_ad=true"]) await get(`${busy}&cursor=${cursor}${ads}`);
}

/** Searches posts in each way, once the index is built, and while channels are being refreshed. */
async function searchPosts(
  appliance: World["appliance"],
  list: (path: string, pages?: number) => Promise<void>,
): Promise<void> {
  const { db, clock } = appliance.app.domains;
  appliance.app.services.postSearch.progress();
  while (db.prepare("SELECT 1 FROM post_search_state WHERE phase <> 'ready'").get()) {
    await appliance.app.postIndex.tick();
  }
  for (const isStale of [false, true]) {
    if (isStale) {
      // For channels that a node of a cluster gets after their posts; this one does not exist.
      await inTransaction(db, clock, "post-search", async (tx) =>
        noteStale(tx, missingChannels(tx, [0])),
      );
      db.exec("INSERT INTO post_search_stale VALUES (1, 0, 0)");
    }
    for (const ordering of POST_ORDERINGS) {
      for (const filter of POST_FILTERS) {
        const query = new URLSearchParams({ ...filter, ordering, limit: "100" });
        await list(`posts/search/?${query}`);
      }
    }
  }
  for (const filter of POST_FILTERS) {
    await list(`posts/search/stats/?${new URLSearchParams({ from: "2026-01-01", ...filter })}`);
  }
  // A post of long ago, whose part is renewed.
  const old = { id: 900_000, channel: 1, text: "Пост", published_at: "2025-01-01T00:00:00Z" };
  await appliance.importRows("posts", [old]);
  db.exec(`UPDATE searched_posts SET words = 0 WHERE post_id = ${old.id};
    UPDATE post_search_parts SET is_due = 1 WHERE first_row = (SELECT min(first_row) FROM post_search_parts)`);
  await appliance.app.postIndex.tick();
  countSearched(db);
  textsWrittenSince(db, 0);
  isSearchOptimized(db);
  // More matches than can be read: those of the month of long ago are sliced. Then a beginning of more words than are
  // named, which any post may have.
  const many = Array.from({ length: 101 }, (_, at) => `('щщщ${at}', 1000)`);
  db.exec(`INSERT INTO post_search_stems (stem, posts) VALUES ${many.join()}`);
  const period = { from: parseDay("2025-01-01") ?? 0, to: dayOf(appliance.ports.clock.now()) };
  for (const q of ["пост", "новости", "щщщ*"]) {
    const query = readPostQuery(q);
    if (query === null) continue;
    const none = {
      channelId: null,
      categoryId: null,
      territoryId: null,
      fromMs: null,
      untilMs: null,
    };
    const filter = { ...none, isAd: null, media: null, viewsMin: null };
    selectOverTime(db, { query, filter, group: "month", ...period }, { lookedUp: 100, read: 1 });
  }
  // Views that were read again and stay on the same level.
  await appliance.importRows("posts", [{ id: 1, views: 101 }]);
}

/** Empties the index as a rebuild does, which is another index of a hundred thousand posts. */
export async function emptyPostSearch({ appliance }: World): Promise<void> {
  const { db, clock } = appliance.app.domains;
  // Channels that the other exercises changed.
  db.exec("DELETE FROM post_search_stale");
  await removeOldMonths(db, clock, { posts: 3, statistics: 12 });
  const anyone = "SELECT id FROM channels WHERE is_public = 1 ORDER BY id LIMIT 1";
  const channel = db.prepare<{ id: number }>(anyone).get()?.id;
  await appliance.get(`/v1/msgr/export/posts/?channel=${channel}&cursor=${channel}:900000`);
  previewAlerts(db, clock.now());
  await rebuildPostSearch(db, clock);
  await finishPostSearch(db, clock, false);
  previewAlerts(db, clock.now());
}

function previewAlerts(db: Database, nowMs: number): void {
  for (const channelId of [null, BUSY_CHANNEL]) {
    previewAlert(db, { q: "пост", channelId, category: null, territory: null, isAd: null, nowMs });
  }
}

const POST_FILTERS: Record<string, string>[] = [
  { q: "пост" },
  { q: "=пост", category: "science" },
  { q: '"пост 7" -=поста', territory: "russia", from: "2026-11-19", to: "2026-11-20" },
  { q: "пост* | #тег", is_ad: "false", media: "photo", views_min: "3" },
  // One with more matches than are counted, and one with few.
  { q: "пост", views_min: "3" },
  { q: "пост 7" },
];

/** Reads two parts of each kind of export, for all channels and for one. */
function exportParts({ app: { domains }, config, ports }: World["appliance"]): void {
  const wish = {
    format: "csv",
    isRaw: false,
    from: "",
    to: "",
    hosts: config.messengerHosts,
    openDays: config.statisticsOpenDays,
  } as const;
  for (const kind of IMPORT_KIND_NAMES) {
    const channels = ["categories", "territories"].includes(kind) ? [""] : ["", "1", "@channel_2"];
    for (const channel of [...channels, ...(kind === "posts" ? [`${BUSY_CHANNEL}`] : [])]) {
      const selection = readExport(domains.db, ports.clock, { ...wish, kind, channel });
      const { next } = exportPart(domains.db, { selection, after: null, rowsBefore: 0 });
      if (next !== null) exportPart(domains.db, { selection, after: next, rowsBefore: 0 });
      // Removed rows come after all others.
      if (channel === "") {
        exportPart(domains.db, {
          ...{ selection, rowsBefore: 0 },
          after: [Number.MAX_SAFE_INTEGER, 0],
        });
      }
    }
  }
}

const METRIC_FILTERS = [
  "growth_30d_min=-100000",
  "reach_30d_min=0&q=канал 12",
  "err_30d_min=1&kind=chat",
  "err_30d_min=0&subscribers_max=100",
].map(encodeURI);

const CATALOG_FILTERS = [
  "",
  "kind=chat",
  "q=@channel_5",
  "q=@former_7",
  "q=t.me/c/1000003/1",
  "q=канал 12",
  "q=редкий",
  "q=канал общий",
  "q=нет такого",
  "category=science",
  "territory=kazan",
  "territory=kazan&kind=chat",
  "a_plus=true",
  "a_plus=false&verified=false",
  "verified=true",
  "q=общий&category=science&a_plus=true",
  "subscribers_min=1000",
  "subscribers_min=1000&subscribers_max=1500",
  "q=общий&subscribers_min=1000&subscribers_max=90000",
  "q=редкий&category=news&subscribers_max=50000",
].map(encodeURI);

function oneTo(last: number): string {
  return Array.from({ length: last }, (_, at) => at + 1).join();
}
