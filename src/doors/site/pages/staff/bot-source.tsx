/** @jsxImportSource hono/jsx */
import { BOT_MESSENGERS } from "../../../../catalog/sources/bots.ts";
import { BOT_KINDS, type BotKind } from "../../../../catalog/sources/sources.table.ts";
import { Form, TextField } from "../../look/form.tsx";
import { Steps } from "../../look/steps.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect } from "../../visit/view.ts";
import { currentActor } from "../../visit/viewer.ts";
import { BotPicture } from "./bot-picture.tsx";

/** Page for adding a messenger's bot. */
export const botSourcePath = (kind: BotKind) => `/staff/sources/${kind}/` as const;

/** `/staff/sources/telegram/` and the like, one per messenger: adds a bot step by step. */
export const botSourcePages: readonly SitePage[] = BOT_KINDS.map(botSourcePage);

function botSourcePage(kind: BotKind): SitePage {
  return {
    path: botSourcePath(kind),
    access: "staff",
    async show(visit) {
      const words = visit.words.sourcePages;
      const { api, schedule, name } = BOT_MESSENGERS[kind];
      return page(
        words.addBot(name),
        <>
          <p>{words.botSteps[kind].intro}</p>
          <h2>1. {words.makeBot}</h2>
          <Steps steps={words.botSteps[kind].make} />
          <BotPicture name={`${kind}-make`} />
          <h2>2. {words.giveToken}</h2>
          <Form action="add" words={words}>
            <TextField name="token" type="password" autocomplete="off" />
            <TextField name="name" hint={words.botNameHint} required={false} />
            <TextField name="schedule" value={schedule} />
            <TextField name="api" value={api} />
            <p>
              <button type="submit">{words.testAndAdd}</button>
            </p>
          </Form>
          <h2>3. {words.addToChannel}</h2>
          <p>{words.thenChannels}</p>
        </>,
      );
    },
    actions: {
      async add(visit, { sources }) {
        const { form } = visit;
        const [token, name, schedule, api] = ["token", "name", "schedule", "api"].map((field) =>
          form.get(field),
        ) as [string, string, string, string];
        const { id } = await sources.addBot({ kind, token, name, schedule, api }, currentActor());
        return redirect(`/staff/sources/${id}/?done=botAdded`);
      },
    },
  };
}
