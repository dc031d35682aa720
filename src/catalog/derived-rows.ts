import type { Derived } from "../db/shared-rows.ts";
import { createSearchIndex } from "./channels/search-text.ts";
import { missingChannels, noteStale } from "./post-search/catch-up.store.ts";
import { createPostIndex } from "./post-search/post-index.ts";
import { createPostRecords } from "./posts/posts.store.ts";

/** Updates both search indexes for channels and posts written by another machine. */
export const derivedRows: Derived = {
  begin(tx, { channels, posts }) {
    const search = createSearchIndex(tx);
    const records = createPostRecords(tx);
    const postIndex = createPostIndex(tx);
    for (const id of channels) search.changing(id);
    const added = missingChannels(tx, channels);
    const before = new Map(posts.map((id) => [id, records.byId(id)]));
    return () => {
      search.write();
      for (const [id, stored] of before) {
        const post = records.byId(id);
        if (post === undefined) postIndex.reindex(id);
        else postIndex.collect(post, stored);
      }
      postIndex.write();
      // A channel changed after its posts arrives after them.
      noteStale(tx, added);
    };
  },
};
