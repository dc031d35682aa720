import { createHash, timingSafeEqual } from "node:crypto";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import { fieldError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import type { Batch } from "../bots/batch-writer.ts";
import type { BotSecret, Pushes } from "../bots/bot-messenger.ts";
import { selectChats } from "../bots/source-chats.store.ts";
import { requireSource, type SourceChanges } from "../source-changes.ts";
import { selectSource } from "../sources.store.ts";
import { isBot, type Source } from "../sources.table.ts";
import { max } from "./max.ts";
import { changesOf } from "./max-updates.ts";

/** Default schedules with and without pushes (sources, section 4). */
const PUSHED = "1h";
const POLLED = max.schedule;

/** The address under which MAX reaches us: it only pushes over https to port 443. */
export function pushBase(baseUrl: string | null): string | null {
  if (baseUrl === null || !URL.canParse(baseUrl)) return null;
  const { protocol, port } = new URL(baseUrl);
  return protocol === "https:" && port === "" ? baseUrl.replace(/\/$/, "") : null;
}

/**
 * Receives updates that MAX pushes. A source's secret authenticates them, and they only tell which channels
 * to read.
 * @param base as `pushBase`
 * @param write writes a batch, whichever process holds the source
 */
export function createPushes(
  db: Database,
  changes: Pick<SourceChanges, "setPushes">,
  {
    base,
    secrets,
    write,
  }: {
    base: string | null;
    secrets(): Promise<SecretBox>;
    write(id: number, batch: Batch): Promise<unknown>;
  },
) {
  async function secretOf({ secret }: Source): Promise<string> {
    const opened = secret === null ? null : (await secrets()).open(secret);
    return opened === null ? "" : ((JSON.parse(opened) as BotSecret).pushSecret ?? "");
  }

  return {
    /** Address and secret of a source's pushes; null if updates are polled. */
    of({ id, settings }: Source, { pushSecret = "" }: BotSecret): Pushes | null {
      const isOn = isBot(settings) && settings.pushes === true;
      if (!isOn || base === null || pushSecret === "") return null;
      return { url: `${base}/sources/${id}/`, secret: pushSecret };
    },

    /**
     * Switches between pushing and polling. The source's next run, due at once, tells MAX.
     * @throws AppError `not_found`; `invalid` on `state` if the source is not of MAX, or there is no
     * address to push to
     */
    async set(id: number, isOn: boolean, by: Actor): Promise<Source> {
      const source = await requireSource(db, id);
      if (source.kind !== "max") throw fieldError({ state: [message("pushesOfMaxOnly")] });
      if (isOn && base === null) throw fieldError({ state: [message("pushesNeedHttps")] });
      const [from, to] = isOn ? [POLLED, PUSHED] : [PUSHED, POLLED];
      // A schedule set by the operator is kept.
      const schedule = source.schedule === from ? to : source.schedule;
      return changes.setPushes(id, { isOn, schedule }, by);
    },

    /**
     * Authenticates a push by the source's secret.
     * @returns a function that takes an update; null if there is no such source, its pushes are off, or the
     * secret is wrong
     */
    async open(id: number, given: string): Promise<((update: unknown) => Promise<void>) | null> {
      const source = await selectSource(db, { id });
      const isOn = source !== undefined && isBot(source.settings) && source.settings.pushes;
      const known = isOn ? await secretOf(source) : "";
      // Compares even without a known secret, so that timing reveals nothing.
      if (!isSame(given, known) || known === "") return null;
      return async (update) => {
        const changed = changesOf([update], await selectChats(db, { sourceId: id }));
        if (changed.chats.length + changed.posts.length > 0) await write(id, changed);
      };
    },
  };
}

/** Compares digests, since `timingSafeEqual` needs equal lengths. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
