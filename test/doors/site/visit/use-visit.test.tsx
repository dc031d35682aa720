/** @jsxImportSource hono/jsx */
import { expect, test } from "bun:test";
import type { SiteContext } from "../../../../src/doors/site/site-context.ts";
import {
  forVisit,
  page,
  renderedFor,
  useVisit,
  type Visit,
} from "../../../../src/doors/site/visit/visit.ts";

/** Parts of pages find the visit that they are rendered for, whatever is rendered at the same time. */

const context = {} as SiteContext;
const visitOf = (path: string) => ({ path }) as Visit;

/** Lets everything else that is ready go on first, as often as given. */
async function wait(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await new Promise(setImmediate);
}

async function Slow({ times }: { times: number }) {
  const before = useVisit().path;
  await wait(times);
  return (
    <i>
      {before} {useVisit().path} <Leaf />
    </i>
  );
}

function Leaf() {
  return <b>{useVisit().path}</b>;
}

const shown = (path: string) => `<i>${path} ${path} <b>${path}</b></i>`;

test("pages rendered at once never find each other's visits", async () => {
  const pages = Array.from({ length: 50 }, (_, at) => {
    const body = (
      <p>
        <Slow times={(at * 7) % 13} />
        <Leaf />
      </p>
    );
    return forVisit(visitOf(`page ${at}`), context, () => body.toString());
  });
  const rendered = await Promise.all(pages);
  for (const [at, html] of rendered.entries()) {
    expect(String(html)).toBe(`<p>${shown(`page ${at}`)}<b>page ${at}</b></p>`);
  }
});

test("a body rendered for another visit leaves the page's own visit to all else", async () => {
  const inner = page("", <Slow times={5} />);
  const outer = forVisit(visitOf("outer"), context, () => {
    const body = renderedFor(visitOf("inner"), context, () => inner).then((view) => {
      return view.kind === "page" ? view.body : null;
    });
    return (
      <p>
        {body}
        <Slow times={2} />
      </p>
    ).toString();
  });
  expect(String(await outer)).toBe(`<p>${shown("inner")}${shown("outer")}</p>`);
});

test("without a visit, nothing is shown of any", () => {
  expect(() => useVisit()).toThrow("for no visit");
});
