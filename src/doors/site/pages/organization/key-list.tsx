/** @jsxImportSource hono/jsx */
import { useVisit } from "../../visit/use-visit.ts";
import { isManager } from "../../visit/viewer.ts";
import { keysTable } from "./key-table.tsx";
import { visibleKeys } from "./revoke-key.ts";

/** Working keys, and below them, folded, keys that will never work again; each list has pages. */
export async function KeyList() {
  const { query, words: common } = useVisit();
  const words = common.organizationPages;
  const label = isManager() ? words.allKeys : words.yourKeys;
  const place = visibleKeys();
  const ended = await keysTable(words.oldKeys, { ...place, areEnded: true, at: "ended-before" });
  return (
    <>
      <h2>{label}</h2>
      {(await keysTable(label, { ...place, areEnded: false, at: "before" })) ?? (
        <p class="empty">{words.noKeys}</p>
      )}
      {ended !== null && (
        <details open={query.has("ended-before")}>
          <summary>{words.oldKeys}</summary>
          {ended}
        </details>
      )}
    </>
  );
}
