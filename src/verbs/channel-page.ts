import type { ChannelPageSelection, PostPosition } from "../catalog/posts/posts.store.ts";
import { notFound } from "../errors.ts";
import type { Json, Page } from "../values/json-text.ts";
import { channelPath } from "./channel-named.ts";
import type { Call } from "./method.ts";
import { readPage, type Slice } from "./paging.ts";
import type { Arguments } from "./parameters.ts";
import { publicationDays, readPublicationDays } from "./period.ts";

export const channelPageParameters = {
  channel: channelPath,
  ...publicationDays,
};

type Given = Arguments<typeof channelPageParameters> & { limit: number };

/**
 * Reads a page of such a list.
 * @throws AppError `invalid` on `to` and on `cursor`, `not_found` for the channel
 */
export function readChannelPage<View>(
  { channel, from, to, limit }: Given,
  call: Call,
  select: (
    selection: ChannelPageSelection,
  ) => Slice<View, PostPosition> | Promise<Slice<View, PostPosition>>,
): Promise<Json<Page<View>>> {
  const days = readPublicationDays({ from, to });
  const channelId = call.services.channels.findId(channel);
  if (channelId === null) throw notFound("channel");
  const selectAfter = (after: PostPosition | null) => select({ channelId, ...days, after, limit });
  // The cursor carries the channel's number, because its handle may move to another channel between two
  // pages.
  return readPage(call, selectAfter, { channel: String(channelId) });
}
