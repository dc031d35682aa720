import { parseLinkOrHandle } from "../../catalog/channels/channel-reference.ts";
import { type Database, statement } from "../../db/database.ts";
import { faultOf } from "./found-rows.ts";

/** Two numbers of one channel: the first should be merged into the second. */
interface Twins {
  id: number;
  intoId: number;
}

/**
 * Finds channels that are in the file twice. This happened to catalogs kept by handle when messenger ids
 * arrived: one of the two has neither handle nor messenger id, and formerly had the other's handle; or both
 * have the same messenger id in its two notations.
 */
export function twinFaults(db: Database): string[] {
  const twins = [...withHandleInCommon(db), ...withLinkToOther(db), ...inBothForms(db)];
  const commands = twins.map(({ id, intoId }) => `kanalog channel merge ${id} ${intoId}`);
  return faultOf("Two numbers of one channel, to be merged by", [...new Set(commands)]);
}

function withHandleInCommon(db: Database): Twins[] {
  return statement<Twins>(
    db,
    `SELECT f.channel_id AS id, b.id AS intoId
     FROM former_handles f
       CROSS JOIN channel_cards a ON a.id = f.channel_id
       CROSS JOIN channel_cards b ON b.handle = f.handle
     WHERE a.msgr_id IS NULL AND a.handle IS NULL AND b.msgr_id IS NOT NULL
     UNION
     SELECT f.channel_id, b.id
     FROM former_handles f
       CROSS JOIN channel_cards a ON a.id = f.channel_id
       CROSS JOIN former_handles g ON g.handle = f.handle AND g.channel_id <> f.channel_id
       CROSS JOIN channel_cards b ON b.id = g.channel_id
     WHERE a.msgr_id IS NULL AND a.handle IS NULL AND b.msgr_id IS NOT NULL
     ORDER BY 1, 2`,
  ).all();
}

/** For files older than the table of former handles: the link still contains the handle. */
function withLinkToOther(db: Database): Twins[] {
  const nameless = statement<{ id: number; link: string }>(
    db,
    `SELECT id, link FROM channel_cards
     WHERE msgr_id IS NULL AND handle IS NULL AND link IS NOT NULL ORDER BY id`,
  );
  const holder = statement<{ id: number }>(
    db,
    "SELECT id FROM channel_cards WHERE handle = ? AND msgr_id IS NOT NULL",
  );
  return nameless.all().flatMap(({ id, link }) => {
    const host = URL.canParse(link) ? new URL(link).host.replace(/^www\./, "") : "";
    const reference = parseLinkOrHandle(link, [host]);
    const other = reference?.kind === "handle" ? holder.get(reference.handle) : undefined;
    return other === undefined ? [] : [{ id, intoId: other.id }];
  });
}

/**
 * For Telegram's -100… notation, which an upgrade left in place if the plain id was in the file as well.
 */
function inBothForms(db: Database): Twins[] {
  return statement<Twins>(
    db,
    `SELECT marked.id, bare.id AS intoId
     FROM channel_cards marked
       CROSS JOIN channel_cards bare ON bare.msgr_id = -1000000000000 - marked.msgr_id
     WHERE marked.msgr_id BETWEEN -1997852516352 AND -1000000000001 ORDER BY marked.id`,
  ).all();
}
