import { KEY_PLACE } from "../../../customers/keys/connect-snippets.ts";
import { type Described, pathFor } from "../../../verbs/method.ts";
import type { ExampleCall } from "./examples.ts";
import { WRITTEN_ADDRESS } from "./guide-html.ts";

/** A request as code, in the form of the OpenAPI extension `x-codeSamples`. */
export interface Snippet {
  lang: "Shell" | "TypeScript" | "Python";
  label: string;
  source: string;
}

/** Parts of a request that code in any language needs. */
interface Parts {
  verb: string;
  /** URL without the query. */
  url: string;
  query: [string, unknown][];
  /** Null if there is none. */
  body: Record<string, unknown> | null;
  answer: keyof typeof TYPESCRIPT;
}

/** A method's example as code that needs only the language itself. */
export function snippetsOf(method: Described, example: ExampleCall): Snippet[] {
  const parts = partsOf(method, example.arguments);
  return [
    { lang: "Shell", label: "curl", source: curlOf(parts) },
    { lang: "TypeScript", label: "TypeScript", source: typescriptOf(parts) },
    { lang: "Python", label: "Python", source: pythonOf(parts) },
  ];
}

function partsOf(method: Described, values: ExampleCall["arguments"]): Parts {
  const { verb, takes, parameters, status, fileTypes } = method;
  const placed = (place: string) =>
    Object.entries(values).filter(([name]) => parameters[name]?.in === place);
  const fields = placed("body");
  const body = takes !== undefined && fields.length > 0 ? Object.fromEntries(fields) : null;
  const url = WRITTEN_ADDRESS + pathFor(method, values);
  const answered = fileTypes === undefined ? "json" : "file";
  const answer = status === 204 ? "none" : answered;
  return { verb, url, query: placed("query"), body, answer };
}

function curlOf({ verb, url, query, body }: Parts): string {
  const isPlain = verb === "GET" || (verb === "POST" && body !== null);
  const lines = [
    `curl ${query.length > 0 ? "-G " : ""}${isPlain ? "" : `-X ${verb} `}"${url}"`,
    `  -H "Authorization: Bearer ${KEY_PLACE}"`,
    ...query.map(([name, value]) => `  --data-urlencode "${name}=${value}"`),
    ...(body === null
      ? []
      : ['  -H "Content-Type: application/json"', `  -d '${JSON.stringify(body)}'`]),
  ];
  return lines.join(" \\\n");
}

/** Expression that reads the answer. */
const TYPESCRIPT = {
  json: "await response.json()",
  file: "await response.text()",
  none: "response.status",
};
const PYTHON = {
  json: "json.load(response)",
  file: "response.read().decode()",
  none: "response.status",
};

function typescriptOf({ verb, url, query, body, answer }: Parts): string {
  const texts = Object.fromEntries(query.map(([name, value]) => [name, String(value)]));
  const address = query.length > 0 ? `\`${url}?\${query}\`` : `"${url}"`;
  const lines = [
    ...(query.length > 0 ? [`const query = new URLSearchParams(${typescriptValue(texts)});`] : []),
    `const response = await fetch(${address}, {`,
    ...(verb === "GET" ? [] : [`  method: "${verb}",`]),
    ...(body === null
      ? [`  headers: { Authorization: "Bearer ${KEY_PLACE}" },`]
      : [
          "  headers: {",
          `    Authorization: "Bearer ${KEY_PLACE}",`,
          '    "Content-Type": "application/json",',
          "  },",
          `  body: JSON.stringify(${typescriptValue(body)}),`,
        ]),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    `console.log(${TYPESCRIPT[answer]});`,
  ];
  return lines.join("\n");
}

function pythonOf({ verb, url, query, body, answer }: Parts): string {
  const imports = [
    ...(answer === "json" || body !== null ? ["import json"] : []),
    ...(query.length > 0 ? ["from urllib.parse import urlencode"] : []),
    "from urllib.request import Request, urlopen",
  ];
  // As strings, because Python would write its own form, such as `False`.
  const texts = query.map(([name, one]) => [name, typeof one === "boolean" ? String(one) : one]);
  const lines = [
    ...imports,
    "",
    ...(query.length > 0 ? [`query = urlencode(${pythonValue(Object.fromEntries(texts))})`] : []),
    "request = Request(",
    query.length > 0 ? `    f"${url}?{query}",` : `    "${url}",`,
    ...(verb === "GET" ? [] : [`    method="${verb}",`]),
    ...(body === null
      ? [`    headers={"Authorization": "Bearer ${KEY_PLACE}"},`]
      : [
          "    headers={",
          `        "Authorization": "Bearer ${KEY_PLACE}",`,
          '        "Content-Type": "application/json",',
          "    },",
          `    data=json.dumps(${pythonValue(body)}).encode(),`,
        ]),
    ")",
    "with urlopen(request) as response:",
    `    print(${PYTHON[answer]})`,
  ];
  return lines.join("\n");
}

/** A TypeScript literal; parameter names need no quotes. */
function typescriptValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typescriptValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${name}: ${typescriptValue(one)}`);
  return `{ ${members.join(", ")} }`;
}

function pythonValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `"${name}": ${pythonValue(one)}`);
  return `{${members.join(", ")}}`;
}
