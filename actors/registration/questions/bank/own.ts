/**
 * A deployment's own bank: a folder of `.json` (one array) and `.jsonl` (one record a line) files, read once at the
 * start.
 *
 * - A record is a question of its own, a relation, a measure, or words to tell with; `ops/docs/questions.md` shows
 *   each.
 * - Everything is decoded and bounded; the first record that is wrong is told in one line that names file, record and
 *   field.
 * - Its relations and measures weigh together as much as ours, however few they are: half of the people in the stories
 *   are known by facts that stand in no public source.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Result, Schema, SchemaIssue } from "effect"
import { grade } from "../grade.ts"
import { MAX_ANSWER_CHARS, MAX_PROMPT_CHARS } from "../question.ts"
import type { FormatRule } from "../question.ts"
import { FAMILIES } from "../families.ts"
import { randomFromSeed, SEED_BYTES } from "../random.ts"
import { REMARK_SLOTS, wordingKey } from "./bank.ts"
import type { Bank, Measure, OwnQuestion, Relation, RemarkKind } from "./bank.ts"
import { OUR_BANK } from "./index.ts"

export const MAX_FILES = 100
export const MAX_FILE_BYTES = 1_000_000
export const MAX_RECORDS = 20_000
const MAX_PHRASE_CHARS = 80
const MAX_FRAME_CHARS = 120
const MAX_PHRASES = 40
export const ACTS = ["up", "down", "give"]
const MAX_PAIRS = 2000
const MIN_PAIRS = 4
const MIN_MEASURE = 2
const MAX_MEASURE = 100

const phrase = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(MAX_PHRASE_CHARS),
  Schema.isPattern(/^[^\p{Cc}{}]*$/u)
)
/** With `{}` where the key or the value goes. */
const template = Schema.String.check(
  Schema.isMaxLength(MAX_PHRASE_CHARS),
  Schema.isPattern(/^[^\p{Cc}{}]*\{\}[^\p{Cc}{}]*$/u)
)
const templates = Schema.Array(template).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PHRASES))

/** Words around slots; which slots is looked at by kind. */
const frames = Schema.Array(
  Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(MAX_FRAME_CHARS),
    Schema.isPattern(/^(?:[^\p{Cc}{}]|\{[a-z]\})*$/u)
  )
).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PHRASES))

const RECORDS = {
  question: Schema.Struct({
    type: Schema.Literal("question"),
    prompt: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PROMPT_CHARS - 1)),
    answer: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(MAX_ANSWER_CHARS)),
    kind: Schema.Literals(["number", "word", "time", "time12"]),
    format: Schema.optionalKey(Schema.Literals(["json", "exact"]))
  }),
  relation: Schema.Struct({
    type: Schema.Literal("relation"),
    name: phrase,
    intro: templates,
    ref: templates,
    pairs: Schema.Array(Schema.Tuple([phrase, phrase])).check(
      Schema.isMinLength(MIN_PAIRS),
      Schema.isMaxLength(MAX_PAIRS)
    )
  }),
  measure: Schema.Struct({
    type: Schema.Literal("measure"),
    n: Schema.Int.check(Schema.isBetween({ minimum: MIN_MEASURE, maximum: MAX_MEASURE })),
    phrase
  }),
  clause: Schema.Struct({
    type: Schema.Literal("clause"),
    family: phrase,
    act: Schema.Literals(["up", "down", "give"]),
    texts: frames
  }),
  remark: Schema.Struct({
    type: Schema.Literal("remark"),
    says: Schema.Literals(Object.keys(REMARK_SLOTS) as ReadonlyArray<RemarkKind>),
    texts: frames
  })
} as const

export type OwnRecord = {
  readonly [Type in keyof typeof RECORDS]: (typeof RECORDS)[Type]["Type"]
}[keyof typeof RECORDS]

class Problem extends Error {}

const TYPES = Object.keys(RECORDS).join(", ")
const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The record, or a problem in words that follow the place where it stands. */
function decoded(value: unknown, place: string): OwnRecord {
  const type: unknown = typeof value === "object" && value !== null && "type" in value ? value.type : undefined
  if (typeof type !== "string" || !Object.hasOwn(RECORDS, type))
    throw new Problem(`${place}: type must be one of ${TYPES}`)
  const result = Schema.decodeUnknownResult(RECORDS[type as keyof typeof RECORDS] as Schema.Codec<OwnRecord>)(value, {
    onExcessProperty: "error"
  })
  if (Result.isFailure(result)) {
    const [first] = issues(result.failure.issue).issues
    const path = (first?.path ?? []).map((key) => (typeof key === "object" ? String(key.key) : String(key))).join(".")
    throw new Problem(`${place}: ${path === "" ? "the record" : path}: ${first?.message.split("\n")[0] ?? "is wrong"}`)
  }
  return result.success
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Problem(`${place}: is not JSON`)
  }
}

function recordsOf(file: string, text: string): ReadonlyArray<OwnRecord> {
  if (file.endsWith(".jsonl")) {
    return text
      .split("\n")
      .flatMap((line, index) =>
        line.trim() === "" ? [] : [decoded(parsed(line, `${file} line ${index + 1}`), `${file} line ${index + 1}`)]
      )
  }
  const list = parsed(text, file)
  if (!Array.isArray(list)) throw new Problem(`${file}: must hold one array of records`)
  return list.map((value, index) => decoded(value, `${file} record ${index + 1}`))
}

