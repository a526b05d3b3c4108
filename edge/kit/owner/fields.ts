/**
 * Fields of forms with their problems beside them. Typed values stay in the form, except passwords, which are never
 * written into a page.
 */
import { Effect, Result, Schema } from "effect"
import type { ErrorCode, Refusal } from "../../../schemas/errors.ts"
import { issueRefusal } from "../../http/json.ts"
import type { Refused } from "../../http/refused.ts"
import { statusOf } from "../../http/respond.ts"
import { html, type Html, NOTHING } from "../html.ts"

export type Problems = Readonly<Record<string, string>>

export const NO_PROBLEMS: Problems = {}

export interface Field {
  readonly name: string
  readonly label: string
  readonly type?: "text" | "email" | "password"
  /** An HTML autocomplete token, by which browsers fill in known values. */
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: string
  readonly inputmode?: "email" | "numeric"
  readonly isOptional?: boolean
}

type Attributes = Readonly<Record<string, string | null>>

/** An attribute with the value `null` is left out. */
const attributes = (all: Attributes): Html =>
  html`${Object.entries(all).map(([name, value]) => (value === null ? null : html` ${name}="${value}"`))}`

/** The fields of one form. `form` makes ids unique on the page. The first field with a problem gets the focus. */
export const fieldsOf = (form: string, fields: ReadonlyArray<Field>, problems: Problems): Html => {
  const first = fields.find(({ name }) => problems[name] !== undefined)
  return html`${fields.map((field) => written(form, field, problems[field.name], field === first))}`
}

const written = (
  form: string,
  { name, label, type = "text", autocomplete, value, hint, inputmode, isOptional = false }: Field,
  problem: string | undefined,
  isFirst: boolean
): Html => {
  const id = `${form}-${name}`
  const told = [hint === undefined ? [] : [`${id}-hint`], problem === undefined ? [] : [`${id}-problem`]].flat()
  const more = attributes({
    id,
    name,
    type,
    autocomplete,
    inputmode: inputmode ?? null,
    value: type === "password" || value === undefined ? null : value,
    required: isOptional ? null : "required",
    "aria-describedby": told.length === 0 ? null : told.join(" "),
    "aria-invalid": problem === undefined ? null : "true",
    autofocus: isFirst ? "autofocus" : null
  })
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint === undefined ? null : html`<p class="faint" id="${id}-hint">${hint}</p>\n`}<input${more}>
${problem === undefined ? null : html`<p class="problem" id="${id}-problem">${problem}</p>\n`}</div>
`
}

export const hidden = (name: string, value: string | null): Html =>
  value === null ? NOTHING : html`<input type="hidden" name="${name}" value="${value}">\n`

/** A field that tells a password manager to whom the password belongs. It is invisible and not sent. */
export const whosePassword = (email: string): Html =>
  html`<input type="text" autocomplete="username" value="${email}" hidden>\n`

/** Checks a field's value by its schema. Returns the problem or `null`. */
export const checkOf = (label: string, schema: Schema.ConstraintDecoder<string>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: string | undefined): string | null => {
    const decoded = decode(value ?? "")
    return Result.isFailure(decoded) ? issueRefusal(decoded.failure.issue, value, label).message : null
  }
}

export type Checks = Readonly<Record<string, (value: string | undefined) => string | null>>

export const checked = (checks: Checks, form: Readonly<Record<string, string | undefined>>): Problems =>
  Object.fromEntries(
    Object.entries(checks).flatMap(([name, check]) => {
      const problem = check(form[name])
      return problem === null ? [] : [[name, problem]]
    })
  )

const areProblems = (problems: Problems): boolean => Object.keys(problems).length > 0

export type ActionEnd<A> =
  | { readonly ok: true; readonly value: A }
  | {
      readonly ok: false
      readonly status: number
      readonly problems: Problems
      /** Seconds until the form may be sent again. */
      readonly retryAfter?: number | undefined
    }

/** The field and text of a problem, by a refusal's code. */
export type FieldProblems = Readonly<Partial<Record<ErrorCode, readonly [field: string, problem: string]>>>

/** The problems of a refusal. If it names a field of the form, its message; otherwise the page's text for its code. */
const problemsOf = (
  { code, message, details }: Refusal,
  names: ReadonlyArray<string>,
  told: FieldProblems
): Problems => {
  const field = details?.["field"]
  if (typeof field === "string" && names.includes(field))
    return { [field]: message.charAt(0).toUpperCase() + message.slice(1) }
  const beside = told[code]
  return beside === undefined ? NO_PROBLEMS : { [beside[0]]: beside[1] }
}

/**
 * Runs `act` if the fields have no problems. A refusal that names a field, or whose code is in `told`, becomes a
 * problem. All others fail.
 */
export const ended = <A>(
  problems: Problems,
  names: ReadonlyArray<string>,
  told: FieldProblems,
  act: Effect.Effect<A, Refused>
): Effect.Effect<ActionEnd<A>, Refused> => {
  if (areProblems(problems)) return Effect.succeed({ ok: false, status: 422, problems })
  return Effect.catch(
    Effect.map(act, (value): ActionEnd<A> => ({ ok: true, value })),
    (failed) => {
      const beside = problemsOf(failed.refusal, names, told)
      if (!areProblems(beside)) return Effect.fail(failed)
      // 401 needs a header that pages do not have.
      const status = statusOf(failed.refusal)
      const { retryAfter } = failed.refusal
      return Effect.succeed({ ok: false, status: status === 401 ? 422 : status, problems: beside, retryAfter } as const)
    }
  )
}
