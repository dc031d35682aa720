/** @jsxImportSource hono/jsx */
import { channels } from "../../../../../verbs/operator/data/channels.ts";
import { ResourceList } from "../../../look/resource-list.tsx";
import { Done, ImportLink, NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { page } from "../../../visit/visit.ts";

const PATH = "/staff/channels/";

/** `/staff/channels/`: the catalog's channels, including hidden ones, found by any of their names. */
export const staffChannelsPage: SitePage = {
  path: PATH,
  access: "staff",
  async show({ query, words: { nothingYet, staffCatalog: words } }) {
    return page(
      words.channels,
      <>
        <Done words={words.done} />
        <p>{words.find}</p>
        <ResourceList
          resource={channels}
          label={words.channels}
          columns={["id", "title", "handle", "subscribers", "is_public"]}
          looks={{ title: "row long" }}
          cells={{
            title: ({ id, title }) => <NamedLink to={`${PATH}${id}/`}>{String(title)}</NamedLink>,
            handle: ({ handle }) => (handle === null ? words.none : <bdi>@{String(handle)}</bdi>),
            is_public: ({ is_public: isPublic }) =>
              isPublic ? words.public : <span class="badge warn">{words.hidden}</span>,
          }}
          empty={
            query.get("q") ? (
              words.nothingFound
            ) : (
              <>
                {nothingYet} <ImportLink />
              </>
            )
          }
        />
      </>,
    );
  },
};
