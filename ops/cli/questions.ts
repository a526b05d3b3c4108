/**
 * `hub questions`: registration questions for reading, and a file of answers marked by the grader that registrations
 * meet. A sample holds prompts alone; what is right goes to a file of its own, so that who answers has not seen it.
 */
import { createHash, randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { Result, Schema } from "effect"
import type { Bank } from "../../actors/registration/questions/bank/bank.ts"
import { readBank } from "../../actors/registration/questions/bank/own.ts"
import { wordsWanting } from "../../actors/registration/questions/bank/wanted.ts"
import { type Named, namedQuestions } from "../../actors/registration/questions/generate.ts"
import { grade } from "../../actors/registration/questions/grade.ts"
import { Question } from "../../actors/registration/questions/question.ts"
import { randomFromSeed } from "../../actors/registration/questions/random.ts"
import { readConfig } from "../../schemas/config.ts"
import { type Arguments, type Command, Finding, type Options } from "./command.ts"
import { Fault } from "./fault.ts"

const COUNT = 200
const COUNT_MAX = 10_000
/** What a model is to reach, of all questions (`ops/docs/questions.md`). */
const WANTED = 0.97

/** A line of the file that says what is right. */
const Key = Schema.Struct({ ...Question.fields, family: Schema.String })
type Key = typeof Key.Type
const Given = Schema.Struct({ id: Schema.Unknown, answer: Schema.Unknown })

export const questionsCommand: Command = {
  usage: [
    "questions sample [--count <number>] [--seed <text>] [--answers <file>]",
    "questions grade <given> --answers <file>",
    "questions check <folder>"
  ],
  alone: (args) => {
    switch (args.positionals[0]) {
      case "sample":
        return sampled(args.values)
      case "grade":
        return graded(args)
      case "check":
        return checked(args)
      default:
        return Promise.reject(new Fault(`usage: hub ${questionsCommand.usage.join("\n       hub ")}`))
    }
  },
  run: () => Promise.reject(new Error("questions needs no service"))
}

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

/** A folder as a node in production wants it, before it is given to one. */
const checked = ({ positionals: [, folder] }: Arguments): Promise<string | Finding> => {
  if (folder === undefined) return Promise.reject(new Fault(`usage: hub ${questionsCommand.usage[2]}`))
  const wanting = wordsWanting(bankOf(folder))
  if (wanting.length === 0) return Promise.resolve("enough words of your own")
  return Promise.resolve(
    new Finding(
      [
        ...wanting,
        `${wanting.length} missing: without them a program that knows the public source can answer the questions`
      ].join("\n")
    )
  )
}

/** Questions as challenges have them, five by five. */
const drawn = (seed: string, count: number, bank: Bank): ReadonlyArray<Named> => {
  const questions: Array<Named> = []
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

const graded = async ({ positionals: [, given], values }: Arguments): Promise<string | Finding> => {
  if (given === undefined || values.answers === undefined) throw new Fault(`usage: hub ${questionsCommand.usage[1]}`)
  const keys = await linesOf(values.answers, Key, "a line of the answers that a sample wrote")
  const answers = await linesOf(given, Given, "a JSON object with id and answer")
  const answered = new Map(answers.map(({ id, answer }) => [id, answer]))
  if (keys.length === 0) throw new Fault(`${values.answers} holds no questions`)
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
