/**
 * A deployment's own bank: a folder of `.json` files (one array) and `.jsonl` files (one record a line), read once at
 * the start.
 *
 * - A record is a complete question, facts (a matrix, a relation, a measure), or texts for stories;
 *   `ops/docs/questions.md` shows each.
 * - All records are decoded and bounded. The first fault is reported in one line.
 * - If the bank has enough facts of a kind, the public ones are not used. With fewer, its facts of that kind are
 *   repeated until together they weigh as much as the public ones.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Result, Schema, SchemaIssue } from "effect"
import { grade } from "../grade.ts"
import { MAX_ANSWER_CHARS, MAX_PROMPT_CHARS } from "../question.ts"
import type { FormatRule } from "../question.ts"
import { FAMILIES } from "../families.ts"
import { draft } from "../family.ts"
import { randomFromSeed, SEED_BYTES } from "../random.ts"
import { REMARK_SLOTS, TELLING_SLOTS, wordingKey } from "./bank.ts"
import type { Bank, FactKind, Matrix, Measure, OwnQuestion, Relation, RemarkKind } from "./bank.ts"
import { OUR_BANK } from "./index.ts"
import { bankOn, CYCLE_DAYS } from "./rotation.ts"

const MAX_FILES = 100
export const MAX_FILE_BYTES = 1_000_000
const MAX_RECORDS = 20_000
const MAX_PHRASE_CHARS = 80
const MAX_FRAME_CHARS = 120
const MAX_TELLING_CHARS = 200
const MAX_PHRASES = 40
const MAX_TEXTS = 200
export const ACTS = ["up", "down", "give"]
const MAX_PAIRS = 2000
const MIN_PAIRS = 4
/** The start checks one day in this many of a cycle. */
const DAYS_TRIED = 10
const MAX_ITEMS = 500
const MIN_ITEMS = 12
const MAX_PROPERTIES = 100
const MIN_PROPERTIES = 4
/** A property needs at least this many items that have it, and this many that do not. */
const MIN_OF_SIDE = 3
/** From this number on the deployment's own facts replace the public ones. */
export const MATRICES_MIN = 2
export const RELATIONS_MIN = 20
export const MEASURES_MIN = 80
const MIN_MEASURE = 2
const MAX_MEASURE = 100

const phrase = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(MAX_PHRASE_CHARS),
  Schema.isPattern(/^[^\p{Cc}{}]*$/u)
)
const phrases = Schema.Array(phrase).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PHRASES))
/** A text with `{}` in place of the key or the value. */
const template = Schema.String.check(
  Schema.isMaxLength(MAX_PHRASE_CHARS),
  Schema.isPattern(/^[^\p{Cc}{}]*\{\}[^\p{Cc}{}]*$/u)
)
const templates = Schema.Array(template).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PHRASES))

/** Texts with slots. The names of the slots are checked later, by kind of record. */
const frames = (maxChars: number) =>
  Schema.Array(
    Schema.String.check(
      Schema.isMinLength(1),
      Schema.isMaxLength(maxChars),
      Schema.isPattern(/^(?:[^\p{Cc}{}]|\{[a-z]\})*$/u)
    )
  ).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_TEXTS))

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
  matrix: Schema.Struct({
    type: Schema.Literal("matrix"),
    name: phrase,
    items: Schema.Array(phrase).check(Schema.isMinLength(MIN_ITEMS), Schema.isMaxLength(MAX_ITEMS)),
    properties: Schema.Array(
      Schema.Struct({
        name: phrase,
        is: phrases,
        not: phrases,
        yes: Schema.Array(phrase).check(Schema.isMaxLength(MAX_ITEMS)),
        unsure: Schema.optionalKey(Schema.Array(phrase).check(Schema.isMaxLength(MAX_ITEMS)))
      })
    ).check(Schema.isMinLength(MIN_PROPERTIES), Schema.isMaxLength(MAX_PROPERTIES))
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
    texts: frames(MAX_FRAME_CHARS)
  }),
  remark: Schema.Struct({
    type: Schema.Literal("remark"),
    says: Schema.Literals(Object.keys(REMARK_SLOTS) as ReadonlyArray<RemarkKind>),
    texts: frames(MAX_FRAME_CHARS)
  }),
  telling: Schema.Struct({
    type: Schema.Literal("telling"),
    family: phrase,
    part: Schema.Literals(["start", "question"]),
    texts: frames(MAX_TELLING_CHARS)
  })
} as const

