/**
 * Asks the user at the terminal for lines of text.
 *
 * Invariants
 *  - A secret is not echoed. Echo is switched off before the question is shown, and on again in any case.
 *  - Nothing that the user types is printed or part of an error.
 */
import { StringDecoder } from "node:string_decoder"
import type { Surroundings } from "./command.ts"
import { Fault } from "./fault.ts"

const INTERRUPTED = 130
const LINE_MAX_CHARS = 20_000
/** Keys as a terminal sends them without echo. */
const ENTER = /[\r\n]/
const [INTERRUPT, END, BACKSPACE, DELETE, CLEAR] = ["\u0003", "\u0004", "\b", "\u007f", "\u0015"]

const ended = new Fault("no_answer", "standard input ended before there was an answer")

/** Lines of standard input. Lines that are typed ahead are kept for the next question. */
export class Prompt {
  readonly #around: Surroundings
  readonly #decoder = new StringDecoder("utf8")
  #waiting = ""

  constructor(around: Surroundings) {
    this.#around = around
  }

  async line(question: string): Promise<string> {
    this.#around.warn(question)
    return this.#next()
  }

  async secret(question: string): Promise<string> {
    const { stdin } = this.#around
    stdin.setRawMode(true)
    try {
      return await this.line(`${question} (not shown as you type)`)
    } finally {
      stdin.setRawMode(false)
      stdin.pause()
    }
  }

  async #next(): Promise<string> {
    let line = ""
    for (;;) {
      const [key = ""] = this.#waiting
      if (key === "") {
        this.#waiting = await this.#read()
        continue
      }
      this.#waiting = this.#waiting.slice(key.length)
      if (ENTER.test(key)) return line
      if (key === INTERRUPT) process.exit(INTERRUPTED)
      if (key === END) throw ended
      if (key === CLEAR) line = ""
      else if (key === BACKSPACE || key === DELETE) line = [...line].slice(0, -1).join("")
      else line += key
      if (line.length > LINE_MAX_CHARS) throw new Fault("input_too_large", "this is too long for one line")
    }
  }

  /** Reads more input. Resolves with at least one character. */
  #read(): Promise<string> {
    const { stdin } = this.#around
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        stdin.off("data", onData).off("end", onEnd).off("error", onEnd)
      }
      const onData = (chunk: Buffer): void => {
        const text = this.#decoder.write(chunk)
        if (text === "") return
        stop()
        stdin.pause()
        resolve(text)
      }
      const onEnd = (): void => {
        stop()
        reject(ended)
      }
      if (stdin.readableEnded) return onEnd()
      stdin.on("data", onData).on("end", onEnd).on("error", onEnd).resume()
    })
  }
}
