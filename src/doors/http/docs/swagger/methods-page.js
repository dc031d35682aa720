// Shows each operation's snippets above its answers, with the reader's own address and key in them.

/** Placeholder for the key in the document's snippets. */
const KEY_PLACE = "YOUR_KEY";
/** Name of the key in the session storage, which belongs to this tab and ends with it. */
const STORED_AS = "kanalog.key";
const SECURITY_SCHEME = "apiKey";

/** A value that redraws the parts of the page that show it when it changes. */
function observable(first) {
  let value = first;
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const language = observable("curl");
/** Beginning of a key of the person who is signed in; null if nobody is. */
const prefix = observable(null);

fetch("../../account/keys/prefix/")
  .then((answer) => answer.json())
  .then((own) => prefix.set(own.prefix))
  .catch(() => {});

/** The key for trying requests, entered beside a snippet or in Swagger UI's dialog; empty if there is none. */
function keyOf({ authSelectors }) {
  return authSelectors.authorized()?.getIn([SECURITY_SCHEME, "value"]) ?? "";
}

/**
 * Plugin for Swagger UI that resolves the references of an operation when it is opened. Swagger UI itself
 * resolves the whole document each time, which takes a second. All references lead to components, and none back
 * to itself.
 */
function operationsPlugin() {
  const at = (document, path) => path.reduce((part, name) => part?.[name], document);

  function resolved(document, part) {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((one) => resolved(document, one));
    if (typeof part.$ref === "string") {
      const referred = resolved(document, at(document, part.$ref.split("/").slice(1)));
      // Swagger UI reads a schema's name from this.
      return { ...referred, $$ref: part.$ref };
    }
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, resolved(document, value)]),
    );
  }

  return {
    fn: {
      resolveSubtree: async (document, path) => ({
        spec: resolved(document, at(document, path)),
        errors: [],
      }),
    },
  };
}

/** Plugin for Swagger UI that shows the snippets. */
function snippetsPlugin(system) {
  const { createElement: h, Fragment, useEffect, useRef, useState } = system.React;
  const { useSyncExternalStore } = system.React;
  const use = ({ subscribe, get }) => useSyncExternalStore(subscribe, get);
  const useKey = () =>
    useSyncExternalStore(system.getStore().subscribe, () => keyOf(system.getSystem()));

  function Snippets({ path, method }) {
    const [chosen, own, key] = [use(language), use(prefix), useKey()];
    const place = useRef(null);
    useEffect(() => labelSelects(place.current));
    const samples = system.specSelectors.specJson().getIn(["paths", path, method, "x-codeSamples"]);
    if (samples === undefined) return null;
    const all = samples.toJS();
    const { source } = all.find(({ label }) => label === chosen);
    const beginning = own === null ? KEY_PLACE : `${own}…`;
    const choices = all.map(({ label }) =>
      h(
        "button",
        {
          key: label,
          type: "button",
          className: "btn",
          "aria-pressed": label === chosen,
          onClick: () => language.set(label),
        },
        label,
      ),
    );
    const text = source.replaceAll(KEY_PLACE, () => (key === "" ? beginning : key));
    return h(
      "div",
      { className: "snippets", role: "group", "aria-label": "Request as code", ref: place },
      h("div", { className: "opblock-section-header" }, h("h4", null, "Request"), ...choices),
      own !== null && key === "" && h(KeyForm, { own }),
      h("pre", { className: "microlight", tabIndex: 0 }, h("code", null, text)),
      h(Copy, { key: text, text }),
    );
  }

  /** Labels the operation's selects with their parameters' names, as Swagger UI does for its other fields. */
  function labelSelects(within) {
    const rows = within?.closest(".opblock").querySelectorAll("tr[data-param-name]") ?? [];
    for (const row of rows) {
      row.querySelector("select")?.setAttribute("aria-label", row.dataset.paramName);
    }
  }

  /** Asks for the key, of which the page only knows the beginning. */
  function KeyForm({ own }) {
    const fillIn = (event) => {
      event.preventDefault();
      const value = new FormData(event.target).get("key").trim();
      ui.preauthorizeApiKey(SECURITY_SCHEME, value);
    };
    return h(
      "form",
      { onSubmit: fillIn },
      h("label", null, `Your key that begins with ${own} `, keyField()),
      h("button", { type: "submit", className: "btn" }, "Fill in"),
      h("small", null, "It stays in this tab, and is sent only to this appliance."),
    );
  }

  function keyField() {
    return h("input", {
      name: "key",
      type: "password",
      autoComplete: "off",
      required: true,
      pattern: "\\s*knl_(ro|rw)_[0-9A-Za-z]{38}\\s*",
      title: "knl_ro_ or knl_rw_ and 38 letters and digits",
    });
  }

  function Copy({ text }) {
    const [isCopied, setCopied] = useState(false);
    // Browsers offer no clipboard to a page loaded over plain http from another machine.
    if (!navigator.clipboard) return null;
    const copy = async () => {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    };
    return h(
      "button",
      { type: "button", className: "btn", onClick: copy },
      isCopied ? "Copied" : "Copy",
    );
  }

  return {
    wrapComponents: {
      responses: (Responses) => (props) =>
        h(Fragment, null, h(Snippets, props), h(Responses, props)),
    },
  };
}

/** Plugin for Swagger UI that corrects what screen readers announce wrongly. */
function outlinePlugin({ React }) {
  const { createElement } = React;
  React.createElement = (type, props, ...children) => {
    const given = props?.className ?? "";
    // The page has a `main` already, and Swagger UI adds another one within it.
    if (type === "main") return createElement("div", props, ...children);
    // An example may be wider than its box, which must be scrollable by keyboard.
    if (type === "pre") return createElement(type, { tabIndex: 0, ...props }, ...children);
    // Swagger UI gives tables the role of a region, which hides that they are tables.
    if (type === "table") return createElement(type, { ...props, role: undefined }, ...children);
    // The heading of the schemas follows the methods, whose headings are two levels higher.
    if (type === "h4" && children[0]?.props?.className === "models-control") {
      return createElement(type, { ...props, "aria-level": 2 }, ...children);
    }
    if (type === "textarea" && given.includes("body-param__text")) {
      return createElement(type, { ...props, "aria-label": "Request body" }, ...children);
    }
    if (type === "button" && given === "close-modal") {
      return createElement(type, { ...props, "aria-label": "Close" }, ...children);
    }
    // The label must be the visible text.
    if (type === "button" && given.includes("modal-btn")) {
      return createElement(type, { ...props, "aria-label": undefined }, ...children);
    }
    return createElement(type, props, ...children);
  };
  return {
    wrapComponents: {
      // Swagger UI puts a link into the button that opens the operation.
      DeepLink:
        () =>
        ({ text }) =>
          createElement("span", null, text),
    },
  };
}

/** Without syntax highlighting, because the tree of territories would freeze the page for seconds. */
const ui = SwaggerUIBundle({
  url: document.querySelector("#swagger-ui").dataset.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [outlinePlugin, operationsPlugin, snippetsPlugin],
  onComplete() {
    const stored = sessionStorage.getItem(STORED_AS);
    if (stored !== null) ui.preauthorizeApiKey(SECURITY_SCHEME, stored);
    ui.getStore().subscribe(() => {
      const key = keyOf(ui.getSystem());
      if (key === "") sessionStorage.removeItem(STORED_AS);
      else sessionStorage.setItem(STORED_AS, key);
    });
  },
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