/** A pair's value tells people apart: one value may stand for several keys, one key never for several values. */
function relationOf({ name, intro, ref, pairs }: OwnRecord & { readonly type: "relation" }, place: string): Relation {
  const keys = new Set(pairs.map(([key]) => key))
  if (keys.size < pairs.length) throw new Problem(`${place}: pairs: a key stands there twice`)
  if (new Set(pairs.map(([, value]) => value)).size < 2) throw new Problem(`${place}: pairs: all have the same value`)
  return { name, intro, ref, pairs }
}

function questionOf(
  { prompt, answer, kind, format: named }: OwnRecord & { readonly type: "question" },
  place: string
): OwnQuestion {
  const format: FormatRule | null = named ?? null
  const question = { prompt, answer, kind, format }
  if (!grade({ id: "q", ...question }, answer))
    throw new Problem(
      `${place}: answer: is not read as ${format === null ? `a ${kind}` : `format ${format}`} by the grader`
    )
  return question
}

/** Each slot once, and no other. */
function withSlots(texts: ReadonlyArray<string>, wanted: ReadonlyArray<string>, place: string): void {
  for (const [index, text] of texts.entries()) {
    const found = (text.match(/\{[a-z]\}/g) ?? []).toSorted()
    if (found.join("") !== wanted.toSorted().join(""))
      throw new Problem(
        `${place}: texts.${index}: ${wanted.join(" and ") || "no slot"} wanted, each once, found ${found.join(" ") || "none"}`
      )
  }
}

/** By what the act is found again. */
function actOf({ family: name, act, texts }: OwnRecord & { readonly type: "clause" }, place: string): string {
  const world = FAMILIES.find((family) => family.name === name)?.world(
    randomFromSeed(new Uint8Array(SEED_BYTES)),
    OUR_BANK
  )
  if (world === undefined)
    throw new Problem(`${place}: family: must be one of ${FAMILIES.map((family) => family.name).join(", ")}`)
  const found = world.acts[ACTS.indexOf(act)]
  if (found === undefined) throw new Problem(`${place}: act: ${name} has no ${act}`)
  withSlots(
    texts,
    ["{p}", "{q}", ...(act === "give" ? ["{o}"] : []), ...(world.things.length > 0 ? ["{w}"] : [])],
    place
  )
  return wordingKey(found.english)
}

function filesOf(folder: string): ReadonlyArray<string> {
  let names: ReadonlyArray<string>
  try {
    names = readdirSync(folder)
      .filter((name) => /\.jsonl?$/.test(name))
      .toSorted()
  } catch {
    throw new Problem(`${folder} is no folder that can be read`)
  }
  if (names.length === 0) throw new Problem(`${folder} holds no .json or .jsonl file`)
  if (names.length > MAX_FILES) throw new Problem(`${folder} holds more than ${MAX_FILES} files`)
  return names
}

function textOf(folder: string, name: string): string {
  const file = join(folder, name)
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw new Problem(`${name}: is larger than ${MAX_FILE_BYTES} bytes`)
    return readFileSync(file, "utf8")
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(`${name}: cannot be read`)
  }
}

/** The items so often that together they weigh as much as `others`, and at least once. */
function weighed<T>(items: ReadonlyArray<T>, others: number): ReadonlyArray<T> {
  return items.length === 0
    ? []
    : Array.from({ length: Math.max(1, Math.ceil(others / items.length)) }, () => items).flat()
}

function bankOf(folder: string): Bank {
  const questions: Array<OwnQuestion> = []
  const relations: Array<Relation> = []
  const measures: Array<Measure> = []
  const clauses = new Map<string, ReadonlyArray<string>>()
  const remarks = new Map<RemarkKind, ReadonlyArray<string>>()
  let records = 0
  for (const name of filesOf(folder)) {
    for (const [index, record] of recordsOf(name, textOf(folder, name)).entries()) {
      const place = `${name} record ${index + 1}`
      if (record.type === "question") questions.push(questionOf(record, place))
      else if (record.type === "relation") relations.push(relationOf(record, place))
      else if (record.type === "measure") measures.push({ n: record.n, phrase: record.phrase })
      else if (record.type === "clause") {
        const act = actOf(record, place)
        clauses.set(act, [...(clauses.get(act) ?? []), ...record.texts])
      } else {
        withSlots(record.texts, REMARK_SLOTS[record.says], place)
        remarks.set(record.says, [...(remarks.get(record.says) ?? []), ...record.texts])
      }
      if (++records > MAX_RECORDS) throw new Problem(`${name}: there are more than ${MAX_RECORDS} records`)
    }
  }
  const names = relations.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Problem(`two relations are called ${JSON.stringify(twice)}`)
  return {
    matrices: OUR_BANK.matrices,
    relations: [...OUR_BANK.relations, ...weighed(relations, OUR_BANK.relations.length)],
    measures: [...OUR_BANK.measures, ...weighed(measures, OUR_BANK.measures.length)],
    questions,
    wording: { clauses, remarks }
  }
}

export type BankResult = { readonly ok: true; readonly bank: Bank } | { readonly ok: false; readonly problem: string }

/** Our bank, with the folder's records joined to it where one is named. */
export function readBank(folder: string | null): BankResult {
  if (folder === null) return { ok: true, bank: OUR_BANK }
  try {
    return { ok: true, bank: bankOf(folder) }
  } catch (error) {
    if (error instanceof Problem) return { ok: false, problem: `HUB_QUESTIONS: ${error.message}` }
    throw error
  }
}
