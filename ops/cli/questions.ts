/**
 * `hub questions`: commands about the questions of registrations.
 *
 * - Checks a bank of a deployment's own texts, and has a language model write missing ones.
 * - Draws questions for readers. It prints the prompts and writes the right answers to a separate file.
 * - Marks a file of answers with the grader that registrations use.
 */
import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result, Schema } from "effect"
import type { Bank } from "../../actors/registration/questions/bank/bank.ts"
import { OUR_BANK } from "../../actors/registration/questions/bank/index.ts"
import { readBank } from "../../actors/registration/questions/bank/own.ts"
import { wordsWanting } from "../../actors/registration/questions/bank/wanted.ts"
import { type FamilyDraft, namedQuestions } from "../../actors/registration/questions/generate.ts"
import { grade } from "../../actors/registration/questions/grade.ts"
import { Question } from "../../actors/registration/questions/question.ts"
import { randomFromSeed } from "../../actors/registration/questions/random.ts"
import { readConfig } from "../../schemas/config.ts"
import { byCommand, made, piecesOf } from "../questions/draft.ts"
import { faultsOf } from "../questions/judge.ts"
import { type Arguments, type Command, Finding, noServers, type Options } from "./command.ts"
import { Fault } from "./fault.ts"
import { remark } from "./output.ts"

const COUNT = 200
const COUNT_MAX = 10_000
const SAMPLES_SHOWN = 5
/** The file that drafts are written to. Other files of the folder are not changed. */
const DRAFTED = "drafted.jsonl"
/** The share of all questions that a model should answer rightly (`ops/docs/questions.md`). */
const WANTED = 0.97

/** A line of the file with the right answers. */
const Key = Schema.Struct({ ...Question.fields, family: Schema.String })
type Key = typeof Key.Type
const Given = Schema.Struct({ id: Schema.Unknown, answer: Schema.Unknown })

const configured = (): string | null => {
  const config = readConfig(process.env)
  if (!config.ok) throw new Fault(config.problem)
  return config.config.questions
}

const bankOf = (folder: string | null): Bank => {
  const read = readBank(folder)
  if (!read.ok) throw new Fault(read.problem)
  return read.bank
}

/** Checks that the folder has as many texts as a production node requires, and looks for faults of the texts. */
const checked = async ({ positionals: [folder = ""] }: Arguments): Promise<string | Finding> => {
  const bank = bankOf(folder)
  const wanting = wordsWanting(bank)
  const faults = faultsOf(bank)
  if (wanting.length + faults.length === 0) return "enough words of your own, and no fault found"
  const found = [
    ...wanting,
    ...faults,
    ...(wanting.length === 0
      ? []
      : [`${wanting.length} missing: without them a program that knows the public source can answer the questions`]),
    ...(faults.length === 0 ? [] : [`${faults.length} faults`])
  ]
  return new Finding(found.join("\n"))
}

/**
 * Asks a language model for the missing texts of the folder, one piece after the other. Each piece is written as soon
 * as it is accepted.
 */
const draftedInto = async ({ positionals: [folder = ""], values }: Arguments): Promise<string | Finding> => {
  const { solver = "", count } = values
  const atMost = count === undefined ? COUNT_MAX : Number(count)
  if (!(Number.isInteger(atMost) && atMost >= 1)) throw new Fault("--count takes a whole number from 1")
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Fault(`${folder} cannot be made: ${error.code}`)
  })
  const file = join(folder, DRAFTED)
  const pieces = piecesOf(existsSync(file) || (await holdsRecords(folder)) ? bankOf(folder) : OUR_BANK)
  const ask = byCommand(solver)
  const failed: Array<string> = []
  for (const [index, piece] of pieces.slice(0, atMost).entries()) {
    remark(`${index + 1} of ${pieces.length}: ${piece.name}\n`)
    const records = await made(piece, ask, (wanted) => refusalOf(folder, wanted))
    if ("problem" in records) failed.push(`${piece.name}: ${records.problem}`)
    else await appendFile(file, linesFor(records))
  }
  if (failed.length > 0)
    return new Finding([...failed, "Run the command again: it asks for what is still missing."].join("\n"))
  const bank = bankOf(folder)
  const wanting = wordsWanting(bank)
  if (wanting.length > 0)
    return new Finding([...wanting, "Run the command again: it asks for what is still missing."].join("\n"))
  return [
    ...faultsOf(bank),
    "Read these, and the file, before you use it:",
    ...drawn(randomBytes(8).toString("hex"), SAMPLES_SHOWN, bank).map(
      ({ prompt, answer }, index) => `\n${index + 1}. ${prompt}\n   right: ${answer}`
    )
  ].join("\n")
}

