import { lanes } from "../../../../src/app/operations.ts";
import { importRunChanges } from "../../../../src/catalog/imports/runs/import-run-changes.ts";
import { selectRunning } from "../../../../src/catalog/imports/runs/import-runs.store.ts";
import { markSample } from "../../../../src/catalog/sample/sample.store.ts";
import { hasUnread } from "../../../../src/catalog/sources/bots/source-chats.store.ts";
import { isHandleTaken } from "../../../../src/catalog/sources/bots/stored-posts.store.ts";
import { sourceChanges } from "../../../../src/catalog/sources/source-changes.ts";
import {
  putDoneFile,
  selectDoneFiles,
  selectSourceCounts,
} from "../../../../src/catalog/sources/sources.store.ts";
import type { Sources } from "../../../../src/catalog/sources/sources.ts";
import { recountDays } from "../../../../src/catalog/statistics/open-days.ts";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { selectStaffEmails } from "../../../../src/customers/people/people.store.ts";
import type { Database } from "../../../../src/db/database.ts";
import { rewriteMeta } from "../../../../src/db/meta.ts";
import { inlineThreads } from "../../../../src/db/threads/threads.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { addMail } from "../../../../src/push/mail/mailer.ts";
import { ASKED_MAX, mailQueue } from "../../../../src/push/mail/mails.store.ts";
import { createWorkerLease } from "../../../../src/upkeep/lease/lease.ts";
import { leaseChanges } from "../../../../src/upkeep/lease/leases.store.ts";
import { dayOf, formatDay, MOSCOW_ZONE } from "../../../../src/values/moscow-time.ts";
import { imported } from "../../../support/expectations.ts";
import { createFakeMax } from "../../../support/fake-max.ts";
import type { FakePorts } from "../../../support/fake-ports.ts";
import { createFakeTelegram, TELEGRAM_TOKEN } from "../../../support/fake-telegram.ts";
import { answersOf } from "../../../support/max-appliance.ts";
import { DAY_MS } from "../../../support/pushing.ts";
import { addPerson, signedInVisitor } from "../../../support/visitor.ts";
import { BUSY_CHANNEL, type World } from "../world.ts";

/** One more session of somebody who has as many as are kept. */
const session = (
  at: number,
): string => `INSERT INTO sessions (id, token, person_id, expires_at, created_at, updated_at)
  SELECT 'more' || ${at}, 'more' || ${at}, min(id), '2030-01-01', '2026-11-${10 + (at % 10)}', '' FROM people`;

/** A mail that a stranger asked for. */
const ASKED_MAIL = `INSERT INTO mails (recipients, subject, text, created_at, next_attempt_at, rank)
  VALUES ('[]', '', '', 0, 0, 2)`;

