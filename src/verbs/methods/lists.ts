import type { Owner } from "../../customers/saved-lists/saved-lists.ts";
import { fieldError } from "../../errors.ts";
import { shortened } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import * as shape from "../../values/schema.ts";
import { actorOf, apiMethod, type Call } from "../method.ts";
import { listOf, type pageParameters } from "../paging.ts";
import { fieldsOf, inBody, numberInPath, required, text } from "../parameters.ts";
import { readArguments } from "../read-arguments.ts";
import { channelsList, readCatalogRequest, SEARCH_PARAMETERS } from "./channels.ts";

const listPath = { id: numberInPath("List number.") };

const nameField = inBody(text("What you call it.", { example: "Big in science" }));

/** Saved lists as the API returns them. */
const listRows = shape.rows("SavedList", {
  id: shape.integer("List number"),
  name: shape.text("The list's name"),
  query: shape.text("Filters and ordering, as in the address of the catalog"),
  created_at: shape.instant("When it was created"),
});
const listSchema = listRows.schema;

export const listsList = apiMethod({
  operationId: "msgr_lists_list",
  path: "/v1/msgr/lists/",
  tag: "Lists",
  title: "List saved lists",
  description:
    "Searches of the catalog that the key's member has saved, here or on the site, by name. Everybody has their " +
    "own; nobody else's are visible.",
  units: 0,
  parameters: fieldsOf(listSchema),
  result: listOf(listSchema),
  run: (_args, call) => ({
    results: call.services.savedLists.of(call.caller.member.id).map(listRows.row),
  }),
});

export const listsCreate = apiMethod({
  operationId: "msgr_lists_create",
  verb: "POST",
  path: "/v1/msgr/lists/",
  tag: "Lists",
  title: "Save list",
  description:
    "Saves a search of the catalog for the key's member, who may have up to 30. What the catalog would " +
    "refuse is refused here, by filter.",
  units: 0,
  audience: "writers",
  parameters: {
    name: required(nameField),
    query: required(
      inBody(
        text(
          "Filters and ordering of the catalog, as after `?` in its address; empty ones are dropped. For " +
            "another search, save another list.",
          { example: "category=science&subscribers_min=1000" },
        ),
      ),
    ),
  },
  status: 201,
  result: listSchema,
  errors: ["conflict"],
  async run({ name, query }, call) {
    const given = { owner: ownerOf(call), name, query: readSearch(query, call) };
    return listRows.row(await call.services.savedLists.add(given, actorOf(call)));
  },
});

export const listsRetrieve = apiMethod({
  operationId: "msgr_lists_retrieve",
  path: "/v1/msgr/lists/:id/",
  tag: "Lists",
  title: "Get saved list",
  description: "A saved list of the key's member by its number.",
  units: 0,
  parameters: { ...listPath, ...fieldsOf(listSchema) },
  result: listSchema,
  run: ({ id }, call) => listRows.row(call.services.savedLists.get({ owner: ownerOf(call), id })),
});

export const listsUpdate = apiMethod({
  operationId: "msgr_lists_partial_update",
  verb: "PATCH",
  path: "/v1/msgr/lists/:id/",
  tag: "Lists",
  title: "Rename saved list",
  description: "Gives a saved list another name. Its search stays.",
  units: 0,
  audience: "writers",
  parameters: { ...listPath, name: required(nameField) },
  result: listSchema,
  async run({ id, name }, call) {
    const given = { owner: ownerOf(call), id, name };
    return listRows.row(await call.services.savedLists.rename(given, actorOf(call)));
  },
});

export const listsDestroy = apiMethod({
  operationId: "msgr_lists_destroy",
  verb: "DELETE",
  path: "/v1/msgr/lists/:id/",
  tag: "Lists",
  title: "Delete saved list",
  description: "Deletes a saved list, not its channels.",
  units: 0,
  audience: "writers",
  parameters: listPath,
  result: shape.nothing(),
  async run({ id }, call) {
    await call.services.savedLists.remove({ owner: ownerOf(call), id }, actorOf(call));
    return null;
  },
});

const { limit, cursor, include, fields } = channelsList.parameters as Record<
  keyof typeof pageParameters | "include" | "fields",
  (typeof channelsList.parameters)[string]
>;

export const listsChannels = apiMethod({
  operationId: "msgr_lists_channels_list",
  path: "/v1/msgr/lists/:id/channels/",
  tag: "Lists",
  title: "Channels of saved list",
  description: "The channels that match a saved list now, as the catalog answers its search.",
  units: 1,
  parameters: { ...listPath, include, limit, cursor, fields },
  result: channelsList.result,
  run({ id, ...shown }, call) {
    const { query } = call.services.savedLists.get({ owner: ownerOf(call), id });
    const search = readArguments(channelsList, Object.fromEntries(new URLSearchParams(query)), {});
    // A cursor continues this search only: the number may be another list's by then.
    const fixed = { query };
    return channelsList.run(
      { ...search, ...shown },
      {
        ...call,
        after: () => call.after(fixed),
        nextUrl: (position) => call.nextUrl(position, fixed),
      },
    );
  },
});

const ownerOf = ({ caller }: Pick<Call, "caller">): Owner => caller.member;

/**
 * Reads a search as it is saved: given filters only, in the catalog's order, so that equal searches are
 * equal texts, on the site too.
 * @throws AppError `invalid` on `query`, and on the filters as the catalog refuses them
 */
function readSearch(query: string, { services }: Pick<Call, "services">): string {
  const given = new URLSearchParams(query.trim());
  const unknown = [...given.keys()].find((name) => !(SEARCH_PARAMETERS as string[]).includes(name));
  if (unknown !== undefined) {
    const values = { given: shortened(unknown), known: [...SEARCH_PARAMETERS] };
    throw fieldError({ query: [message("unknownFields", values)] });
  }
  const kept = SEARCH_PARAMETERS.flatMap((name) => {
    const value = given.getAll(name).at(-1)?.trim();
    return value ? [[name, value] as [string, string]] : [];
  });
  if (kept.length === 0) throw fieldError({ query: [message("blank")] });
  readCatalogRequest(Object.fromEntries(kept), services);
  return new URLSearchParams(kept).toString();
}
