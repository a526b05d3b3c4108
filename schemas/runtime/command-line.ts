/**
 * Reads a command line by its usage: the lines that people read declare the words and options that a program takes.
 *
 * Grammar of a usage line
 *  - `<word>` is any word, `a|b` one of these. In brackets a word may be left out; with `...` it may be repeated.
 *  - `--flag` stands alone. `--name <value>` takes what follows it after one space; `--name <a> <b>` takes both.
 *  - `[--name <value>]...` may be given again. `-n, --name` has a short form.
 *  - A line that begins with a space continues the one before it.
 * The order of options is free. A flag is followed by a bracket or by the end of the line, never by a word.
 */
import { parseArgs } from "node:util"

export interface Declared {
  /** Without the program's name: `post show <post>`. Its first words are the command's name, two of them at most. */
  readonly usage: ReadonlyArray<string>
  readonly summary?: string
  /** Lines that help leaves out, because the command refuses such input in its own words. */
  readonly unshown?: ReadonlyArray<string>
}

export interface Program<Command extends Declared> {
  /** As people type it: `npm run hub --`. */
  readonly name: string
  readonly commands: ReadonlyArray<Command>
  /** Help on the options of every command. It declares them. */
  readonly common?: string
  /** Makes the error for a wrong command line. The lines start with the program's name. */
  readonly refuse: (reason: string, usage: ReadonlyArray<string>) => Error
}

export interface Arguments<Values = Readonly<Record<string, unknown>>> {
  /** The last word of the command's name: of `reactions redo|clear`, the chosen one. */
  readonly verb?: string
  /** The words after the name. */
  readonly positionals: ReadonlyArray<string>
  readonly values: Values
}

export type Read<Command extends Declared> =
  | { readonly is: "help"; readonly commands: ReadonlyArray<Command> }
  | { readonly is: "version" }
  | {
      readonly is: "command"
      readonly command: Command
      readonly args: Arguments
      /** All that may be given. */
      readonly options: Readonly<Record<string, Option>>
    }

export interface Option {
  readonly type: "string" | "boolean"
  readonly short?: string
  readonly multiple: boolean
  /** Values that one mention takes. */
  readonly count: number
}