/** Runs imports of each kind, with new rows, changed ones and unchanged ones, and then the nightly jobs. */
export async function exerciseUpkeep({ appliance }: World): Promise<void> {
  const { app, ports } = appliance;
  const { scheduler } = app;
  const { db } = app.domains;
  await inTransaction(db, ports.clock, "usage", rewriteMeta);
  // What runs every few seconds, for imports of this process and of those that are gone.
  await importRunChanges.importHeartbeat(db, ports.clock, "this process", []);
  await selectRunning(db);
  await createWorkerLease(db, inlineThreads(lanes.push, db, ports.clock).calls, ports).tick();
  await leaseChanges.beatLease(db, ports.clock, "this process");
  await leaseChanges.leaveLease(db, ports.clock, "this process");
  await runSources(app.sources, db, ports);
  await runBot(app.sources, ports);
  await runMaxBot(app.sources, db, ports);
  // A job that is new has nothing to catch up on.
  await scheduler.runDue();
  for (let at = 0; at < 150; at += 1) db.exec(session(at));

  const channels = Array.from({ length: 200 }, (_, at) => ({
    id: 40_000 + at,
    title: `Новый канал ${at}`,
    subscribers: 10 * at,
  }));
  await imported(appliance, "channels", channels);
  await imported(appliance, "channels", [
    ...channels.map((row) => ({
      ...row,
      subscribers: row.subscribers + 1,
      handle: `new_${row.id}`,
    })),
    {
      id: 1,
      title: "Хозяин",
      last_post_at: "2026-11-19T10:00:00Z",
      handle: "channel_2",
      territory: "kazan",
      is_public: false,
    },
    { msgr_id: 1_000_003, title: "По номеру мессенджера" },
    { handle: "unnumbered", title: "Без номера", subscribers: 1 },
    { handle: "channel_4", title: "По имени", former_handles: "one_more former_1" },
  ]);
  await imported(appliance, "channels", [
    { id: 40_000, subscribers: 77 },
    { id: 40_002, last_post_at: "2026-11-19T10:00:00Z" },
    { handle: "new_40001", subscribers: 78, last_post_at: "2026-11-18T10:00:00Z" },
    { handle: "channel_4", last_post_at: "2020-11-18T10:00:00Z" },
  ]);
  const posts = Array.from({ length: 100 }, (_, at) => ({
    ...{ id: 2_000_000 + at, channel: 40_000 + at, msgr_post_id: at + 1, text: "Пост" },
    published_at: new Date(ports.clock.now()).toISOString(),
  }));
  await imported(appliance, "posts", posts);
  // Values derived from the posts, which then change.
  const day = formatDay(dayOf(ports.clock.now()));
  const today = posts.map(({ channel }) => ({ channel, day, subscribers: 10 }));
  await imported(appliance, "stats", today);
  await imported(appliance, "posts", [
    ...posts.map((row) => ({ ...row, views: 7 })),
    { channel_msgr_id: 1_000_006, msgr_post_id: 3, published_at: "2026-11-19T10:00:00Z" },
    { channel: "@channel_5", msgr_post_id: 3, text: "Пост", published_at: "2026-11-19T10:00:00Z" },
  ]);
  await imported(appliance, "posts", [
    { id: 2_000_000, deleted: true },
    { channel: 40_000, msgr_post_id: 1, published_at: "2026-11-19T10:00:00Z", deleted: false },
    { channel: 40_001, msgr_post_id: 1_000, deleted: true },
    { id: 4_000_000, deleted: true },
    { id: 2_000_002, forwarded_from: 40_003 },
  ]);
  // Posts that mention more, fewer, and by a forward.
  await imported(appliance, "posts", [
    { id: 2_000_004, text: "@channel_7 @nobody", forwarded_from: "@nobody" },
    { id: 2_000_004, text: "@channel_8" },
    { id: 2_000_004, channel: 40_005 },
  ]);
  appliance.app.services.posts.post(2_000_002);
  await appliance.app.domains.posts.delete([2_000_003], COMMAND_LINE);
  await recountDays(db, ports.clock);
  const days = Array.from({ length: 120 }, (_, at) => ({
    ...{ channel: 40_000 + at, day: "2026-11-18", subscribers: 10, views: 3, posts: 1 },
  }));
  await imported(appliance, "stats", days);
  await imported(
    appliance,
    "stats",
    days.map((row) => ({ ...row, views: 4 })),
  );
  await imported(appliance, "stats", [{ channel: 11, day: "2026-10-01", subscribers: 5 }]);
  await importDirectories(appliance);

  await addPerson(appliance, { email: "op@example.com", isStaff: true });
  const staff = await signedInVisitor(appliance, "op@example.com");
  const file = new File(["id,title,subscribers\n50001,Один,10\n"], "channels.csv");
  await staff.post("/staff/imports/", { action: "import", kind: "channels", file });

  // The import runs after the answer.
  const running = db.prepare("SELECT 1 FROM import_runs WHERE state = 'running'");
  while (running.get() !== undefined) await new Promise(setImmediate);

  await scheduler.followImports();
  // As a run that was cut off leaves it.
  db.exec("UPDATE jobs SET finished_at = NULL WHERE name = 'metrics'");
  ports.clock.advance(DAY_MS);
  await scheduler.followImports();
  await scheduler.runDue();
  await scheduler.runNow("recount", COMMAND_LINE);
  await scheduler.list();
  // Statements for the mail to staff after a failed backup.
  for (const email of await selectStaffEmails(db)) {
    await addMail(db, ports.clock, { to: [email], subject: "", text: "", html: "" });
  }
  for (let at = 0; at <= ASKED_MAX; at += 1) db.exec(ASKED_MAIL);
  await addMail(db, ports.clock, { to: ["x@example.net"], subject: "", text: "", html: "" }, 1);
  await manageChannels(appliance);
}

/** Hides, merges and deletes channels with many posts, and with many that watch them. */
async function manageChannels(appliance: World["appliance"]): Promise<void> {
  const { app } = appliance;
  const { channels } = app.domains;
  for (const name of ["5", "@former_7", "t.me/c/1000006/1"]) channels.channel(name);
  channels.page(0, 1000);
  await channels.setPublic(5, false, COMMAND_LINE);
  await channels.setPublic(5, true, COMMAND_LINE);
  await channels.merge(BUSY_CHANNEL, 6, COMMAND_LINE);
  await channels.merge(7, 6, COMMAND_LINE);
  await channels.delete(8, COMMAND_LINE);
  await channels.restore(8, COMMAND_LINE);
  await appliance.importRows("channels", [
    { id: 8, title: "Returns", subscribers: 1 },
    { msgr_id: "77", handle: "removed_2", title: "Stays out", subscribers: 1 },
  ]);
  const { db, clock, sample } = app.domains;
  await inTransaction(db, clock, "sample", (tx) => markSample(tx, [9, 10]));
  sample.isUnfinished();
  sample.isCatalogEmpty();
  await sample.remove(COMMAND_LINE);
  await mailQueue.dropOldMails(db, clock);
}

