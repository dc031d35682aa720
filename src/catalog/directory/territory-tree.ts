import { TERRITORY_KINDS, type TerritoryKind } from "./directory.table.ts";

interface Node {
  slug: string;
  kind: TerritoryKind;
  parent: string | null;
}

/** Whether `parent` may be above `child`: levels go from the country down. */
export function mayContain(parent: TerritoryKind, child: TerritoryKind): boolean {
  return TERRITORY_KINDS.indexOf(parent) < TERRITORY_KINDS.indexOf(child);
}

/**
 * Nodes in tree order with their paths: parents first, each followed by its branch, siblings in the given
 * order.
 */
export function inTreeOrder<T extends Node>(nodes: readonly T[]): (T & { path: string })[] {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const ordered: (T & { path: string })[] = [];
  const visit = (parent: string | null, pathBefore: string): void => {
    for (const node of children.get(parent) ?? []) {
      const path = pathBefore + node.slug;
      ordered.push({ ...node, path });
      visit(node.slug, `${path}/`);
    }
  };
  visit(null, "");
  return ordered;
}

/** Counts by slug, each including all nodes below it. */
export function withDescendants(
  nodes: readonly { slug: string; path: string }[],
  own: ReadonlyMap<string, number>,
): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { slug, path } of nodes) {
    const count = own.get(slug) ?? 0;
    for (const ancestor of path.split("/")) {
      totals.set(ancestor, (totals.get(ancestor) ?? 0) + count);
    }
  }
  return totals;
}