const MENTION = /(?:-([a-z]), )?--([a-z][a-z-]*)( (?![-|])(?:<[^<>]*>|[^\s<>[\]])+(?: <[^<>]*>)*)?(\]?\.\.\.| …)?/g
const WORD = /(?:<[^<>]*>|\[[^[\]]*\]|\S)+/g
const NO_WORD = /^(?:\[-.*|\[[^<]*|[\s[\]|.…]*)$/
const NAME_WORDS = 2

/** Whole lines, each continuation joined to its beginning. */
const linesOf = ({ usage }: Declared): ReadonlyArray<string> => usage.join("\n").replaceAll(/\n\s+/g, " ").split("\n")

const patternsOf = (command: Declared): ReadonlyArray<string> => [...linesOf(command), ...(command.unshown ?? [])]

/** The options that a text mentions. One that is mentioned again keeps what it had. */
export const optionsIn = (text: string): Readonly<Record<string, Option>> => {
  const options: Record<string, Option> = {}
  for (const [, short, name = "", value = "", again] of text.matchAll(MENTION)) {
    const { type = "boolean", count = 0, multiple = false } = options[name] ?? {}
    const values = value === "" ? count : Math.max(1, value.split(" <").length - 1)
    const isRepeated = again !== undefined || (value.endsWith("...") && !value.endsWith(",..."))
    options[name] = {
      type: value === "" ? type : "string",
      ...(short === undefined ? {} : { short }),
      multiple: multiple || isRepeated || values > 1,
      count: values
    }
  }
  return options
}

const wordsIn = (line: string): ReadonlyArray<string> =>
  (line.replaceAll(MENTION, "").match(WORD) ?? []).filter((word) => !NO_WORD.test(word))

const isOpen = (word: string): boolean => word.includes("<")

const isNeeded = (word: string): boolean => !word.startsWith("[")

const fits = (given: string, word: string): boolean => isOpen(word) || word.split("|").includes(given)

/** The words that all lines of a command begin with. */
const nameOf = (command: Declared): ReadonlyArray<string> => {
  const [first = [], ...others] = linesOf(command).map(wordsIn)
  const end = first.findIndex((word, index) => isOpen(word) || others.some((line) => line[index] !== word))
  return first.slice(0, Math.min(NAME_WORDS, end === -1 ? first.length : end))
}

/** Options outside brackets, as they are written. */
const neededIn = (line: string): ReadonlyArray<readonly [name: string, written: string]> =>
  [...line.matchAll(MENTION)].flatMap(({ index, 0: written, 2: name = "" }) => {
    const before = line.slice(0, index)
    return before.split("[").length === before.split("]").length ? [[name, written] as const] : []
  })

/** Why the arguments do not fit a line; `null` where they do. `at`: the number of words that fit. */
const misfit = ({ positionals: given, values }: Arguments, text: string, depth: number) => {
  const line = wordsIn(text).slice(depth)
  const last = line.at(-1) ?? ""
  const isEndless = last.endsWith("...") || last.endsWith("...]")
  const at = given.findIndex((one, index) => {
    const word = line[index] ?? (isEndless ? last : undefined)
    return word === undefined || !fits(one, word)
  })
  if (at !== -1) return { at, reason: `takes ${at < line.length ? `${line[at]}, not` : "no"} ${given[at]}` }
  const missing = line[given.length]
  if (missing !== undefined && isNeeded(missing))
    return { at: given.length, reason: `needs ${line.slice(given.length).filter(isNeeded).join(" ")}` }
  const [needed] = neededIn(text).filter(([name]) => values[name] === undefined)
  return needed === undefined ? null : { at: given.length, reason: `needs ${needed[1]}` }
}

/** `--diff a b`, which the parser would take for an option and one more word. */
const spread = (args: ReadonlyArray<string>, options: Readonly<Record<string, Option>>): Array<string> =>
  args.flatMap((arg, index) => {
    const pair = args[index - 2] ?? ""
    return options[pair.slice(2)]?.count === 2 && pair.startsWith("--") && !arg.startsWith("-") ? [pair, arg] : [arg]
  })

const parsed = (args: ReadonlyArray<string>, options: Readonly<Record<string, Option>>): Arguments | string => {
  try {
    const { values, positionals } = parseArgs({ args: spread(args, options), allowPositionals: true, options })
    return { values, positionals }
  } catch (error) {
    return error instanceof Error ? (error.message.split(/\.\s/)[0] ?? "") : String(error)
  }
}

const shown = ({ name }: Program<Declared>, commands: ReadonlyArray<Declared>): ReadonlyArray<string> =>
  commands.flatMap(linesOf).map((line) => `${name} ${line}`)

const HELP: ReadonlySet<string | undefined> = new Set(["--help", "-h"])

const asksHelp = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return args.slice(0, end === -1 ? undefined : end).some((arg) => HELP.has(arg))
}

/** A line with the word in it, where somebody left out the beginning: `suspend` for `agent suspend`. */
const meantBy = (word: string, commands: ReadonlyArray<Declared>): string => {
  const line = commands.flatMap(linesOf).find((one) => wordsIn(one).some((part) => !isOpen(part) && fits(word, part)))
  return line === undefined ? "" : `; did you mean ${line}`
}

/** Throws what `refuse` makes. Nothing has been opened by then: a slip of the hand must not begin anything. */
export const readCommandLine = <Command extends Declared>(
  program: Program<Command>,
  given: ReadonlyArray<string>
): Read<Command> => {
  const { name, commands, refuse } = program
  let near = commands.map((command) => ({ command, path: nameOf(command) }))
  let depth = 0
  for (; depth < given.length; depth++) {
    const next = near.filter(({ path }) => path[depth] !== undefined && fits(given[depth] ?? "", path[depth] ?? ""))
    if (next.length === 0) break
    near = next
  }
  const found = near.find(({ path }) => path.length === depth)
  const word = given[depth]
  if (asksHelp(given) || (found === undefined && (word === "help" || given.length === 0)))
    return { is: "help", commands: found === undefined ? near.map(({ command }) => command) : [found.command] }
  if (found === undefined) {
    if (word === "--version") return { is: "version" }
    if (depth > 0) {
      const [group, taken] = [given.slice(0, depth).join(" "), near.map(({ path }) => path[depth]).join(", ")]
      throw refuse(`${group} takes one of ${taken}; ${name} ${group} --help shows how`, [])
    }
    if (word?.startsWith("-") === true)
      throw refuse(`${word} stands behind the command: ${name} <command> … ${word}`, [])
    throw refuse(`there is no command ${word}${meantBy(word ?? "", commands)}; ${name} --help lists all`, [])
  }
  const { command } = found
  const options = optionsIn([...patternsOf(command), program.common ?? ""].join("\n"))
  const rest = parsed(given.slice(depth), options)
  if (typeof rest === "string") throw refuse(rest, shown(program, [command]))
  const args = { ...rest, verb: given[depth - 1] ?? "" }
  const misfits = patternsOf(command).map((line) => misfit(args, line, depth))
  if (!misfits.includes(null)) {
    const [best] = misfits.toSorted((one, other) => (other?.at ?? 0) - (one?.at ?? 0))
    throw refuse(`${given.slice(0, depth).join(" ") || name} ${best?.reason}`, shown(program, [command]))
  }
  return { is: "command", command, args, options }
}

/** The help on these commands. A continued line stands below the beginning of its line. */
export const helpOf = ({ name, common }: Program<Declared>, commands: ReadonlyArray<Declared>): string => {
  const lines = commands.flatMap(({ usage, summary }) => [
    ...usage.map((line) => `  ${line.startsWith(" ") ? " ".repeat(name.length) : name} ${line}`),
    ...(summary === undefined ? [] : summary.split("\n").map((line) => `      ${line}`))
  ])
  return ["usage:", ...lines, ...(common === undefined ? [] : ["", common])].join("\n")
}
