/** @jsxImportSource hono/jsx */
import { DataTable } from "../../look/data-table.tsx";
import { Instant } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { consolePage } from "./console.tsx";

/** `/staff/errors/`: recent warnings and errors of all workers. */
export const errorsPage: SitePage = {
  path: "/staff/errors/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const entries = await context.recentErrors();
    return consolePage(
      words.errors,
      <>
        <p>{words.errorsText}</p>
        {entries.length === 0 ? (
          <p class="empty">{words.none}</p>
        ) : (
          <DataTable
            label={words.errors}
            columns={[words.time, words.level, words.message, words.request]}
          >
            {entries.map(({ at, level, message, requestId, facts, cause }) => (
              <tr>
                <td>
                  <Instant at={at} withSeconds />
                </td>
                <td class={level === "error" ? "fault" : undefined}>{words.levels[level]}</td>
                <td class="long">
                  <bdi>{message}</bdi>
                  {facts !== "" && (
                    <>
                      <br />
                      <small>
                        <code>{facts}</code>
                      </small>
                    </>
                  )}
                  {cause !== "" && (
                    <details>
                      <summary>{words.cause}</summary>
                      <pre class="wrapped">{cause}</pre>
                    </details>
                  )}
                </td>
                <td>{requestId === null ? "—" : <code>{requestId}</code>}</td>
              </tr>
            ))}
          </DataTable>
        )}
      </>,
    );
  },
};
