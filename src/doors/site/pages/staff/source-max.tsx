/** @jsxImportSource hono/jsx */

import { Form, TextField } from "../../look/form.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { actorOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** `/staff/sources/max/`: a bot of MAX, step by step; its token is tried before anything is kept. */
export const sourceMaxPage: SitePage = {
  path: "/staff/sources/max/",
  access: "staff",
  async show(visit) {
    const words = visit.words.sourcePages;
    const field = { visit, action: "max" };
    return page(
      words.addMax,
      <>
        <p>{words.maxIntro}</p>
        <ol>
          {words.maxSteps.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
        <Form visit={visit} action="max">
          <TextField
            {...field}
            name="token"
            label={words.token}
            hint={words.tokenHint}
            type="password"
            autocomplete="off"
          />
          <TextField
            {...field}
            name="name"
            label={words.name}
            hint={words.botNameHint}
            required={false}
          />
          <p>
            <button type="submit">{words.addBot}</button>
          </p>
        </Form>
      </>,
    );
  },
  actions: { max: add },
};

async function add(visit: Visit, { sources }: SiteContext): Promise<View> {
  const { form } = visit;
  const bot = { kind: "max", token: form.get("token"), name: form.get("name") } as const;
  const { id } = await sources.addBot({ ...bot, api: "", schedule: "" }, actorOf(visit));
  return redirect(`/staff/sources/${id}/?done=added`);
}
