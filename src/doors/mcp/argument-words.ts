/**
 * Descriptions of arguments for models, which read all tools before their first call and pay for each
 * character in every conversation: shorter than in the documentation, and complete for each tool, because
 * some clients show a model one tool at a time.
 */

/** By argument. */
const WORDS: Readonly<Record<string, string>> = {
  channel: "Number, @handle, link or title.",
  channels: "Numbers, @handles, links or titles, such as 1,3.",
  category: "Code or name, such as science.",
  territory: "Code or name, such as moskva; what is below it too.",
  parent: "Code or name: only what is directly below it.",
  subscribers_min: "At least so many.",
  subscribers_max: "At most so many.",
  a_plus: "With the A+ mark, or without.",
  verified: "Verified by their owners, or not.",
  growth_30d_min: "At least so many subscribers.",
  reach_30d_min: "At least so many views a post.",
  err_30d_min: "Views in percent of subscribers.",
  ids: "Only these, in this order, such as 3,1.",
  include: "`metrics`: growth, reach, posts, ads of 30 days; about 200 characters.",
  cursor: "`next` of the page before.",
  fields: "Only these, with commas.",
  from: "First Moscow day, YYYY-MM-DD.",
  to: "Last Moscow day.",
  is_ad: "Only advertising, or none.",
  media: "Kind of media.",
  views_min: "At least so many.",
  id: "Number of the post.",
};

/** By tool and argument, where tools differ. */
const OWN_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  msgr_channels_resolve_retrieve: { q: "Link, @handle or messenger id, such as @nsmag." },
  msgr_channels_list: {
    q: "Part of a title or handle, from 3 characters.",
    kind: "`chat`: group chats.",
    ordering: "Always descending.",
  },
  msgr_channels_stats_retrieve: {
    q: "Part of a title or handle, from 3 characters.",
    kind: "`chat`: group chats.",
  },
  msgr_stats_daily_list: { from: "First Moscow day; 29 days ago by default." },
  msgr_channels_compare_list: {
    from: "First Moscow day; by default 30 days before `to`.",
    to: "Last Moscow day; by default the last with a reading.",
  },
  msgr_channels_mentions_list: { kind: "Both by default." },
  msgr_territories_list: { kind: "Level of the tree." },
  msgr_posts_search_list: {
    q: "Words, 2 to 200 characters, such as ипотека.",
    ordering: "`-relevance` ranks the newest 2,000 matches.",
  },
};

/** Words for an argument of a tool; null if the documentation's are used. */
export function argumentWords(tool: string, argument: string): string | null {
  return OWN_WORDS[tool]?.[argument] ?? WORDS[argument] ?? null;
}
