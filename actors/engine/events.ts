/**
 * Declares a kind's events, each as a Schema of type, version and fields. The declaration gives the TypeScript types,
 * the inventory that a node compares a log with, and the full decoding that replay and verification use.
 *
 * A new version of a type is added beside the old one, because the log is never rewritten.
 */
import { Schema, SchemaIssue } from "effect"
import type { Inventory } from "./fold.ts"
import type { Commit } from "../log/commit.ts"

type Head<Type extends string, Version extends number> = {
  readonly type: Schema.Literal<Type>
  readonly v: Schema.Literal<Version>
}

/** Declares an event: a fact in the past tense, with absolute values. `v`: the version of its fields. */
export function event<const Type extends string, const Version extends number>(
  type: Type,
  v: Version
): Schema.Struct<Head<Type, Version>>
export function event<
  const Type extends string,
  const Version extends number,
  const Fields extends Schema.Struct.Fields
>(type: Type, v: Version, fields: Fields): Schema.Struct<Head<Type, Version> & Fields>
export function event(type: string, v: number, fields: Schema.Struct.Fields = {}): Schema.Struct<Schema.Struct.Fields> {
  return Schema.Struct({ type: Schema.Literal(type), v: Schema.Literal(v), ...fields })
}

interface AnyEvent extends Schema.Codec<unknown> {
  readonly fields: {
    readonly type: { readonly literal: string }
    readonly v: { readonly literal: number }
  }
}

export interface EventUnion extends Schema.Codec<unknown> {
  readonly members: ReadonlyArray<AnyEvent>
}

export const inventoryOf = ({ members }: Pick<EventUnion, "members">): Inventory => {
  const newest = new Map<string, number>()
  for (const { fields } of members) {
    newest.set(fields.type.literal, Math.max(fields.v.literal, newest.get(fields.type.literal) ?? 0))
  }
  return Object.fromEntries(newest)
}

/**
 * A commit's events by their TypeScript types. They are not decoded here, because fold.ts has compared them with the
 * inventory.
 */
export const eventsOf = <Declared extends EventUnion>(
  _declared: Declared,
  { events }: Pick<Commit, "events">
): ReadonlyArray<Declared["Type"]> => events as ReadonlyArray<unknown> as ReadonlyArray<Declared["Type"]>

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** An event of the log whose type and version are known, but whose fields differ from the declaration. */
export class MisshapenEvent extends Error {}

/**
 * Throws `MisshapenEvent`, which names the wrong field. Events of an unknown type or version are not decoded. An
 * unknown field is ignored, because a newer release may have added an optional one under the same version.
 */
export const decodeEvent = (
  kind: string,
  { members }: Pick<EventUnion, "members">,
  given: { readonly type: string; readonly v: number }
): void => {
  const member = members.find(({ fields }) => fields.type.literal === given.type && fields.v.literal === given.v)
  if (member === undefined) return
  const problem = shapeProblem(member, given, { onExcessProperty: "ignore" })
  if (problem !== null) throw new MisshapenEvent(`${kind}: ${given.type}@${given.v}: ${problem}`)
}

/** The first field that differs from the declaration, and why; `null` if there is none. */
export const shapeProblem = (
  declared: Schema.Codec<unknown>,
  given: unknown,
  options: { readonly onExcessProperty: "ignore" | "error" }
): string | null => {
  const result = Schema.decodeUnknownResult(declared)(given, options)
  if (result._tag === "Success") return null
  const [first] = issues(result.failure.issue).issues
  const path = (first?.path ?? []).map((key) => (typeof key === "object" ? String(key.key) : String(key))).join(".")
  return `${path}: ${first?.message.split("\n")[0] ?? "is wrong"}`
}
