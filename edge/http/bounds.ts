/**
 * Reads the bounds that a schema's check declares (a length, a count or a number), and finds the one that a value
 * breaks.
 */
import { type SchemaAST, SchemaIssue } from "effect"
import { isLongerThan } from "../../schemas/code-points.ts"
import type { ErrorDetails } from "../../schemas/errors.ts"

interface Bounds {
  readonly min: number | null
  readonly max: number | null
}

type Payload = Readonly<Record<string, unknown>>

const MIN_NAMES = ["minimum", "minLength", "minCodePoints", "minProperties"]
const MAX_NAMES = ["maximum", "maxLength", "maxCodePoints", "maxProperties"]

const numberIn = (payload: Payload, names: ReadonlyArray<string>): number | null => {
  for (const name of names) if (typeof payload[name] === "number") return payload[name]
  return null
}

export const boundsOf = ({ annotations }: Pick<SchemaAST.Check<unknown>, "annotations">): Bounds => {
  const own = annotations?.["bounds"]
  const { payload } = (annotations?.["representation"] ?? {}) as { readonly payload?: unknown }
  const told = (own ?? payload ?? {}) as Payload
  return { min: numberIn(told, MIN_NAMES), max: numberIn(told, MAX_NAMES) }
}

/** True if a value outside of its bounds is above them. */
const isAbove = (value: unknown, max: number): boolean => {
  if (typeof value === "number") return value > max
  if (typeof value === "string") return isLongerThan(value, max)
  return Array.isArray(value) && value.length > max
}

/** `rule` and `max` or `min` of the first bound that a value breaks. Empty if it breaks another rule. */
export const brokenBound = (issue: SchemaIssue.Issue, value: unknown): ErrorDetails => {
  if (issue._tag === "Pointer") return brokenBound(issue.issue, at(value, issue.path))
  if (issue._tag === "Encoding") return brokenBound(issue.issue, value)
  if (issue._tag === "Composite" || issue._tag === "AnyOf") {
    const [first] = issue.issues
    return first === undefined ? {} : brokenBound(first, value)
  }
  if (issue._tag !== "Filter") return {}
  const { min, max } = boundsOf(issue.filter)
  if (max !== null && (min === null || isAbove(value, max))) return { rule: "max", max }
  return min === null ? {} : { rule: "min", min }
}

const at = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (part, name) =>
      typeof part === "object" && part !== null ? (part as Readonly<Record<PropertyKey, unknown>>)[name] : undefined,
    value
  )
