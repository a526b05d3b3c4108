/**
 * Fields of forms, with what is wrong with them beside them. What was typed stays, but for passwords, which are never
 * written into a page.
 */
import { Effect, Result, Schema } from "effect"
import type { ErrorCode, Refusal } from "../../../schemas/errors.ts"
import { issueRefusal } from "../../http/json.ts"
import type { Refused } from "../../http/refused.ts"
import { statusOf } from "../../http/respond.ts"
import { html, type Html, NOTHING } from "../html.ts"

/** By the name of the field. */
export type Problems = Readonly<Record<string, string>>

export const NO_PROBLEMS: Problems = {}

export interface Field {
  readonly name: string
  readonly label: string
  readonly type?: "text" | "email" | "password"
  /** A standard token of HTML: browsers fill in what they know by it. */
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: string
  readonly inputmode?: "email" | "numeric"
  readonly isOptional?: boolean
}

type Attributes = Readonly<Record<string, string | null>>

/** `null`: without it. */
const attributes = (all: Attributes): Html =>
  html`${Object.entries(all).map(([name, value]) => (value === null ? null : html` ${name}="${value}"`))}`

/** Fields of one form, whose name tells them from those of others on the page. The first that is wrong is focused. */
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

/** Tells a browser that keeps passwords whose one is: seen by nobody, and not sent. */
export const whosePassword = (email: string): Html =>
  html`<input type="text" autocomplete="username" value="${email}" hidden>\n`

/** Of a field's value, by its schema: what is wrong with it, or `null`. */
export const checkOf = (label: string, schema: Schema.ConstraintDecoder<string>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: string | undefined): string | null => {
    const decoded = decode(value ?? "")
    return Result.isFailure(decoded) ? issueRefusal(decoded.failure.issue, value, label).message : null
  }
}

export type Checks = Readonly<Record<string, (value: string | undefined) => string | null>>

/** Everything that is wrong, at once. */
export const checked = (checks: Checks, form: Readonly<Record<string, string | undefined>>): Problems =>
  Object.fromEntries(
    Object.entries(checks).flatMap(([name, check]) => {
      const problem = check(form[name])
      return problem === null ? [] : [[name, problem]]
    })
  )

const areProblems = (problems: Problems): boolean => Object.keys(problems).length > 0

/** A form that came to its end, or what stands beside its fields. */
export type Ended<A> =
  | { readonly ok: true; readonly value: A }
  | {
      readonly ok: false
      readonly status: number
      readonly problems: Problems
      /** Seconds, where it may be sent again later. */
      readonly retryAfter?: number | undefined
    }

/** By a refusal's code: beside which field it is said, and how. */
export type Told = Readonly<Partial<Record<ErrorCode, readonly [field: string, problem: string]>>>

/** What of a refusal stands beside a field: how it names that field, or what the page says of its code. */
const problemsOf = ({ code, message, details }: Refusal, names: ReadonlyArray<string>, told: Told): Problems => {
  const field = details?.["field"]
  if (typeof field === "string" && names.includes(field))
    return { [field]: message.charAt(0).toUpperCase() + message.slice(1) }
  const beside = told[code]
  return beside === undefined ? NO_PROBLEMS : { [beside[0]]: beside[1] }
}

/**
 * `act`, where nothing is wrong with the fields. What it is refused with is said beside the field that it names, or in
 * words of the page's own. Everything else is refused as ever.
 */
export const ended = <A>(
  problems: Problems,
  names: ReadonlyArray<string>,
  told: Told,
  act: Effect.Effect<A, Refused>
): Effect.Effect<Ended<A>, Refused> => {
  if (areProblems(problems)) return Effect.succeed({ ok: false, status: 422, problems })
  return Effect.catch(
    Effect.map(act, (value): Ended<A> => ({ ok: true, value })),
    (failed) => {
      const beside = problemsOf(failed.refusal, names, told)
      if (!areProblems(beside)) return Effect.fail(failed)
      // 401 belongs to a header that pages have not.
      const status = statusOf(failed.refusal)
      const { retryAfter } = failed.refusal
      return Effect.succeed({ ok: false, status: status === 401 ? 422 : status, problems: beside, retryAfter } as const)
    }
  )
}
