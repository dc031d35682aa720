/** @jsxImportSource hono/jsx */
import { DataTable } from "../../data-table.tsx";
import { shownBytes, shownNumber } from "../../shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { staffWords } from "../../words/staff.ts";
import { consolePage } from "./console.tsx";

/** `/staff/database/`: how large the file is, and what is in it. */
export const databasePage: SitePage = {
  path: "/staff/database/",
  access: "staff",
  async show(visit, context) {
    const words = staffWords[visit.language];
    const facts = await context.databaseFacts();
    const number = (value: number): string => shownNumber(visit, value);
    const bytes = (value: number): string => shownBytes(visit, value, words.units);
    const lines = [
      [words.file, `${context.config.databasePath}, ${bytes(facts.fileBytes)}`],
      [words.wal, bytes(facts.walBytes)],
      [words.pages, `${number(facts.pages)} × ${number(facts.pageBytes)} ${words.units[0]}`],
      [words.freePages, number(facts.freePages)],
      [words.searchIndex, number(facts.searchSegments)],
      [words.schemaVersion, number(facts.schemaVersion)],
      [words.sqliteVersion, facts.sqliteVersion],
    ] as const;
    return consolePage(
      visit,
      words.database,
      <>
        <dl>
          {lines.map(([label, value]) => (
            <>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
        <h2>{words.tables}</h2>
        <DataTable label={words.tables} columns={[words.table, `#${words.rows}`]}>
          {facts.tables.map(({ name, rows, isMore }) => (
            <tr>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td class="number">
                {isMore && `${words.moreThan} `}
                {number(rows)}
              </td>
            </tr>
          ))}
        </DataTable>
      </>,
    );
  },
};
