/**
 * A model's API as small as it can be: it gets tools and messages as JSON, and answers with the next call of
 * its script, or with what it read. It knows nothing but what it is sent, so that a conversation shows what
 * reaches a model through a client.
 */

export interface Turn {
  tool: string;
  arguments: Record<string, unknown>;
}

/** What a conversation is about, the calls that answer it, and the answer as it stands in what was seen. */
export interface Script {
  question: string;
  /** @param seen the texts of all tool results so far */
  turns: ((seen: readonly string[]) => Turn)[];
  answer(seen: readonly string[]): unknown;
}

interface Request {
  tools: { name: string; description: string; input_schema: object }[];
  messages: { role: "user" | "assistant" | "tool"; content: string }[];
}

export function standInModel({ turns, answer }: Script) {
  return {
    /** @param body JSON of a request */
    reply(body: string): { call: Turn } | { answer: unknown } {
      const { tools, messages }: Request = JSON.parse(body);
      const seen = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      const turn = turns[seen.length];
      if (turn === undefined) return { answer: answer(seen) };
      const call = turn(seen);
      const tool = tools.find(({ name }) => name === call.tool);
      if (tool === undefined) throw new Error(`the model was shown no tool ${call.tool}`);
      const { properties } = tool.input_schema as { properties: Record<string, unknown> };
      for (const name of Object.keys(call.arguments)) {
        if (!(name in properties)) throw new Error(`${call.tool} shows no argument ${name}`);
      }
      return { call };
    },
  };
}

/** A client of a program with a model: its tools as the model sees them, and a result as it gets there. */
export interface ModelClient {
  tools(): Promise<Request["tools"]>;
  /** @returns the text that the model is sent */
  call(turn: Turn): Promise<string>;
}

export interface Conversation {
  answer: unknown;
  calls: number;
  /** Arguments and results of the calls. */
  exchanged: string;
}

export async function converse(client: ModelClient, script: Script): Promise<Conversation> {
  const model = standInModel(script);
  const tools = await client.tools();
  const messages: Request["messages"] = [{ role: "user", content: script.question }];
  for (let [calls, exchanged] = [0, ""]; ; calls += 1) {
    const reply = model.reply(JSON.stringify({ tools, messages } satisfies Request));
    if ("answer" in reply) return { answer: reply.answer, calls, exchanged };
    const asked = JSON.stringify(reply.call.arguments);
    const result = await client.call(reply.call);
    exchanged += asked + result;
    messages.push({ role: "assistant", content: asked }, { role: "tool", content: result });
  }
}
