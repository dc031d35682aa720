import { createHash, timingSafeEqual } from "node:crypto";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import { fieldError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import type { Batch } from "../batch-rows.ts";
import type { BotSecret, Pushes } from "../bot-messenger.ts";
import { requireSource, type SourceChanges } from "../source-changes.ts";
import { selectChats } from "../source-chats.store.ts";
import { selectSource } from "../sources.store.ts";
import { isBot, type Source } from "../sources.table.ts";
import { max } from "./max.ts";
import { changesOf } from "./max-updates.ts";

/** How often channels are read without a push, while there are pushes, and without (sources, section 4). */
const SCHEDULE = { pushed: "1h", asked: max.schedule };

/** The address under which MAX reaches a base address: it pushes over https and to port 443 only. */
export function pushBase(baseUrl: string | null): string | null {
  if (baseUrl === null || !URL.canParse(baseUrl)) return null;
  const { protocol, port } = new URL(baseUrl);
  return protocol === "https:" && port === "" ? baseUrl.replace(/\/$/, "") : null;
}

/**
 * Updates that MAX pushes: they are taken by a secret of the source, and say which channels are to be read.
 * @param base as `pushBase`
 * @param write writes a batch, whoever has the source
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
    /** The address and secret of a source's pushes; null where updates are asked for. */
    of({ id, settings }: Source, { pushSecret = "" }: BotSecret): Pushes | null {
      const isOn = isBot(settings) && settings.pushes === true;
      if (!isOn || base === null || pushSecret === "") return null;
      return { url: `${base}/sources/${id}/`, secret: pushSecret };
    },

    /**
     * Has updates pushed, or asked for again. MAX is told by the source's next run, which is due at once.
     * @throws AppError `not_found`; `invalid` on `pushes` where there is no address to push to
     */
    async set(id: number, isOn: boolean, by: Actor): Promise<Source> {
      const source = await requireSource(db, id);
      if (source.kind !== "max") throw fieldError({ pushes: [message("pushesOfMaxOnly")] });
      if (isOn && base === null) throw fieldError({ pushes: [message("pushesNeedHttps")] });
      const [from, to] = isOn ? (["asked", "pushed"] as const) : (["pushed", "asked"] as const);
      // A schedule of the operator's own stays.
      const schedule = source.schedule === SCHEDULE[from] ? SCHEDULE[to] : source.schedule;
      return changes.setPushes(id, { isOn, schedule }, by);
    },

    /**
     * Lets in whoever knows a source's secret.
     * @returns what takes an update, or null: no such source, no pushes to it, or another secret
     */
    async open(id: number, given: string): Promise<((update: unknown) => Promise<void>) | null> {
      const source = await selectSource(db, id);
      const takes = source !== undefined && isBot(source.settings) && source.settings.pushes;
      const known = takes ? await secretOf(source) : "";
      // Compared where there is nothing to compare with, too: no time tells that.
      if (!isSame(given, known) || known === "") return null;
      return async (update) => {
        const changed = changesOf([update], await selectChats(db, id));
        if (changed.chats.length + changed.posts.length > 0) await write(id, changed);
      };
    },
  };
}

/** Compares digests, which are of one length, as `timingSafeEqual` needs. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
