import type { Histogram, Registry } from "prom-client";

/** In seconds: a card takes 0.1 ms, a query times out after 5 s, a webhook's test after 10. */
const BUCKETS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];

interface Series {
  labels: Record<string, string>;
  /** By bucket; the last one is of what is above all bounds. */
  counts: number[];
  sum: number;
}

/**
 * A histogram of durations, which appears in the registry with the labels that have any. The library's own
 * makes a text of a bound for each value that it counts: a sixth of a kept page's time.
 * @returns makes a series, to which durations in seconds are added
 */
export function createDurations(
  registry: Registry,
  { name, help }: Record<"name" | "help", string>,
) {
  const all: Series[] = [];
  const metric = {
    ...{ name, help, type: "histogram", aggregator: "sum" },
    get: async () => ({
      ...{ name, help, type: "histogram", aggregator: "sum" },
      values: all.flatMap((series) => valuesOf(name, series)),
    }),
  };
  registry.registerMetric(metric as unknown as Histogram);
  return (labels: Series["labels"]) => {
    const series: Series = { labels, counts: Array(BUCKETS.length + 1).fill(0), sum: 0 };
    all.push(series);
    return (seconds: number): void => {
      const found = BUCKETS.findIndex((bound) => seconds <= bound);
      const at = found < 0 ? BUCKETS.length : found;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += seconds;
    };
  };
}

function valuesOf(name: string, { labels, counts, sum }: Series) {
  let count = 0;
  const buckets = counts.map((more, at) => {
    count += more;
    const le = BUCKETS[at] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  if (count === 0) return [];
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
