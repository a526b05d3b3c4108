/**
 * Gets the answers to registration's questions from a command, the user at the terminal, or the program that reads
 * standard output. Each of them gets all questions at once.
 */
import { spawn } from "node:child_process"
import { createInterface, type Interface } from "node:readline"
import { harmless } from "../../../schemas/printed.ts"
import type { Answers, QuestionsToSolve } from "../client.ts"
import type { Surroundings } from "./command.ts"
import { Fault } from "./fault.ts"
import { readAll } from "./input.ts"

const ANSWERS_MAX_BYTES = 65_536
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const INTERRUPTED = 130

export type Solve = (toSolve: QuestionsToSolve) => Promise<Answers>

const questionsText = ({ id, questions, rules, dueAt }: QuestionsToSolve): string =>
  JSON.stringify({ id, questions, rules, due_at: dueAt.toISOString() })

const answersIn = (text: string): Answers | null => {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) return null
  return Object.fromEntries(
    Object.entries(found).map(([id, answer]) => [id, typeof answer === "string" ? answer : JSON.stringify(answer)])
  )
}

/**
 * Runs a shell command in a separate process group, so that all of its processes can be ended when the time is over.
 */
const byCommand =
  (command: string, around: Surroundings): Solve =>
  async (toSolve) => {
    const grouped = process.platform !== "win32"
    const child = spawn(command, {
      shell: true,
      cwd: around.cwd,
      detached: grouped,
      stdio: ["pipe", "pipe", "inherit"]
    })
    const stop = () => {
      if (child.pid === undefined || child.exitCode !== null) return
      if (grouped) process.kill(-child.pid, "SIGKILL")
      else child.kill("SIGKILL")
    }
    // The child is in a separate process group, so the terminal's interrupt does not reach it.
    const interrupted = () => {
      stop()
      process.exit(INTERRUPTED)
    }
    toSolve.signal.addEventListener("abort", stop, { once: true })
    for (const signal of SIGNALS) process.once(signal, interrupted)
    try {
      const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve))
      // A solver may answer without reading the questions.
      child.stdin.on("error", () => undefined).end(`${questionsText(toSolve)}\n`)
      // The command is ended before its output is closed (below). Otherwise a command with too much output could report
      // a broken pipe.
      const output = child.stdout.iterator({ destroyOnReturn: false })
      const [text, status] = await Promise.all([readAll(output, "the solver's output", ANSWERS_MAX_BYTES), ended])
      if (status !== 0)
        throw new Fault("solver_failed", `the solver ended with status ${status ?? "none, by a signal"}`)
      const answers = answersIn(text)
      if (answers === null)
        throw new Fault("solver_failed", "the solver printed no JSON object of question ids to answers")
      return answers
    } finally {
      toSolve.signal.removeEventListener("abort", stop)
      for (const signal of SIGNALS) process.removeListener(signal, interrupted)
      stop()
      child.stdout.destroy()
    }
  }

/** Lines of standard input, which continue from one attempt to the next. */
class Lines {
  readonly #interface: Interface
  readonly #lines: AsyncIterator<string>

  constructor(stdin: NodeJS.ReadStream) {
    this.#interface = createInterface({ input: stdin })
    this.#lines = this.#interface[Symbol.asyncIterator]()
  }

  async next(): Promise<string> {
    const { done, value } = await this.#lines.next()
    if (done === true) throw new Fault("no_answers", "standard input ended before there were answers")
    return value
  }
}

/** Writes the questions as one line of JSON, and reads the answers as a JSON object. */
const byPipe = (around: Surroundings): Solve => {
  const lines = new Lines(around.stdin)
  return async (toSolve) => {
    around.write(`${questionsText(toSolve)}\n`)
    let text = ""
    for (;;) {
      text += `${await lines.next()}\n`
      const answers = answersIn(text)
      if (answers !== null) return answers
      if (Buffer.byteLength(text) > ANSWERS_MAX_BYTES)
        throw new Fault("no_answers", "standard input holds no JSON object of answers")
    }
  }
}

const byPerson = (around: Surroundings): Solve => {
  const lines = new Lines(around.stdin)
  return async ({ questions, dueAt }) => {
    for (const { id, prompt } of questions) around.warn(harmless(`${id}: ${prompt}`))
    around.warn(`until ${dueAt.toLocaleTimeString()}: one answer a line, in this order`)
    const answers: Record<string, string> = {}
    for (const { id } of questions) answers[id] = (await lines.next()).trim()
    return answers
  }
}

export const solverOf = (command: string | undefined, around: Surroundings): Solve => {
  if (command !== undefined) return byCommand(command, around)
  return around.stdin.isTTY ? byPerson(around) : byPipe(around)
}