type OwnRecord = {
  readonly [Type in keyof typeof RECORDS]: (typeof RECORDS)[Type]["Type"]
}[keyof typeof RECORDS]

class Problem extends Error {}

const TYPES = Object.keys(RECORDS).join(", ")
const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Returns the record. Throws a `Problem` whose text begins with `place`. */
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

/** A pair's value identifies a person. Several keys may have the same value, but no key may have several values. */
function relationOf({ name, intro, ref, pairs }: OwnRecord & { readonly type: "relation" }, place: string): Relation {
  const keys = new Set(pairs.map(([key]) => key))
  if (keys.size < pairs.length) throw new Problem(`${place}: pairs: a key stands there twice`)
  const values = new Set(pairs.map(([, value]) => value)).size
  if (values < MIN_PAIRS)
    throw new Problem(
      `${place}: pairs: ${MIN_PAIRS} different values wanted, found ${values}: a story has so many people`
    )
  return { name, intro, ref, pairs }
}

/** Each property must have items on both sides, and every named item must be one of the matrix. */
function matrixOf({ name, items, properties }: OwnRecord & { readonly type: "matrix" }, place: string): Matrix {
  const known = new Set(items)
  if (known.size < items.length) throw new Problem(`${place}: items: one stands there twice`)
  return {
    name,
    items,
    properties: properties.map((property, index) => {
      const at = `${place}: properties.${index}`
      const yes = new Set(property.yes)
      const unsure = new Set(property.unsure ?? [])
      for (const [field, set] of [
        ["yes", yes],
        ["unsure", unsure]
      ] as const) {
        const stranger = [...set].find((item) => !known.has(item))
        if (stranger !== undefined)
          throw new Problem(`${at}.${field}: ${JSON.stringify(stranger)} is none of the items`)
      }
      if ([...yes].some((item) => unsure.has(item))) throw new Problem(`${at}.yes: an item is unsure as well`)
      const without = items.filter((item) => !yes.has(item) && !unsure.has(item))
      if (Math.min(yes.size, without.length) < MIN_OF_SIDE)
        throw new Problem(`${at}.yes: at least ${MIN_OF_SIDE} items must have it, and as many must not`)
      return { ...property, yes, unsure }
    })
  }
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

/** Prepares a text for the middle of a sentence: removes the capital and the full stop of a complete one. */
const within = (text: string): string =>
  text
    .trim()
    .replace(/\.$/, "")
    .replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())

/** Throws unless each text has each wanted slot once, and no other. */
function withSlots(texts: ReadonlyArray<string>, wanted: ReadonlyArray<string>, place: string): void {
  for (const [index, text] of texts.entries()) {
    const found = (text.match(/\{[a-z]\}/g) ?? []).toSorted()
    if (found.join("") !== wanted.toSorted().join(""))
      throw new Problem(
        `${place}: texts.${index}: ${wanted.join(" and ") || "no slot"} wanted, each once, found ${found.join(" ") || "none"}`
      )
  }
}

/** The name under which the texts of a telling are looked up. */
function tellingOf({ family, part, texts }: OwnRecord & { readonly type: "telling" }, place: string): string {
  const name = `${family} ${part}`
  const slots = TELLING_SLOTS[name]
  if (slots === undefined) {
    const known = Object.keys(TELLING_SLOTS).filter((one) => one.endsWith(` ${part}`))
    throw new Problem(
      `${place}: family: must be one of ${known.map((one) => one.slice(0, one.indexOf(" "))).join(", ")}`
    )
  }
  withSlots(texts, slots, place)
  return name
}

/** The key under which the texts of an act are looked up. */
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

