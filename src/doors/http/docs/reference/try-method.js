// Pages of the reference work without this script; it filters the methods, fills in the key and sends requests.

/** Name of the key in the session storage, which belongs to this tab and ends with it. */
const STORED_AS = "kanalog.key";
const KEY_PLACE = "YOUR_KEY";

const filter = document.querySelector("nav.methods input");
filter.hidden = false;
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const group of document.querySelectorAll("nav.methods > ul > li")) {
    const items = [...group.querySelectorAll("li")];
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.words.includes(word));
    }
    group.hidden = items.every((item) => item.hidden);
  }
});
// One page to the next keeps the place in the list.
document.querySelector("nav.methods [aria-current]")?.scrollIntoView({ block: "nearest" });

const form = document.querySelector("form.try");
if (form !== null) makeTryable(form);

function makeTryable(form) {
  const key = form.querySelector("#key");
  const snippets = [...document.querySelectorAll("[data-snippet]")];
  const texts = snippets.map((snippet) => snippet.textContent);
  key.value = sessionStorage.getItem(STORED_AS) ?? "";
  const fillIn = () => {
    for (const [at, snippet] of snippets.entries()) {
      snippet.textContent = texts[at].replaceAll(KEY_PLACE, key.value || KEY_PLACE);
    }
  };
  fillIn();
  key.addEventListener("input", () => {
    sessionStorage.setItem(STORED_AS, key.value);
    fillIn();
  });
  form.querySelector("button").disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [output, answer] = [form.querySelector("output"), form.querySelector("pre.answer")];
    const begun = performance.now();
    try {
      const response = await fetch(...requestOf(form, key.value));
      const text = await response.text();
      const cost = response.headers.get("x-request-cost");
      const took = Math.round(performance.now() - begun);
      output.textContent = `${response.status} · ${took} ms${cost === null ? "" : ` · X-Request-Cost: ${cost}`}`;
      output.className = response.ok ? "good" : "failed";
      answer.textContent = pretty(text);
    } catch (error) {
      output.textContent = String(error);
      output.className = "failed";
    }
    answer.hidden = false;
  });
}

/** Arguments of `fetch` for what the form contains. */
function requestOf(form, key) {
  const { verb, path, base } = form.dataset;
  let address = path;
  const [query, body] = [new URLSearchParams(), {}];
  for (const { name, value, dataset } of form.querySelectorAll("[data-in]")) {
    if (dataset.in === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && dataset.in === "query") query.append(name, value);
    else if (value !== "") body[name] = parsed(value);
  }
  const hasBody = Object.keys(body).length > 0;
  const headers = {
    ...(key !== "" && { authorization: `Bearer ${key}` }),
    ...(hasBody && { "content-type": "application/json" }),
  };
  const root = new URL(base).pathname.replace(/\/$/, "");
  const url = `${root}${address}${query.size > 0 ? `?${query}` : ""}`;
  return [url, { method: verb, headers, ...(hasBody && { body: JSON.stringify(body) }) }];
}

/** A text as JSON, such as a list or a number, or as it is. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
