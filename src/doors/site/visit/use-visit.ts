import { AsyncLocalStorage } from "node:async_hooks";
import { raw } from "hono/html";
import type { SiteContext } from "../site-context.ts";
import type { View } from "./view.ts";
import type { Visit } from "./visit.ts";

interface Rendering {
  visit: Visit;
  context: SiteContext;
}

/**
 * What pages are rendered for. The contexts of hono/jsx keep requests apart too, but while a part with a
 * value of its own awaits something, the parts beside it find that value.
 */
const rendering = new AsyncLocalStorage<Rendering>();

/** Does something for a visit, such as rendering a page: whatever it calls or awaits finds the visit. */
export function forVisit<T>(visit: Visit, context: SiteContext, work: () => T): T {
  return rendering.run({ visit, context }, work);
}

/** What a page shows, with its body already rendered for a visit that the rest of the page does not have. */
export function renderedFor(
  visit: Visit,
  context: SiteContext,
  show: () => View | Promise<View>,
): Promise<View> {
  return forVisit(visit, context, async () => {
    const view = await show();
    return view.kind === "page" ? { ...view, body: raw(await view.body.toString()) } : view;
  });
}

/** The visit that the page is rendered for. */
export function useVisit(): Visit {
  return current().visit;
}

export function useSite(): SiteContext {
  return current().context;
}

function current(): Rendering {
  const found = rendering.getStore();
  if (found === undefined) throw new Error("a part of a page was rendered for no visit");
  return found;
}
