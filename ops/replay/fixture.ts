/**
 * An actor's history as a file: for a test, a ticket or another machine. Secrets are masked, so it folds and decides
 * like the original, except for decisions that depend on a secret.
 */
import type { Commit, LogEntry } from "../../actors/log/commit.ts"
import { kindOf } from "./fold.ts"
import { Masker } from "./masks.ts"

/** A text that can be one token of a subject. */
const ID = /^[^\s.*>]{1,128}$/
/** The last moment that a Date can hold, in Unix ms. */
const TIME_MAX = 8.64e15

export interface Fixture {
  readonly format: 1
  readonly kind: string
  readonly id: string
  readonly commits: ReadonlyArray<LogEntry>
}

export class FixtureFault extends Error {}

export const fixtureOf = (
  kind: string,
  id: string,
  entries: ReadonlyArray<LogEntry>,
  masker = new Masker({ passedOn: true })
): Fixture => {
  return { format: 1, kind, id, commits: entries.map(({ seq, commit }) => ({ seq, commit: masker.mask(commit) })) }
}

/** One commit per line, so that a comparison shows what was added. */
export const fixtureText = ({ format, kind, id, commits }: Fixture): string =>
  `{"format":${format},"kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)},"commits":[\n` +
  `${commits.map((entry) => JSON.stringify(entry)).join(",\n")}\n]}\n`

export const readFixture = (text: string): Fixture => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new FixtureFault(`this is no JSON: ${String(error instanceof Error ? error.message : error)}`)
  }
  if (!isFields(value)) throw new FixtureFault("a fixture is an object")
  if (value["format"] !== 1) throw new FixtureFault("`format` must be 1")
  const { kind, id, commits } = value
  if (typeof kind !== "string" || kindOf(kind) === undefined)
    throw new FixtureFault("`kind` must be an actor kind of this service")
  if (typeof id !== "string" || !ID.test(id)) throw new FixtureFault("`id` must be the actor's id")
  if (!Array.isArray(commits)) throw new FixtureFault("`commits` must be a list")
  commits.forEach((entry: unknown, index) => refuseEntry(entry, index, commits[index - 1]))
  return { format: 1, kind, id, commits: commits as ReadonlyArray<LogEntry> }
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const refuseEntry = (entry: unknown, index: number, before: unknown): void => {
  const where = `commits[${index}]`
  if (!isFields(entry)) throw new FixtureFault(`\`${where}\` must be an object`)
  const { seq, commit } = entry
  if (!Number.isInteger(seq) || Number(seq) <= (isFields(before) ? Number(before["seq"]) : 0))
    throw new FixtureFault(`\`${where}.seq\` must be a whole number, greater than the one before`)
  if (!isFields(commit)) throw new FixtureFault(`\`${where}.commit\` must be an object`)
  for (const [name, type] of Object.entries(COMMIT_FIELDS)) {
    if (typeof commit[name] !== type) throw new FixtureFault(`\`${where}.commit.${name}\` must be a ${type}`)
  }
  if (!(Math.abs(Number(commit["at"])) <= TIME_MAX)) throw new FixtureFault(`\`${where}.commit.at\` must be a time`)
  const { events } = commit
  if (
    !Array.isArray(events) ||
    !events.every((event) => isFields(event) && typeof event["type"] === "string" && typeof event["v"] === "number")
  ) {
    throw new FixtureFault(`\`${where}.commit.events\` must be a list of events, each with \`type\` and \`v\``)
  }
}

const COMMIT_FIELDS = { v: "number", id: "string", op: "string", at: "number" } as const satisfies Partial<
  Record<keyof Commit, string>
>
