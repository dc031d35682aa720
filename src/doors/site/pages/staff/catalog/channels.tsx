/** @jsxImportSource hono/jsx */
import type { ChannelRecord } from "../../../../../catalog/channels/card.ts";
import { AppError } from "../../../../../errors.ts";
import { parseNumber } from "../../../../../values/fields.ts";
import { errorMessages } from "../../../forms/faults.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { shownNumber } from "../../../look/shown.tsx";
import { Done, ImportLink, NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { orRefusal } from "../../../visit/look-up.ts";
import { asset, page, useSite, useVisit } from "../../../visit/visit.ts";
import { FindForm } from "../console.tsx";

const PATH = "/staff/channels/";
const SHOWN = 50;

interface Listed {
  channels: readonly ChannelRecord[];
  /** Number after which the next page begins; null if there is none. */
  next: number | null;
  /** Whether a search found more than are listed. */
  isMore: boolean;
}

/** `/staff/channels/`: the catalog's channels, including hidden ones, found by any of their names. */
export const staffChannelsPage: SitePage = {
  path: PATH,
  access: "staff",
  async show(visit) {
    const words = visit.words.staffCatalog;
    const text = (visit.query.get("q") ?? "").trim();
    const found = await orRefusal(text === "" ? listed() : named(text));
    const fault =
      found instanceof AppError
        ? Object.values(errorMessages(visit.language, found)).flat().join(" ")
        : null;
    return page(
      words.channels,
      <>
        <Done words={visit.words.staffCatalog.done} />
        <FindForm label={words.find} fault={fault} />
        {!(found instanceof AppError) && <Found found={found} />}
      </>,
    );
  },
};

async function listed(): Promise<Listed> {
  const { channels } = useSite();
  const after = parseNumber(useVisit().query.get("after") ?? "") ?? 0;
  const rows = channels.page(after, SHOWN + 1);
  const shown = rows.slice(0, SHOWN);
  return {
    channels: shown,
    next: rows.length > SHOWN ? (shown.at(-1)?.id ?? null) : null,
    isMore: false,
  };
}

/** The channel that a text names comes first, then those with the text in their title or handle. */
async function named(text: string): Promise<Listed> {
  const { channels } = useSite();
  const id = channels.find(text);
  const byTitle = await channels.byTitle(text, SHOWN);
  const others = byTitle.channels.filter((one) => one.id !== id);
  const exact = id === null ? [] : [channels.numbered(id)];
  return { channels: [...exact, ...others], next: null, isMore: byTitle.isMore };
}

function Found({ found }: { found: Listed }) {
  const visit = useVisit();
  const words = visit.words.staffCatalog;
  const labels = visit.words.channelFields;
  const isSearched = (visit.query.get("q") ?? "").trim() !== "";
  if (found.channels.length === 0) {
    return (
      <p class="empty">
        {isSearched ? words.nothingFound : visit.words.nothingYet} {!isSearched && <ImportLink />}
      </p>
    );
  }
  return (
    <>
      <DataTable
        label={words.channels}
        rows={found.channels}
        columns={[
          [labels.id, ({ id }) => id, "number"],
          [
            labels.title,
            ({ id, title }) => <NamedLink to={`${PATH}${id}/`}>{title}</NamedLink>,
            "row long",
          ],
          [labels.handle, ({ handle }) => (handle === null ? words.none : <bdi>@{handle}</bdi>)],
          [labels.subscribers, ({ subscribers }) => shownNumber(subscribers), "number"],
          [
            labels.is_public,
            ({ is_public }) =>
              is_public === 1 ? words.public : <span class="badge warn">{words.hidden}</span>,
          ],
        ]}
      />
      {found.isMore && <p>{words.more}</p>}
      <p class="row">
        {visit.query.get("after") && <a href={asset(PATH)}>{words.first}</a>}
        {found.next !== null && (
          <a href={asset(`${PATH}?after=${found.next}`)} rel="next">
            {words.next}
          </a>
        )}
      </p>
    </>
  );
}
