/**
 * Writes a bank of own texts with a language model: any command that reads a prompt and prints an answer.
 *
 * Invariants
 *  - Only pieces that the reader of banks accepts are kept: each piece is read together with the texts that exist
 *    already.
 *  - Facts, and texts with several sides, are asked twice. The command gets its own texts back without their sides, in
 *    another order. A text that the second answer puts on another side is left out. A fact on which the two answers
 *    differ is marked as unsure or left out.
 *  - A piece that fails `TRIES_MAX` times is reported, and the others continue. Existing texts are kept and count.
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import {
  type Bank,
  REMARK_SLOTS,
  REMARK_TWINS,
  type RemarkKind,
  TELLING_SLOTS
} from "../../actors/registration/questions/bank/bank.ts"
import { OUR_BANK } from "../../actors/registration/questions/bank/index.ts"
import { MATRICES_MIN, MEASURES_MIN, RELATIONS_MIN } from "../../actors/registration/questions/bank/own.ts"
import { ACTS_TOLD, CLAUSES_MIN, REMARKS_MIN, TELLINGS_MIN } from "../../actors/registration/questions/bank/wanted.ts"
import { ACT_MEANINGS, REMARK_MEANINGS, RULES, TELLING_MEANINGS } from "./meanings.ts"

const TRIES_MAX = 3
const ANSWER_MAX_BYTES = 1_000_000
const ANSWER_WITHIN_MS = 300_000
const TEXT_MAX_CHARS = 120
/** The factor by which more texts are requested than are needed, because some are dropped. */
const SPARE = 1.3
const RELATIONS_AT_ONCE = 8
const MEASURES_AT_ONCE = 60
/** The share of a property's items that a second reading may decide differently. Above it the property is unclear. */
const UNCLEAR = 0.25
const MIN_PAIRS = 6
const PROPERTIES = 16
const ITEMS = 40

export type Ask = (prompt: string) => Promise<string>

