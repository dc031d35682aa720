import exporting from "../catalog/exports/export.md" with { type: "text" };
import exportingRu from "../catalog/exports/export.ru.md" with { type: "text" };
import importing from "../catalog/imports/importing.md" with { type: "text" };
import mentions from "../catalog/mentions/mentions.md" with { type: "text" };
import mentionsRu from "../catalog/mentions/mentions.ru.md" with { type: "text" };
import words from "../catalog/post-search/words.md" with { type: "text" };
import wordsRu from "../catalog/post-search/words.ru.md" with { type: "text" };
import { sourcePictures } from "../catalog/sources/pictures/pictures.ts";
import sources from "../catalog/sources/sources.md" with { type: "text" };
import cluster from "../cluster/cluster.md" with { type: "text" };
import customers from "../customers/customers.md" with { type: "text" };
import conformance from "../doors/cli/conformance.md" with { type: "text" };
import conformanceRu from "../doors/cli/conformance.ru.md" with { type: "text" };
import start from "../doors/cli/start.md" with { type: "text" };
import clients from "../doors/http/docs/clients.md" with { type: "text" };
import clientsRu from "../doors/http/docs/clients.ru.md" with { type: "text" };
import type { Guide } from "../doors/http/docs/guide.ts";
import mcp from "../doors/mcp/mcp.md" with { type: "text" };
import mcpRu from "../doors/mcp/mcp.ru.md" with { type: "text" };
import webhooks from "../push/webhooks/webhooks.md" with { type: "text" };
import webhooksRu from "../push/webhooks/webhooks.ru.md" with { type: "text" };
import operating from "../upkeep/operating.md" with { type: "text" };
import building from "./building.md" with { type: "text" };

/** The guides that the appliance serves, in the order of their navigation bar. */
export const guides: readonly Guide[] = [
  { name: "start", texts: { en: start } },
  { name: "importing", texts: { en: importing } },
  { name: "sources", texts: { en: sources }, pictures: sourcePictures },
  { name: "customers", texts: { en: customers } },
  // Guides for customers are also in Russian.
  { name: "clients", texts: { en: clients, ru: clientsRu } },
  { name: "mentions", texts: { en: mentions, ru: mentionsRu } },
  { name: "words", texts: { en: words, ru: wordsRu } },
  { name: "export", texts: { en: exporting, ru: exportingRu } },
  { name: "webhooks", texts: { en: webhooks, ru: webhooksRu } },
  { name: "mcp", texts: { en: mcp, ru: mcpRu } },
  { name: "conformance", texts: { en: conformance, ru: conformanceRu } },
  { name: "operating", texts: { en: operating } },
  { name: "cluster", texts: { en: cluster } },
  { name: "building", texts: { en: building } },
];