async function importDirectories(appliance: World["appliance"]): Promise<void> {
  await imported(appliance, "categories", [
    { slug: "science", name: "Наука" },
    { slug: "new", name: "Новая" },
  ]);
  await appliance.importRows("categories", [{ slug: "science" }, { slug: "news" }], true);
  const tree = [
    { slug: "ru", name: "Россия", kind: "country" },
    { slug: "east", name: "Восток", kind: "district", parent: "ru" },
    { slug: "kazan", name: "Казань", kind: "city", parent: "east" },
  ];
  await imported(appliance, "territories", tree);
  await appliance.importRows("territories", tree, true);
}

/** Adds, reads, shows, changes and removes a source. */
async function runSources(
  sources: Sources,
  db: Database,
  { network, clock }: FakePorts,
): Promise<void> {
  const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
  const options = { rows: "channels", reading, timezone: MOSCOW_ZONE, strict: false } as const;
  const settings = { kind: "pull", url: "https://files.example.com/", ...options } as const;
  network.fileAt = () => ({ status: 200, body: "id,subscribers\n1,10\n" });
  const source = { name: "files", schedule: "15m", headers: {}, settings };
  const { id } = await sources.add(source, COMMAND_LINE);
  await sources.tick();
  await sources.settled();
  await sourceChanges.sourceHeartbeat(db, clock, "this process");
  await selectDoneFiles(db, { sourceId: id });
  await inTransaction(db, clock, "source-file", (tx) =>
    putDoneFile(tx, id, { name: "a.csv", bytes: 1, modifiedAt: 0, fault: null, isMoved: false }),
  );
  await sources.setAside(id);
  await selectSourceCounts(db, { day: dayOf(clock.now()) });
  await sources.rowsByDay(id, 30);
  await sources.find("files");
  await sources.removeSource(id, COMMAND_LINE);
}

/** A bot receives a channel, posts, an album and edits, and its group becomes another one. */
async function runBot(sources: Sources, { network, clock }: FakePorts): Promise<void> {
  const telegram = createFakeTelegram(clock.now);
  network.answerGet = telegram.answerGet;
  const bot = { kind: "telegram", token: TELEGRAM_TOKEN, name: "", api: "", schedule: "" } as const;
  const { id } = await sources.addBot(bot, COMMAND_LINE);
  const channel = telegram.addChannel();
  telegram.addChannel({ id: -4001, title: "Чат", username: undefined, type: "group" });
  const post = telegram.post(channel, "one");
  telegram.edit(channel, post, { text: "two" });
  telegram.album(channel, ["a", "b"], "13901");
  telegram.react(channel, post, { "👍": 1 });
  for (const moment of ["before it is a supergroup", "after"]) {
    await sources.tick();
    await sources.settled();
    if (moment !== "after") telegram.migrate(-4001, -1_001_000_007_777);
    clock.advance(DAY_MS);
  }
  await sources.chats(id);
  await sources.removeSource(id, COMMAND_LINE);
  clock.advance(-2 * DAY_MS);
}

/** A bot of MAX reads a channel, whose post changes and is removed. */
async function runMaxBot(
  sources: Sources,
  db: Database,
  { network, clock }: FakePorts,
): Promise<void> {
  const max = createFakeMax(clock.now);
  network.answerGet = answersOf(max);
  const bot = { kind: "max", token: max.token, name: "", api: "", schedule: "" } as const;
  const { id } = await sources.addBot(bot, COMMAND_LINE);
  const channel = max.addChannel({ id: -70_000_000_000_001n, title: "Канал" });
  const mid = max.post(channel.id, "one");
  for (const change of [() => max.edit(mid, "two"), () => max.remove(mid)]) {
    await sources.tick();
    await sources.settled();
    change();
    clock.advance(DAY_MS);
  }
  await sources.tick();
  await sources.settled();
  await hasUnread(db, { sourceId: id });
  isHandleTaken(db, String(channel.id), "channel_3");
  await sources.removeSource(id, COMMAND_LINE);
  clock.advance(-2 * DAY_MS);
}
