// Adds each operation's snippets above its answers, with the reader's own address and key in them.

/** Stands in the document's snippets where a key is to be. */
const KEY_PLACE = "YOUR_KEY";
/** The name of the key in the storage of this tab alone, which ends with the tab. */
const KEPT_AS = "kanalog.key";
const SECURITY_SCHEME = "apiKey";

/** A value that parts of the page show, and are drawn anew with. */
function shown(first) {
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

const language = shown("curl");
/** How the key of somebody who is signed in begins; null for a stranger. */
const prefix = shown(null);

fetch("../account/keys/prefix/")
  .then((answer) => answer.json())
  .then((own) => prefix.set(own.prefix))
  .catch(() => {});

/** The key that requests are tried with, given beside a snippet or in Swagger UI's dialog; else empty. */
function keyOf({ authSelectors }) {
  return authSelectors.authorized()?.getIn([SECURITY_SCHEME, "value"]) ?? "";
}

/**
 * The plug-in of Swagger UI that reads an operation when it is opened. By itself Swagger UI reads the whole
 * document for each, which takes a second; its references lead to components, and none back to itself.
 */
function operationsPlugin() {
  const at = (document, path) => path.reduce((part, name) => part?.[name], document);

  function resolved(document, part) {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((one) => resolved(document, one));
    if (typeof part.$ref === "string") {
      const referred = resolved(document, at(document, part.$ref.split("/").slice(1)));
      // By this the page knows how a schema is called.
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

/** The plug-in of Swagger UI that draws the snippets. */
function snippetsPlugin(system) {
  const { createElement: h, Fragment, useEffect, useRef, useState } = system.React;
  const { useSyncExternalStore } = system.React;
  const use = ({ subscribe, get }) => useSyncExternalStore(subscribe, get);
  const useKey = () =>
    useSyncExternalStore(system.getStore().subscribe, () => keyOf(system.getSystem()));

  function Snippets({ path, method }) {
    const [chosen, own, key] = [use(language), use(prefix), useKey()];
    const place = useRef(null);
    useEffect(() => nameSelects(place.current));
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

  /** Calls the operation's selects as their parameters, which Swagger UI does for its other fields alone. */
  function nameSelects(within) {
    const rows = within?.closest(".opblock").querySelectorAll("tr[data-param-name]") ?? [];
    for (const row of rows) {
      row.querySelector("select")?.setAttribute("aria-label", row.dataset.paramName);
    }
  }

  /** Asks for the key of which the page knows the beginning alone. */
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
      h("small", null, "It stays in this tab, and goes to this appliance alone."),
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
    // Browsers have no clipboard for a page that came over plain http from another machine.
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

/** The plug-in of Swagger UI that mends what screen readers stumble over. */
function outlinePlugin({ React }) {
  const { createElement } = React;
  React.createElement = (type, props, ...children) => {
    const given = props?.className ?? "";
    // The page has its `main`, and Swagger UI draws one more within it.
    if (type === "main") return createElement("div", props, ...children);
    // An example may be wider than its box, which the keyboard is to scroll.
    if (type === "pre") return createElement(type, { tabIndex: 0, ...props }, ...children);
    // As a region of the page it would be no table any more.
    if (type === "table") return createElement(type, { ...props, role: undefined }, ...children);
    // The heading of the schemas comes after those of the methods, two levels above it.
    if (type === "h4" && children[0]?.props?.className === "models-control") {
      return createElement(type, { ...props, "aria-level": 2 }, ...children);
    }
    if (type === "textarea" && given.includes("body-param__text")) {
      return createElement(type, { ...props, "aria-label": "Request body" }, ...children);
    }
    if (type === "button" && given === "close-modal") {
      return createElement(type, { ...props, "aria-label": "Close" }, ...children);
    }
    // It is called as it is shown.
    if (type === "button" && given.includes("modal-btn")) {
      return createElement(type, { ...props, "aria-label": undefined }, ...children);
    }
    return createElement(type, props, ...children);
  };
  return {
    wrapComponents: {
      // A link within the button that opens the operation.
      DeepLink:
        () =>
        ({ text }) =>
          createElement("span", null, text),
    },
  };
}

/** Starts Swagger UI without colours: it would freeze for seconds over the tree of territories. */
const ui = SwaggerUIBundle({
  url: "json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [outlinePlugin, operationsPlugin, snippetsPlugin],
  onComplete() {
    const kept = sessionStorage.getItem(KEPT_AS);
    if (kept !== null) ui.preauthorizeApiKey(SECURITY_SCHEME, kept);
    ui.getStore().subscribe(() => {
      const key = keyOf(ui.getSystem());
      if (key === "") sessionStorage.removeItem(KEPT_AS);
      else sessionStorage.setItem(KEPT_AS, key);
    });
  },
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