const linesFor = (records: ReadonlyArray<object>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** Adds the records to a copy of the folder and reads it as a bank. Returns the reader's objection, if there is one. */
const refusalOf = async (folder: string, records: ReadonlyArray<object>): Promise<string | null> => {
  const tried = await mkdtemp(join(tmpdir(), "hub-draft-"))
  try {
    await cp(folder, tried, { recursive: true })
    await appendFile(join(tried, DRAFTED), linesFor(records))
    const read = readBank(tried)
    return read.ok ? null : read.problem
  } finally {
    await rm(tried, { recursive: true })
  }
}

const holdsRecords = async (folder: string): Promise<boolean> =>
  (await readdir(folder)).some((name) => /\.jsonl?$/.test(name))

/** Draws questions as registrations do, one challenge after the other. */
const drawn = (seed: string, count: number, bank: Bank): ReadonlyArray<FamilyDraft> => {
  const questions: Array<FamilyDraft> = []
  for (let challenge = 0; questions.length < count; challenge++) {
    questions.push(
      ...namedQuestions(randomFromSeed(createHash("sha256").update(`${seed} ${challenge}`).digest()), bank)
    )
  }
  return questions.slice(0, count)
}

const sampled = async ({ count, seed, answers }: Options): Promise<string> => {
  const wanted = count === undefined ? COUNT : Number(count)
  if (!(Number.isInteger(wanted) && wanted >= 1 && wanted <= COUNT_MAX))
    throw new Fault(`--count takes a whole number from 1 to ${COUNT_MAX}`)
  const questions = drawn(seed ?? randomBytes(8).toString("hex"), wanted, bankOf(configured()))
  const keys = questions.map(({ family, prompt, answer, kind, format }, index): Key => ({
    id: `s${index + 1}`,
    family,
    prompt,
    answer,
    kind,
    format
  }))
  if (answers !== undefined) {
    await writeFile(answers, `${keys.map((key) => JSON.stringify(key)).join("\n")}\n`, { flag: "wx" }).catch(
      (error: NodeJS.ErrnoException) => {
        throw new Fault(
          error.code === "EEXIST" ? `${answers} exists already` : `${answers} cannot be written: ${error.code}`
        )
      }
    )
  }
  return keys.map(({ id, prompt }) => JSON.stringify({ id, prompt })).join("\n")
}

const linesOf = async <S extends Schema.ConstraintDecoder<unknown>>(
  file: string,
  schema: S,
  wanted: string
): Promise<ReadonlyArray<S["Type"]>> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Fault(`${file} cannot be read: ${error.code}`)
  })
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(schema))
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return []
    const read = decode(line)
    if (Result.isFailure(read)) throw new Fault(`${file} line ${index + 1}: ${wanted} is wanted`)
    return [read.success]
  })
}

const share = (right: number, all: number): string => `${right} of ${all} (${((100 * right) / all).toFixed(1)} %)`

const graded = async ({ positionals: [given = ""], values }: Arguments): Promise<string | Finding> => {
  const { answers: file = "" } = values
  const keys = await linesOf(file, Key, "a line of the answers that a sample wrote")
  const answers = await linesOf(given, Given, "a JSON object with id and answer")
  const answered = new Map(answers.map(({ id, answer }) => [id, answer]))
  if (keys.length === 0) throw new Fault(`${file} holds no questions`)
  const families = new Map<string, { right: number; all: number }>()
  const wrong: Array<string> = []
  for (const key of keys) {
    const family = families.get(key.family) ?? { right: 0, all: 0 }
    const right = grade(key, answered.get(key.id))
    families.set(key.family, { right: family.right + (right ? 1 : 0), all: family.all + 1 })
    if (!right)
      wrong.push(
        `wrong: ${key.id} (${key.family}): ${JSON.stringify(answered.get(key.id) ?? null)}, right is ${JSON.stringify(key.answer)}`
      )
  }
  const lines = [...families].toSorted().map(([family, { right, all }]) => `  ${family}: ${share(right, all)}`)
  const text = [...lines, ...wrong, share(keys.length - wrong.length, keys.length)].join("\n")
  return wrong.length / keys.length <= 1 - WANTED ? text : new Finding(text)
}

export const questionsCommands: ReadonlyArray<Command> = [
  {
    usage: ["questions sample [--count <number>] [--seed <text>] [--answers <file>]"],
    servers: noServers,
    alone: ({ values }) => sampled(values)
  },
  { usage: ["questions grade <given> --answers <file>"], servers: noServers, alone: graded },
  { usage: ["questions check <folder>"], servers: noServers, alone: checked },
  { usage: ["questions draft <folder> --solver <command> [--count <pieces>]"], servers: noServers, alone: draftedInto }
]
