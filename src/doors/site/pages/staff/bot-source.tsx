/** @jsxImportSource hono/jsx */
import { BOT_MESSENGERS } from "../../../../catalog/sources/bots/bots.ts";
import { BOT_KINDS, type BotKind } from "../../../../catalog/sources/sources.table.ts";
import { sources } from "../../../../verbs/operator/system/sources.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { Steps } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect } from "../../visit/visit.ts";
import { BotPicture } from "./source-parts.tsx";

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
          <p>{words.demoHint}</p>
          <ActionButton action="demo" fields={{ kind, demo: "yes" }} label={words.addDemo} />
          <h2>1. {words.makeBot}</h2>
          <Steps steps={words.botSteps[kind].make} />
          <BotPicture name={`${kind}-make`} />
          <h2>2. {words.giveToken}</h2>
          <Form action="add" words={words}>
            <input type="hidden" name="kind" value={kind} />
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
      add: verbAction(sources, "add-bot", {
        shows: ({ id }) => redirect(`/staff/sources/${id}/?done=botAdded`),
      }),
      demo: verbAction(sources, "add-bot", {
        shows: ({ id }) => redirect(`/staff/sources/${id}/?done=demoAdded`),
      }),
    },
  };
}
