/** @jsxImportSource hono/jsx */
import { readCatalogRequest } from "../../../../verbs/methods/channels.ts";
import { ActionButton, sentNumber } from "../../look/action-button.tsx";
import { Form, isSent, TextField } from "../../look/form.tsx";
import { currentActor, ownMembership } from "../../visit/viewer.ts";
import { asset, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { filterOf, givenOf } from "./catalog-filter.ts";

const PATH = "/account/channels/";

/** Filters and ordering in the address, always in the same order: equal searches are equal texts. */
const shownQuery = (): string => new URLSearchParams(givenOf(filterOf())).toString();

/** The visitor's saved searches, of which the shown one can be renamed or deleted; another can be saved. */
export function SavedLists({ maySave }: { maySave: boolean }) {
  const { explorerPages: words, remove } = useVisit().words;
  const lists = useSite().services.savedLists.of(ownMembership().member.id);
  const query = shownQuery();
  const shown = lists.find((list) => list.query === query);
  return (
    <>
      {lists.length > 0 && (
        <nav aria-label={words.savedLists} class="choices presets">
          {lists.map((list) => (
            <a
              href={asset(`${PATH}?${list.query}`)}
              aria-current={list === shown ? "true" : undefined}
            >
              <bdi>{list.name}</bdi>
            </a>
          ))}
        </nav>
      )}
      {shown === undefined && maySave && query !== "" && (
        <details class="folded" open={isSent("save-list")}>
          <summary>{words.saveList}</summary>
          <Form action="save-list" className="row" submit={words.saveList}>
            <TextField name="name" label={words.listName} autocomplete="off" />
          </Form>
        </details>
      )}
      {shown !== undefined && (
        <details class="folded" open={isSent("rename-list")}>
          <summary>{words.changeList}</summary>
          <div class="row">
            <Form action="rename-list" className="row" submit={words.renameList}>
              <input type="hidden" name="list" value={shown.id} />
              <TextField name="name" label={words.listName} value={shown.name} autocomplete="off" />
            </Form>
            <ActionButton action="delete-list" label={remove} fields={{ list: shown.id }} danger />
          </div>
        </details>
      )}
    </>
  );
}

export const savedListActions = {
  /** @throws AppError `invalid` also for filters that the catalog refuses */
  "save-list"() {
    readCatalogRequest(givenOf(filterOf()), useSite().services);
    const given = { owner: ownMembership().member, name: typedName(), query: shownQuery() };
    return done("create", useSite().services.savedLists.add(given, currentActor()));
  },
  "rename-list"() {
    const given = { owner: ownMembership().member, id: sentNumber("list"), name: typedName() };
    return done("rename", useSite().services.savedLists.rename(given, currentActor()));
  },
  "delete-list"() {
    const given = { owner: ownMembership().member, id: sentNumber("list") };
    return done("delete", useSite().services.savedLists.remove(given, currentActor()));
  },
};

const typedName = (): string => useVisit().form.get("name");

/** The same search again, with what was done. */
async function done(verb: "create" | "rename" | "delete", change: Promise<unknown>): Promise<View> {
  await change;
  const shown = new URLSearchParams(shownQuery());
  shown.set("done", `saved-list.${verb}`);
  return redirect(`${PATH}?${shown}`);
}