/** A shell command that gets each prompt on its standard input. */
export const byCommand =
  (command: string): Ask =>
  (prompt) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, { shell: true, detached: true, stdio: ["pipe", "pipe", "inherit"] })
      const end = (): void => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
      }
      const late = setTimeout(() => {
        end()
        reject(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`))
      }, ANSWER_WITHIN_MS)
      const chunks: Array<Buffer> = []
      let bytes = 0
      child.stdin.on("error", () => undefined).end(prompt)
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= ANSWER_MAX_BYTES) chunks.push(chunk)
        else end()
      })
      child.once("error", reject)
      child.once("close", (status) => {
        clearTimeout(late)
        if (bytes > ANSWER_MAX_BYTES) reject(new Error(`the answer has more than ${ANSWER_MAX_BYTES} bytes`))
        else if (status === 0) resolve(Buffer.concat(chunks).toString("utf8"))
        else reject(new Error(`the command ended with ${status === null ? "a signal" : `status ${status}`}`))
      })
    })

/** The JSON in an answer, from its first bracket to its last. */
export function jsonIn(answer: string): unknown {
  const starts = ["{", "["].map((bracket) => answer.indexOf(bracket)).filter((at) => at >= 0)
  const ends = ["}", "]"].map((bracket) => answer.lastIndexOf(bracket))
  return JSON.parse(answer.slice(Math.min(...starts), Math.max(...ends) + 1)) as unknown
}

const textsIn = (value: unknown, slots: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!Array.isArray(value)) throw new Error("a list of texts is wanted")
  const wanted = slots.toSorted().join("")
  return [...new Set(value)].filter(
    (text): text is string =>
      typeof text === "string" &&
      text.length <= TEXT_MAX_CHARS &&
      (text.match(/\{[a-z]\}/g) ?? []).toSorted().join("") === wanted
  )
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("an object is wanted")
  return value as Readonly<Record<string, unknown>>
}

const shuffled = <T>(items: ReadonlyArray<T>): ReadonlyArray<T> => {
  const all = [...items]
  for (let at = all.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    ;[all[at], all[other]] = [all[other] as T, all[at] as T]
  }
  return all
}

/** Makes a unique name for a record, because two runs may have the same idea. */
const named = (name: unknown): string => `${String(name).slice(0, 60)} ${randomInt(1_000_000)}`

const numbered = (texts: ReadonlyArray<string>): string =>
  texts.map((text, index) => `${index + 1}. ${text}`).join("\n")

/** The texts of each side that a second reading puts on the same side. */
async function readAgain(
  ask: Ask,
  sides: ReadonlyArray<{ readonly name: string; readonly meaning: string; readonly texts: ReadonlyArray<string> }>
): Promise<ReadonlyArray<ReadonlyArray<string>>> {
  const mixed = shuffled(sides.flatMap(({ texts }, side) => texts.map((text) => ({ text, side }))))
  const prompt = [
    "Each numbered text means one of these:",
    ...sides.map(({ name, meaning }) => `- "${name}": ${meaning}`),
    'Answer with a JSON list that has, for each text in order, its name; or "unclear" where a careful reader might doubt it.',
    numbered(mixed.map(({ text }) => text))
  ].join("\n")
  const read = jsonIn(await ask(prompt))
  if (!Array.isArray(read) || read.length !== mixed.length) throw new Error("one name for each text is wanted")
  return sides.map(({ name }, side) =>
    mixed.flatMap((one, index) => (one.side === side && read[index] === name ? [one.text] : []))
  )
}

export type Written = Readonly<Record<string, unknown>>

/** A needed part of a bank, which is made as a whole or not at all. */
export interface Piece {
  readonly name: string
  readonly make: (ask: Ask) => Promise<ReadonlyArray<Written>>
}

const sidesPiece = (
  name: string,
  about: string,
  sides: ReadonlyArray<{ readonly name: string; readonly meaning: string; readonly slots: ReadonlyArray<string> }>,
  count: number,
  record: (side: string, texts: ReadonlyArray<string>) => Written
): Piece => ({
  name,
  make: async (ask) => {
    const wanted = Math.ceil(count * SPARE)
    const prompt = [
      RULES,
      about,
      ...sides.map(
        ({ name: side, meaning, slots }) =>
          `"${side}": ${wanted} texts. Meaning: ${meaning}. Slots, each exactly once: ${slots.join(" ") || "none"}.`
      ),
      `Answer with one JSON object: {${sides.map(({ name: side }) => `"${side}": [texts]`).join(", ")}}`
    ].join("\n\n")
    const answer = objectIn(jsonIn(await ask(prompt)))
    const texts = sides.map(({ name: side, slots }) => textsIn(answer[side], slots))
    const kept =
      sides.length === 1
        ? texts
        : await readAgain(
            ask,
            sides.map(({ name: side, meaning }, index) => ({ name: side, meaning, texts: texts[index] ?? [] }))
          )
    for (const [index, { name: side }] of sides.entries())
      if ((kept[index]?.length ?? 0) < count)
        throw new Error(`${side}: ${kept[index]?.length ?? 0} of ${count} texts are clear`)
    return sides.map(({ name: side }, index) => record(side, kept[index] ?? []))
  }
})

const clausePieces = ({ wording }: Bank): ReadonlyArray<Piece> => {
  const families = Map.groupBy(ACTS_TOLD, ([, { family }]) => family)
  return [...families].flatMap(([family, acts]) => {
    const lacking = acts.filter(([key]) => (wording.clauses.get(key)?.length ?? 0) < CLAUSES_MIN)
    if (lacking.length === 0) return []
    const slots = ["shelf-row", "card-number", "stickers"].includes(family) ? ["{p}", "{q}", "{w}"] : ["{p}", "{q}"]
    return [
      sidesPiece(
        `clause ${family}`,
        `The texts are told of this: ${ACT_MEANINGS[family]?.about ?? family}`,
        acts.map(([, { act }]) => ({
          name: act,
          meaning: ACT_MEANINGS[family]?.[act as "up" | "down" | "give"] ?? act,
          slots: act === "give" ? [...slots, "{o}"] : slots
        })),
        CLAUSES_MIN,
        (act, texts) => ({ type: "clause", family, act, texts })
      )
    ]
  })
}

const remarkPieces = ({ wording }: Bank): ReadonlyArray<Piece> => {
  const twins = REMARK_TWINS.flat()
  const alone = (Object.keys(REMARK_SLOTS) as ReadonlyArray<RemarkKind>).filter((kind) => !twins.includes(kind))
  return [...REMARK_TWINS, ...alone.map((kind) => [kind])].flatMap((kinds) => {
    if (kinds.every((kind) => (wording.remarks.get(kind)?.length ?? 0) >= REMARKS_MIN)) return []
    return [
      sidesPiece(
        `remark ${kinds.join(" and ")}`,
        "The texts are remarks of a narrator around a clause, or after a sentence.",
        kinds.map((kind) => ({ name: kind, meaning: REMARK_MEANINGS[kind], slots: REMARK_SLOTS[kind] })),
        REMARKS_MIN,
        (says, texts) => ({ type: "remark", says, texts })
      )
    ]
  })
}

const tellingPieces = ({ wording }: Bank): ReadonlyArray<Piece> =>
  Object.entries(TELLING_SLOTS).flatMap(([telling, slots]) => {
    if ((wording.tellings.get(telling)?.length ?? 0) >= TELLINGS_MIN) return []
    const [family = "", part = ""] = telling.split(" ")
    return [
      sidesPiece(
        `telling ${telling}`,
        part === "start" ? "The texts begin a story." : "The texts ask the question at the end of a story.",
        [{ name: part, meaning: TELLING_MEANINGS[telling] ?? telling, slots }],
        TELLINGS_MIN,
        (_, texts) => ({ type: "telling", family, part, texts })
      )
    ]
  })

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

const matrixPiece = (index: number): Piece => ({
  name: `matrix ${index + 1}`,
  make: async (ask) => {
    const prompt = [
      `Choose a kind of everyday things (choose number ${randomInt(1, 30)} of a list of thirty kinds that you might think of; not animals, foods or household objects).`,
      `Name ${ITEMS} things of that kind, each in one or two words, and ${PROPERTIES} properties that about a third of them have.`,
      'A property has phrases that follow "something that": two or three that say it ("is"), two or three that deny it ("not"), with the same words as far as possible.',
      "Every fact must be undisputed for every reader anywhere. Put things with the least doubt into unsure. A thing in neither list has not the property. At least 6 things have it, and at least 10 have not.",
      'Answer with one JSON object: {"name": kind, "items": [things], "properties": [{"name": short name, "is": [phrases], "not": [phrases], "yes": [things], "unsure": [things]}]}'
    ].join("\n")
    const { name, items: things, properties } = objectIn(jsonIn(await ask(prompt)))
    const items = [...new Set(strings(things))]
    const list = Array.isArray(properties) ? properties.map(objectIn) : []
    const kept: Array<Written> = []
    for (const property of list) {
      const read = await secondReading(ask, items, property)
      if (read !== null) kept.push(read)
    }
    if (kept.length < PROPERTIES / 2) throw new Error(`${kept.length} of ${PROPERTIES} properties are clear`)
    return [{ type: "matrix", name: named(name), items, properties: kept }]
  }
})

/**
 * The property after a second reading. `null` if that is unusable, if the two readings differ on many items, or if too
 * few items are left.
 */
async function secondReading(ask: Ask, items: ReadonlyArray<string>, property: Written): Promise<Written | null> {
  const [is, not] = [strings(property["is"]), strings(property["not"])]
  const yes = new Set(strings(property["yes"]).filter((item) => items.includes(item)))
  const unsure = new Set(strings(property["unsure"]).filter((item) => items.includes(item)))
  const order = shuffled(items)
  const answer = jsonIn(
    await ask(
      [
        `For each numbered thing: is it something that ${is[0] ?? ""}? Answer with a JSON list of "yes", "no" or "unsure", one for each, in order.`,
        numbered(order)
      ].join("\n")
    )
  )
  if (!Array.isArray(answer) || answer.length !== order.length || is.length === 0 || not.length === 0) return null
  const differing = order.filter((item, index) => !unsure.has(item) && answer[index] !== (yes.has(item) ? "yes" : "no"))
  const sure = [...yes].filter((item) => !differing.includes(item) && !unsure.has(item))
  const without = items.filter((item) => !yes.has(item) && !unsure.has(item) && !differing.includes(item))
  if (differing.length > UNCLEAR * items.length || sure.length < 3 || without.length < 3) return null
  return { name: String(property["name"]), is, not, yes: sure, unsure: [...new Set([...unsure, ...differing])] }
}

const relationsPiece = (index: number): Piece => ({
  name: `relations ${index + 1}`,
  make: async (ask) => {
    const prompt = [
      `Invent ${Math.ceil(RELATIONS_AT_ONCE * SPARE)} relations by which a person can be known (set ${index + 1}: other ideas than anybody has first).`,
      'A relation has phrases that follow a name, with {} for the key ("avoids {}"), clauses that follow "the one", with {} for the value ("who fears {}"), and 10 to 14 pairs of key and value ("balconies", "heights").',
      "A reader concludes from the key which value is meant. Key and value share no word, no value fits two keys unless they stand as pairs, and nobody needs local knowledge. At least 6 different values.",
      'Answer with one JSON list: [{"name": …, "intro": [2 or 3], "ref": [2 or 3], "pairs": [[key, value]]}]'
    ].join("\n")
    const list = jsonIn(await ask(prompt))
    if (!Array.isArray(list)) throw new Error("a list of relations is wanted")
    const kept: Array<Written> = []
    for (const one of list.map(objectIn)) {
      const pairs = await matched(ask, one)
      const values = new Set(pairs.map(([, value]) => value))
      if (pairs.length < MIN_PAIRS || values.size < MIN_PAIRS) continue
      kept.push({
        type: "relation",
        name: named(one["name"]),
        intro: one["intro"],
        ref: one["ref"],
        pairs
      })
    }
    if (kept.length === 0) throw new Error("no relation is clear")
    return kept
  }
})

/** The pairs of a relation that a second reading finds again. */
async function matched(ask: Ask, relation: Written): Promise<ReadonlyArray<readonly [string, string]>> {
  const pairs = (Array.isArray(relation["pairs"]) ? relation["pairs"] : []).map(strings)
  const keys = shuffled(pairs.map(([key = ""]) => key))
  const values = shuffled([...new Set(pairs.map(([, value = ""]) => value))])
  const [intro] = strings(relation["intro"])
  const [ref] = strings(relation["ref"])
  const answer = jsonIn(
    await ask(
      [
        `Somebody "${intro ?? ""}", with one of the numbered words for {}. Which of these is that person the one "${ref ?? ""}" with: ${values.join("; ")}?`,
        'Answer with a JSON list that has one of these values for each numbered word, in order, or "unclear".',
        numbered(keys)
      ].join("\n")
    )
  )
  if (!Array.isArray(answer)) return []
  return pairs.flatMap(([key = "", value = ""]) => (answer[keys.indexOf(key)] === value ? [[key, value] as const] : []))
}

const measuresPiece = (index: number): Piece => ({
  name: `measures ${index + 1}`,
  make: async (ask) => {
    const prompt = [
      `Name ${MEASURES_AT_ONCE} counts from 2 to 60 that everybody anywhere knows or can work out (set ${index + 1}: prefer ones that need a thought).`,
      'Each is a phrase that follows "there are": "legs on a spider".',
      'Answer with one JSON list: [{"n": 8, "phrase": "legs on a spider"}]'
    ].join("\n")
    const list = jsonIn(await ask(prompt))
    if (!Array.isArray(list)) throw new Error("a list of counts is wanted")
    const measures = shuffled(
      list.map(objectIn).filter(({ n, phrase }) => typeof n === "number" && typeof phrase === "string")
    )
    const answer = jsonIn(
      await ask(
        [
          "How many are there? Answer with a JSON list of numbers, one for each line, in order; null where a reader might doubt it.",
          numbered(measures.map(({ phrase }) => String(phrase)))
        ].join("\n")
      )
    )
    if (!Array.isArray(answer)) throw new Error("a list of numbers is wanted")
    return measures.flatMap(({ n, phrase }, at) => (answer[at] === n ? [{ type: "measure", n, phrase }] : []))
  }
})

/** All missing parts of a bank, in pieces. */
export function piecesOf(bank: Bank): ReadonlyArray<Piece> {
  const count = (kind: "matrices" | "relations" | "measures"): number => {
    const ours = new Set<unknown>(OUR_BANK[kind])
    return [...new Set<unknown>(bank[kind])].filter((fact) => !ours.has(fact)).length
  }
  const times = (missing: number, atOnce: number): ReadonlyArray<number> =>
    Array.from({ length: Math.max(0, Math.ceil(missing / atOnce)) }, (_, index) => index)
  return [
    ...clausePieces(bank),
    ...remarkPieces(bank),
    ...tellingPieces(bank),
    ...times(MATRICES_MIN - count("matrices"), 1).map(matrixPiece),
    ...times(SPARE * (RELATIONS_MIN - count("relations")), RELATIONS_AT_ONCE).map(relationsPiece),
    ...times(SPARE * (MEASURES_MIN - count("measures")), MEASURES_AT_ONCE).map(measuresPiece)
  ]
}

/**
 * Requests a piece until it is usable, at most `TRIES_MAX` times. Returns the piece, or the last reason for failing.
 * `refusal` is the check by the reader of banks.
 */
export async function made(
  piece: Piece,
  ask: Ask,
  refusal: (records: ReadonlyArray<Written>) => Promise<string | null> = () => Promise.resolve(null)
): Promise<ReadonlyArray<Written> | { readonly problem: string }> {
  let problem = ""
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      const records = await piece.make(ask)
      const refused = await refusal(records)
      if (refused === null) return records
      problem = refused
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
    }
  }
  return { problem }
}
