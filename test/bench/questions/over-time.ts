/** Ten questions about words over time, what posts reached, and what rises, each with the calls that answer it. */

const Q = "q=нейросеть";
const YEAR = "from=2023-12-06&to=2024-12-05";
const MONTH = "from=2024-11-06&to=2024-12-05";

export const QUESTIONS_OVER_TIME: readonly (readonly [question: string, ...calls: string[]])[] = [
  [
    "Who wrote about neural networks first?",
    `posts/search/?${Q}&ordering=published_at&limit=3&fields=channel,published_at,snippet,link`,
  ],
  [
    "Neural networks against security, by week",
    `posts/search/stats/?${Q}&${YEAR}&group=week&fields=periods`,
    `posts/search/stats/?q=безопасность&${YEAR}&group=week&fields=periods`,
  ],
  [
    "Who writes about neural networks most, and how much is it read?",
    `posts/search/stats/?${Q}&${YEAR}&fields=posts,views,top_channels`,
  ],
  [
    "How much advertising of courses was there, month by month?",
    `posts/search/stats/?q=курс&is_ad=true&${YEAR}&group=month&fields=posts,channels,periods`,
  ],
  [
    "What was the most read post about neural networks?",
    `posts/search/?${Q}&ordering=-views&limit=1&fields=channel,published_at,views,snippet,link`,
  ],
  [
    "What does advertising in five channels reach after 24 and 48 hours?",
    "channels/?ids=1,2,3,4,5&fields=id,title,metrics",
  ],
  [
    "Which science channels reach most within a day?",
    "channels/?category=science&ordering=-reach_24h&limit=10&fields=id,title,metrics",
  ],
  [
    "What had the posts of a channel reached after 1, 12, 24 and 48 hours?",
    `channels/nsmag/posts/?${MONTH}&limit=20&fields=id,published_at,views,views_1h,views_12h,views_24h,views_48h`,
  ],
  ["What rises now?", "trends/?limit=20&fields=words,channels,channels_usual,growth"],
  [
    "What rose in one region within three days, and in which posts?",
    "trends/?hours=72&territory=moskva&limit=10",
  ],
];
