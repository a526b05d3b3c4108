/** Reads words and options of a command line. Each is checked here, and an error names the faulty one. */
import type { VoteTarget } from "../../../schemas/vote/records.ts"
import type { Invocation } from "./command.ts"
import { usage } from "./fault.ts"

const NUMBER = /^[1-9]\d{0,14}$/

/** Reads the number of a record: `numberOf("12", "post")`. */
export const numberOf = (word: string, noun: string): number => {
  if (!NUMBER.test(word)) throw usage(`${word} is no number of a ${noun}`)
  return Number(word)
}

/** Reads the number of a record from the command's only word. */
export const numberIn = (invocation: Invocation, noun: string): number => numberOf(invocation.words(noun)[0], noun)

/** Reads the number of a record from an option; `undefined` if the option is not given. */
export const numberAt = (invocation: Invocation, option: string, noun: string): number | undefined => {
  const word = invocation.text(option)
  return word === undefined ? undefined : numberOf(word, noun)
}

/** A set of choices, as an object with the choices as keys. With this type, the compiler reports a missing choice. */
export type Choices<Name extends string> = Readonly<Record<Name, true>>

const isIn = <Name extends string>(choices: Choices<Name>, word: string): word is Name => Object.hasOwn(choices, word)

/** Checks a choice. `what` is the name of the option or the word, for the error. */
export const chosen = <Name extends string>(what: string, word: string, choices: Choices<Name>): Name => {
  if (!isIn(choices, word)) throw usage(`${what} takes one of ${Object.keys(choices).join(", ")}, not ${word}`)
  return word
}

export const choice = <Name extends string>(
  invocation: Invocation,
  option: string,
  choices: Choices<Name>
): Name | undefined => {
  const word = invocation.text(option)
  return word === undefined ? undefined : chosen(`--${option}`, word, choices)
}

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Leaves out fields that are `undefined`. */
export const present = <const Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>

const TARGETS: Choices<VoteTarget> = { post: true, thread: true, reply: true }

export const TARGET_USAGE = "<post|thread|reply> <number>"

/**
 * Reads a command's target from its two words. `command` is named in the error if the first word is no kind of target.
 */
export const targetOf = (invocation: Invocation, command: string) => {
  const [type, number] = invocation.words("post|thread|reply", "number")
  const target_type = chosen(command, type, TARGETS)
  return { target_type, target_id: numberOf(number, target_type) }
}

/** Options of lists. `meta` of the answer has the number of pages. */
export const PAGE_USAGE = "[--page <n>] [--per-page <n>]"

export const pageOf = (invocation: Invocation) =>
  present({
    page: numberAt(invocation, "page", "page"),
    per_page: numberAt(invocation, "per-page", "page's length")
  })

/**
 * The option for a repetition: a command that is repeated with the same key after a lost answer is carried out only
 * once.
 */
export const WRITE_USAGE = "[--idempotency-key <key>]"

export const writeOf = (invocation: Invocation) => present({ idempotencyKey: invocation.text("idempotency-key") })
