/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "../visit/site-path.ts";
import type { Visit } from "../visit/visit.ts";

interface FormProps {
  visit: Visit;
  /** Which of the page's actions it requests. */
  action: string;
  /** Where it is submitted, if not to the page itself. */
  to?: string;
  upload?: boolean;
  /** Set if the answer shows a new secret: reloading must not create another one. */
  once?: boolean;
  className?: string;
  children: Child;
}

/** Field with the number of the organization that the page was rendered for. */
export const DRAWN_FOR = "drawn-for";

/** Field of a form that is processed only once, with the id of the request that rendered its page. */
export const ONCE = "once";

/** A form whose answer is this page again, with what was typed and what is wrong with it. */
export function Form({
  visit,
  action,
  to,
  upload,
  once,
  className,
  children,
}: FormProps): JSX.Element {
  return (
    <form
      method="post"
      action={to ?? asset(visit, visit.path)}
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
      {isSent(visit, action) && <Faults messages={visit.faults["non_field_errors"]} />}
      {children}
    </form>
  );
}

interface FieldProps {
  visit: Visit;
  /** The form's action, because a page may have several forms. */
  action: string;
  name: string;
  label: string;
  hint?: string;
  /** Initial value. */
  value?: string;
}

/** A single line of text. */
export function TextField({
  type = "text",
  autocomplete,
  required = true,
  ...props
}: FieldProps & { type?: string; autocomplete?: string; required?: boolean }): JSX.Element {
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

/** Several lines of text. */
export function TextAreaField({
  required = true,
  ...props
}: FieldProps & { rows: number; required?: boolean }): JSX.Element {
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

export function SelectField({
  options,
  ...props
}: FieldProps & { options: readonly { value: string; label: string }[] }): JSX.Element {
  const chosen = typed(props);
  return (
    <Labelled {...props}>
      {(described) => (
        <select name={props.name} {...described}>
          {options.map(({ value, label }) => (
            <option value={value} selected={value === chosen}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A checkbox. */
export function CheckField(props: FieldProps): JSX.Element {
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
export function FileField({ accept, ...props }: FieldProps & { accept: string }): JSX.Element {
  return (
    <Labelled {...props}>
      {(described) => (
        <input type="file" name={props.name} accept={accept} required {...described} />
      )}
    </Labelled>
  );
}

function Labelled({
  visit,
  action,
  name,
  label,
  hint,
  children,
}: FieldProps & {
  children: (described: Record<string, string | undefined>) => JSX.Element;
}): JSX.Element {
  const id = `${action}-${name}`;
  const messages = isSent(visit, action) ? visit.faults[name] : undefined;
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
export function Faults({ messages }: { messages: string[] | undefined }): JSX.Element | null {
  if (messages === undefined) return null;
  return (
    <p class="fault" role="alert">
      {messages.join(" ")}
    </p>
  );
}

function typed({ visit, action, name, value = "" }: FieldProps): string {
  return isSent(visit, action) ? visit.form.get(name) : value;
}

/** Whether this is the submitted form, being shown again. */
export function isSent({ form }: Visit, action: string): boolean {
  return form.get("action") === action;
}