/** Repeats the items until together they weigh as much as `others`. Each occurs at least once. */
function weighed<T>(items: ReadonlyArray<T>, others: number): ReadonlyArray<T> {
  return items.length === 0
    ? []
    : Array.from({ length: Math.max(1, Math.ceil(others / items.length)) }, () => items).flat()
}

/** Only the own facts if they are enough, otherwise both. */
const facts = <T>(own: ReadonlyArray<T>, ours: ReadonlyArray<T>, enough: number): ReadonlyArray<T> =>
  own.length >= enough ? own : [...ours, ...weighed(own, ours.length)]

/**
 * A program can read these measures in the public source. They give no protection, so a deployment's copies are left
 * out.
 */
const PUBLIC_MEASURES = new Set(OUR_BANK.measures.map(({ phrase }) => phrase.toLowerCase()))

function bankOf(folder: string): Bank {
  const questions: Array<OwnQuestion> = []
  const relations: Array<Relation> = []
  const matrices: Array<Matrix> = []
  const measures: Array<Measure> = []
  const tellings = new Map<string, ReadonlyArray<string>>()
  const clauses = new Map<string, ReadonlyArray<string>>()
  const remarks = new Map<RemarkKind, ReadonlyArray<string>>()
  let records = 0
  for (const name of filesOf(folder)) {
    for (const [index, record] of recordsOf(name, textOf(folder, name)).entries()) {
      const place = `${name} record ${index + 1}`
      if (record.type === "question") questions.push(questionOf(record, place))
      else if (record.type === "relation") relations.push(relationOf(record, place))
      else if (record.type === "matrix") matrices.push(matrixOf(record, place))
      else if (record.type === "telling") {
        const telling = tellingOf(record, place)
        tellings.set(telling, [...(tellings.get(telling) ?? []), ...record.texts])
      } else if (record.type === "measure") {
        if (!PUBLIC_MEASURES.has(record.phrase.toLowerCase())) measures.push({ n: record.n, phrase: record.phrase })
      } else if (record.type === "clause") {
        const act = actOf(record, place)
        clauses.set(act, [...(clauses.get(act) ?? []), ...record.texts.map(within)])
      } else {
        withSlots(record.texts, REMARK_SLOTS[record.says], place)
        remarks.set(record.says, [...(remarks.get(record.says) ?? []), ...record.texts.map(within)])
      }
      if (++records > MAX_RECORDS) throw new Problem(`${name}: there are more than ${MAX_RECORDS} records`)
    }
  }
  for (const [kind, list] of [
    ["relations", relations],
    ["matrices", matrices]
  ] as const) {
    const names = list.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Problem(`two ${kind} are called ${JSON.stringify(twice)}`)
  }
  const own = new Set<FactKind>()
  if (matrices.length >= MATRICES_MIN) own.add("matrices")
  if (relations.length >= RELATIONS_MIN) own.add("relations")
  if (measures.length >= MEASURES_MIN) own.add("measures")
  return {
    own,
    matrices: facts(matrices, OUR_BANK.matrices, MATRICES_MIN),
    relations: facts(relations, OUR_BANK.relations, RELATIONS_MIN),
    measures: facts(measures, OUR_BANK.measures, MEASURES_MIN),
    questions,
    wording: { clauses, remarks, tellings }
  }
}

function tried(bank: Bank): void {
  for (const family of FAMILIES) {
    try {
      draft(family, randomFromSeed(new Uint8Array(SEED_BYTES)), bank)
    } catch (error) {
      throw new Problem(`no story can be told from these records: ${(error as Error).message}`)
    }
  }
}

export type BankResult = { readonly ok: true; readonly bank: Bank } | { readonly ok: false; readonly problem: string }

/** The public bank, together with the records of the folder if one is named. */
export function readBank(folder: string | null): BankResult {
  if (folder === null) return { ok: true, bank: OUR_BANK }
  try {
    const bank = bankOf(folder)
    for (let day = 0; day < CYCLE_DAYS; day += DAYS_TRIED) tried(bankOn(bank, day))
    return { ok: true, bank }
  } catch (error) {
    if (error instanceof Problem) return { ok: false, problem: `HUB_QUESTIONS: ${error.message}` }
    throw error
  }
}
