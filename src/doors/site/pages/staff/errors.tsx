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
        <DataTable
          label={words.errors}
          empty={words.none}
          rows={entries}
          columns={[
            [words.time, ({ at }) => <Instant at={at} withSeconds />],
            [
              words.level,
              ({ level }) => words.levels[level],
              "",
              ({ level }) => level === "error" && "fault",
            ],
            [
              words.message,
              ({ message, facts, cause }) => (
                <>
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
                </>
              ),
              "long",
            ],
            [
              words.request,
              ({ requestId }) => (requestId === null ? "—" : <code>{requestId}</code>),
            ],
          ]}
        />
      </>,
    );
  },
};
