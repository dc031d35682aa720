/** @jsxImportSource hono/jsx */
import { AsyncLocalStorage } from "node:async_hooks";
import { raw } from "hono/html";
import { type Child, Fragment } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset, useVisit } from "../visit/visit.ts";

interface FormProps {
  /** Which of the page's actions it requests. */
  action: string;
  /** Where it is submitted, if not to the page itself. */
  to?: string;
  upload?: boolean;
  /** Set if the answer shows a new secret: reloading must not create another one. */
  once?: boolean;
  className?: string;
  /** False if its faults are shown elsewhere. */
  showsFaults?: boolean;
  /** Labels by the fields' names, and hints, such as `name` and `nameHint`. */
  words?: object | undefined;
  /** Initial values by the fields' names. */
  values?: object | undefined;
  /** Text of the button at its end. */
  submit?: string;
  children?: Child;
}

/** The form that fields are rendered in. */
const ownForm = new AsyncLocalStorage<Pick<FormProps, "action" | "words" | "values">>();

/** Field with the number of the organization that the page was rendered for. */
export const DRAWN_FOR = "drawn-for";

/** Field of a form that is processed only once, with the id of the request that rendered its page. */
export const ONCE = "once";

/** A form whose answer is this page again, with what was typed and what is wrong with it. */
export function Form({
  action,
  to,
  upload,
  once,
  className,
  showsFaults = true,
  words,
  values,
  submit,
  children,
}: FormProps) {
  const visit = useVisit();
  const content = ownForm.run({ action, words, values }, async () =>
    raw(await Fragment({ children }).toString()),
  );
  return (
    <form
      method="post"
      action={to ?? asset(visit.path)}
      enctype={upload ? "multipart/form-data" : undefined}
      class={className}
      novalidate
    >
      <input type="hidden" name="csrf" value={visit.csrf} />
      {visit.membership !== null && (
        <input type="hidden" name={DRAWN_FOR} value={visit.membership.organization.id} />
      )}
      <input type="hidden" name="action" value={action} />
      {once && <input type="hidden" name={ONCE} value={visit.requestId} />}
      {showsFaults && isSent(action) && <Faults messages={visit.faults["non_field_errors"]} />}
      {content}
      {submit !== undefined && <button type="submit">{submit}</button>}
    </form>
  );
}

interface FieldProps {
  name: string;
  /** By default the form's word of this name. */
  label?: string;
  hint?: string | undefined;
  /** Initial value. */
  value?: string;
}

export function TextField({
  type = "text",
  autocomplete,
  required = true,
  ...props
}: FieldProps & { type?: string; autocomplete?: string; required?: boolean }) {
  const value = type === "password" ? "" : typed(props);
  return (
    <Labelled {...props}>
      {(described) => (
        <input
          type={type}
          name={props.name}
          value={value}
          autocomplete={autocomplete}
          required={required}
          {...described}
        />
      )}
    </Labelled>
  );
}

export function TextAreaField({
  required = true,
  ...props
}: FieldProps & { rows: number; required?: boolean }) {
  return (
    <Labelled {...props}>
      {(described) => (
        <textarea name={props.name} rows={props.rows} required={required} {...described}>
          {typed(props)}
        </textarea>
      )}
    </Labelled>
  );
}

/** A choice. @param names labels of options that are only values */
export function SelectField({
  options,
  names = {},
  ...props
}: FieldProps & {
  options: readonly (string | { value: string; label: string })[];
  names?: Readonly<Record<string, string>>;
}) {
  const chosen = typed(props);
  const labelled = options.map((option) =>
    typeof option === "string" ? { value: option, label: names[option] ?? option } : option,
  );
  return (
    <Labelled {...props}>
      {(described) => (
        <select name={props.name} {...described}>
          {labelled.map(({ value, label }) => (
            <option value={value} selected={value === chosen}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function CheckField(props: FieldProps) {
  return (
    <Labelled {...props}>
      {(described) => (
        <input
          type="checkbox"
          name={props.name}
          value="yes"
          checked={typed(props) === "yes"}
          {...described}
        />
      )}
    </Labelled>
  );
}

/** A file; its form has `upload`. Browsers forget it when the page is shown again. */
export function FileField({ accept, ...props }: FieldProps & { accept: string }) {
  return (
    <Labelled {...props}>
      {(described) => (
        <input type="file" name={props.name} accept={accept} required {...described} />
      )}
    </Labelled>
  );
}

function Labelled({
  name,
  label = wordOf(name),
  hint = wordOf(`${name}Hint`),
  children,
}: FieldProps & {
  children: (described: Record<string, string | undefined>) => JSX.Element;
}) {
  const { action } = useForm();
  const id = `${action}-${name}`;
  const messages = isSent(action) ? useVisit().faults[name] : undefined;
  const described = [
    hint === undefined ? "" : `${id}-hint`,
    messages === undefined ? "" : `${id}-fault`,
  ]
    .join(" ")
    .trim();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": messages === undefined ? undefined : "true",
      })}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
      {messages !== undefined && (
        <strong class="fault" id={`${id}-fault`}>
          {messages.join(" ")}
        </strong>
      )}
    </p>
  );
}

/** Whether a page's source shows a fault at one of its forms. */
export function showsFaults(html: string): boolean {
  return /<(p class="fault" role="alert"|p role="alert"|strong class="fault" id=)/.test(html);
}

/** Faults of a form as a whole, or of one of many forms. */
export function Faults({ messages }: { messages: string[] | undefined }) {
  if (messages === undefined) return null;
  return (
    <p class="fault" role="alert">
      {messages.join(" ")}
    </p>
  );
}

function typed({ name, value }: FieldProps): string {
  const { action, values = {} } = useForm();
  if (isSent(action)) return useVisit().form.get(name);
  return value ?? String((values as Record<string, unknown>)[name] ?? "");
}

function wordOf(name: string): string | undefined {
  const word = (useForm().words as Record<string, unknown> | undefined)?.[name];
  return typeof word === "string" ? word : undefined;
}

/** Because a page may have several forms, ids and typed values belong to the form's action. */
function useForm() {
  const form = ownForm.getStore();
  if (form === undefined) throw new Error("a field was rendered outside a form");
  return form;
}

/** Whether this is the submitted form, being shown again. */
export function isSent(action: string): boolean {
  const { form } = useVisit();
  return form.get("action") === action;
}
