/** @jsxImportSource hono/jsx */
import type { Key } from "../../../../customers/keys/keys.store.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { storedMessage } from "../../../../values/messages/messages.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Instant, shownNumber, told } from "../../look/shown.tsx";
import { asset, useSite, useVisit } from "../../visit/visit.ts";
import { visibleKeys } from "./key-table.tsx";

/** Latest requests of a key that the visitor may see: their own, or any if they are a manager. */
export async function LastRequests({
  isReadOnly,
}: {
  /** Whether a key cannot be created here. */
  isReadOnly: boolean;
}) {
  const visit = useVisit();
  const context = useSite();
  const words = visit.words.overviewPage;
  const keys = await selectableKeys();
  const requested = visit.query.get("key");
  const chosen = keys.find(({ id }) => String(id) === requested) ?? keys[0];
  const requests =
    chosen === undefined || context.lastRequests === null
      ? []
      : await context.lastRequests(chosen.id);
  return (
    <section>
      <h2 id="requests">{words.lastRequests}</h2>
      {context.lastRequests === null ? (
        <p>{words.logOff}</p>
      ) : chosen === undefined ? (
        <p class="empty">
          {visit.words.organizationPages.noKeys}{" "}
          {!isReadOnly && <a href={asset("/account/keys/")}>{visit.words.explorerPages.makeKey}</a>}
        </p>
      ) : (
        <>
          <p>{words.lastRequestsText}</p>
          <form method="get" action="#requests" class="row">
            <input type="hidden" name="days" value={visit.query.get("days") ?? ""} />
            <label for="requests-key">{visit.words.organizationPages.key}</label>
            <select id="requests-key" name="key">
              {keys.map(({ id, name, prefix }) => (
                <option value={id} selected={id === chosen.id}>
                  {name === "" ? prefix : `${name} (${prefix}…)`}
                </option>
              ))}
            </select>
            <button type="submit" class="second">
              {words.show}
            </button>
          </form>
          <DataTable
            isTall
            label={words.lastRequests}
            empty={words.noRequests}
            rows={requests}
            columns={[
              [visit.words.time, ({ at }) => <Instant at={at} withSeconds />],
              [
                words.path,
                ({ verb, path, reason }) => (
                  <>
                    <code>
                      {verb} <bdi>{readable(path)}</bdi>
                    </code>
                    {reason !== null && (
                      <>
                        <br />
                        <small>{told(storedMessage(reason))}</small>
                      </>
                    )}
                  </>
                ),
                "long",
              ],
              [
                words.status,
                ({ status }) => status,
                "number",
                ({ status }) => status >= 400 && "failed",
              ],
              [
                words.duration,
                ({ durationUs }) =>
                  `${shownNumber(Math.round(durationUs / 100) / 10)} ${visit.words.ms}`,
                "number",
              ],
              [visit.words.units, ({ units }) => shownNumber(units), "number"],
            ]}
          />
        </>
      )}
    </section>
  );
}

/** A path with its letters decoded: percent-encoded Russian is three times as long. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const KEYS_SELECTABLE = 50;

/** The most recently used keys, and the one in the address. */
async function selectableKeys(): Promise<Key[]> {
  const { keys } = useSite();
  const place = visibleKeys();
  const lastUsed = await keys.lastUsed({ ...place, limit: KEYS_SELECTABLE });
  const id = parseNumber(useVisit().query.get("key") ?? "");
  if (id === null || lastUsed.some((key) => key.id === id)) return lastUsed;
  const chosen = await keys.keyOf({ ...place, id });
  return chosen === undefined ? lastUsed : [...lastUsed, chosen];
}
