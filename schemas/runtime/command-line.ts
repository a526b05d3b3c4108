/**
 * Parses a command line by the usage lines that people also read as help. They declare the words and options that a
 * program takes.
 *
 * Grammar of a usage line
 *  - `<word>` stands for any word, and `a|b` for `a` or `b`. A word in brackets is optional. A word with `...` may be
 *    repeated.
 *  - `--flag` takes no value. `--name <value>` takes one value, and `--name <a> <b>` takes two. In a usage line, one
 *    space separates the name from its value.
 *  - `[--name <value>]...` may be given several times. `-n, --name` declares a short form.
 *  - `[any of these …]` allows the options of all lines of the command.
 *  - A line that begins with a space continues the previous line.
 *
 * In a command line, options may have any order. In a usage line, a flag is followed by a bracket or by the end of the
 * line, never by a word.
 *
 * Invariants
 *  - A command line is accepted only if one usage line allows all of its words and options.
 *  - `-h` and `--help` show help only as the last word, directly after the name of the program or command, or after
 *    words that the usage fixes. Elsewhere they may be part of another person's text. Help there would end with the
 *    status of success although nothing was done.
 *  - A refusal never contains a token of the service.
 */
import { parseArgs } from "node:util"
import { withoutTokens } from "../secret/without-tokens.ts"

export interface Declared {
  /** Usage lines without the program's name: `post show <post>`. The first one or two words are the command's name. */
  readonly usage: ReadonlyArray<string>
  readonly summary?: string
  /**
   * Lines that are accepted and not shown in help: long forms of options, and input that the command itself refuses
   * with a better message. All options of the command are allowed with them.
   */
  readonly unshown?: ReadonlyArray<string>
  /** True if refusals must not repeat words of the command line, because a word may be secret. */
  readonly isUnquoted?: boolean
}

export interface Program<Command extends Declared> {
  /** The program's name as people type it: `npm run hub --`. */
  readonly name: string
  readonly commands: ReadonlyArray<Command>
  /** The help text on options that every command takes. It also declares these options. */
  readonly common?: string
  /** Makes the error for a wrong command line. The lines in `usage` start with the program's name. */
  readonly refuse: (reason: string, usage: ReadonlyArray<string>) => Error
}

export interface Arguments<Values = Readonly<Record<string, unknown>>> {
  /** The last word of the command's name. For `reactions redo|clear` it is the word that was entered. */
  readonly verb?: string
  /** The words after the name. */
  readonly positionals: ReadonlyArray<string>
  readonly values: Values
}

export type ReadLine<Command extends Declared> =
  | { readonly is: "help"; readonly commands: ReadonlyArray<Command> }
  | { readonly is: "version" }
  | {
      readonly is: "command"
      readonly command: Command
      readonly args: Arguments
      /** All options of the command, by name. */
      readonly options: Readonly<Record<string, Option>>
    }

export interface Option {
  readonly type: "string" | "boolean"
  readonly short?: string
  readonly multiple: boolean
  /** True if the option may be given several times. */
  readonly isRepeated: boolean
  /** The number of values that follow the option's name; 0 for a flag. */
  readonly count: number
}

const MENTION = /(?:-([a-z]), )?--([a-z][a-z-]*)( (?![-|])(?:<[^<>]*>|[^\s<>[\]])+(?: <[^<>]*>)*)?(\]?\.\.\.| …)?/g
const WORD = /(?:<[^<>]*>|\[[^[\]]*\]|\S)+/g
const NO_WORD = /^(?:\[-.*|\[[^<]*|[\s[\]|.…]*)$/
const NAME_WORDS = 2

/** The usage lines, with continuation lines joined to the lines that they continue. */
const linesOf = ({ usage }: Declared): ReadonlyArray<string> => usage.join("\n").replaceAll(/\n\s+/g, " ").split("\n")

/**
 * The options that a text mentions. If it mentions an option several times, the last mention gives the short form, and
 * the last one with a value gives the number of values. The option may be repeated if any mention has `...`.
 */
export const optionsIn = (text: string): Readonly<Record<string, Option>> => {
  const options: Record<string, Option> = {}
  for (const [, short, name = "", value = "", again] of text.matchAll(MENTION)) {
    const { type = "boolean", count = 0, multiple = false, isRepeated: wasRepeated = false } = options[name] ?? {}
    const values = value === "" ? count : Math.max(1, value.split(" <").length - 1)
    const isRepeated = wasRepeated || again !== undefined || (value.endsWith("...") && !value.endsWith(",..."))
    options[name] = {
      type: value === "" ? type : "string",
      ...(short === undefined ? {} : { short }),
      multiple: multiple || isRepeated || values > 1,
      isRepeated,
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

/** The command's name: the fixed words that all of its lines begin with, at most `NAME_WORDS`. */
const nameOf = (command: Declared): ReadonlyArray<string> => {
  const [first = [], ...others] = linesOf(command).map(wordsIn)
  const end = first.findIndex((word, index) => isOpen(word) || others.some((line) => line[index] !== word))
  return first.slice(0, Math.min(NAME_WORDS, end === -1 ? first.length : end))
}

/** True if the given words are fixed words of a line of the command, after its name (`depth` words). */
const isFixed = (command: Declared, given: ReadonlyArray<string>, depth: number): boolean =>
  linesOf(command).some((line) => {
    const words = wordsIn(line).slice(depth)
    return given.every((one, index) => words[index] !== undefined && !isOpen(words[index]) && fits(one, words[index]))
  })

/** The required options: those outside brackets, each with its text in the line. */
const neededIn = (line: string): ReadonlyArray<readonly [name: string, written: string]> =>
  [...line.matchAll(MENTION)].flatMap(({ index, 0: written, 2: name = "" }) => {
    const before = line.slice(0, index)
    return before.split("[").length === before.split("]").length ? [[name, written] as const] : []
  })

interface Line {
  readonly text: string
  /** Names of the options that may be given with these words. */
  readonly options: ReadonlySet<string>
}

interface Misfit {
  /** The number of words before the first one that does not fit. */
  readonly at: number
  /** The number of given options that the line does not allow. */
  readonly strays: number
  readonly reason: string
}

const ANY_OPTION = /\[any of these\b/

/** The lines of a command, each with the options that it allows. */
const patternsOf = (command: Declared, all: Readonly<Record<string, Option>>, common: string): ReadonlyArray<Line> => {
  const everything = new Set(Object.keys(all))
  return [
    ...linesOf(command).map((text) => ({
      text,
      options: ANY_OPTION.test(text) ? everything : new Set(Object.keys(optionsIn(`${text}\n${common}`)))
    })),
    ...(command.unshown ?? []).map((text) => ({ text, options: everything }))
  ]
}

/** The reason why the arguments do not match a line; `null` if they do. */
const misfit = (
  { positionals: given, values }: Arguments,
  { text, options }: Line,
  { depth, isUnquoted }: { readonly depth: number; readonly isUnquoted: boolean }
): Misfit | null => {
  const [stray, ...others] = Object.keys(values).filter((name) => !options.has(name))
  const strays = stray === undefined ? 0 : others.length + 1
  const line = wordsIn(text).slice(depth)
  const last = line.at(-1) ?? ""
  const isEndless = last.endsWith("...") || last.endsWith("...]")
  const at = given.findIndex((one, index) => {
    const word = line[index] ?? (isEndless ? last : undefined)
    return word === undefined || !fits(one, word)
  })
  if (at !== -1) {
    const word = isUnquoted ? (at < line.length ? "another word" : "more words") : given[at]
    return { at, strays, reason: `takes ${at < line.length ? `${line[at]}, not` : "no"} ${word}` }
  }
  const missing = line[given.length]
  if (missing !== undefined && isNeeded(missing))
    return { at: given.length, strays, reason: `needs ${line.slice(given.length).filter(isNeeded).join(" ")}` }
  const [needed] = neededIn(text).filter(([name]) => values[name] === undefined)
  if (needed !== undefined) return { at: given.length, strays, reason: `needs ${needed[1]}` }
  return stray === undefined ? null : { at: given.length, strays, reason: `takes no --${stray} here` }
}

/** Changes `--diff a b` to `--diff a --diff b`, because `parseArgs` allows one value for each mention of an option. */
const spread = (args: ReadonlyArray<string>, options: Readonly<Record<string, Option>>): Array<string> =>
  args.flatMap((arg, index) => {
    const pair = args[index - 2] ?? ""
    return options[pair.slice(2)]?.count === 2 && pair.startsWith("--") && !arg.startsWith("-") ? [pair, arg] : [arg]
  })

/** Options that are handled before other options are parsed. They are refused anywhere else. */
const ALONE = ["help", "version"]

/** The reason why an option is given too often, or with the wrong number of values; `null` if there is none. */
const miscount = (mentions: ReadonlyArray<string>, options: Readonly<Record<string, Option>>): string | null => {
  for (const name of new Set(mentions)) {
    const { type, isRepeated, count } = options[name] ?? { type: "boolean", isRepeated: true, count: 0 }
    if (type === "boolean" && ALONE.includes(name)) return `--${name} stands alone, behind the name`
    const values = mentions.filter((one) => one === name).length
    if (count > 1 && values % count !== 0) return `--${name} takes ${count} values`
    if (type === "string" && !isRepeated && values > count) return `--${name} is given more than once`
  }
  return null
}

const parsed = (args: ReadonlyArray<string>, options: Readonly<Record<string, Option>>): Arguments | string => {
  try {
    const all = spread(args, options)
    const { values, positionals, tokens } = parseArgs({ args: all, allowPositionals: true, options, tokens: true })
    const mentions = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []))
    return miscount(mentions, options) ?? { values, positionals }
  } catch (error) {
    return error instanceof Error ? (error.message.split(/\.\s/)[0] ?? "") : String(error)
  }
}

const shown = ({ name }: Program<Declared>, commands: ReadonlyArray<Declared>): ReadonlyArray<string> =>
  commands.flatMap(linesOf).map((line) => `${name} ${line}`)

const HELP: ReadonlySet<string | undefined> = new Set(["--help", "-h"])

/** Suggests a command that contains the word: `agent suspend` for `suspend`. */
const meantBy = (word: string, commands: ReadonlyArray<Declared>): string => {
  const line = commands.flatMap(linesOf).find((one) => wordsIn(one).some((part) => !isOpen(part) && fits(word, part)))
  return line === undefined ? "" : `; did you mean ${line}`
}

/** Parses a command line. Throws the result of `refuse` if it is wrong. */
export const readCommandLine = <Command extends Declared>(
  program: Program<Command>,
  given: ReadonlyArray<string>
): ReadLine<Command> => {
  const { name, commands, common = "" } = program
  const refuse: Program<Command>["refuse"] = (reason, lines) => program.refuse(withoutTokens(reason), lines)
  let near = commands.map((command) => ({ command, path: nameOf(command) }))
  let depth = 0
  for (; depth < given.length; depth++) {
    const next = near.filter(({ path }) => path[depth] !== undefined && fits(given[depth] ?? "", path[depth] ?? ""))
    if (next.length === 0) break
    near = next
  }
  const found = near.find(({ path }) => path.length === depth)
  const word = given[depth]
  const asksHelp =
    HELP.has(given.at(-1)) &&
    (given.length === depth + 1 || (found !== undefined && isFixed(found.command, given.slice(depth, -1), depth)))
  if (asksHelp || (found === undefined && (word === "help" || given.length === 0)))
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
  const { isUnquoted = false } = command
  const options = optionsIn([...linesOf(command), ...(command.unshown ?? []), common].join("\n"))
  const rest = parsed(given.slice(depth), options)
  if (typeof rest === "string")
    throw refuse(isUnquoted ? "the options are not those of this command" : rest, shown(program, [command]))
  const args = { ...rest, verb: given[depth - 1] ?? "" }
  const misfits = patternsOf(command, options, common).map((line) => misfit(args, line, { depth, isUnquoted }))
  if (!misfits.includes(null)) {
    const [best] = misfits
      .filter((one) => one !== null)
      .toSorted((one, other) => other.at - one.at || one.strays - other.strays)
    throw refuse(`${given.slice(0, depth).join(" ") || name} ${best?.reason}`, shown(program, [command]))
  }
  return { is: "command", command, args, options }
}

/** The help text for these commands. Continuation lines are indented by the length of the program's name. */
export const helpOf = ({ name, common }: Program<Declared>, commands: ReadonlyArray<Declared>): string => {
  const lines = commands.flatMap(({ usage, summary }) => [
    ...usage.map((line) => `  ${line.startsWith(" ") ? " ".repeat(name.length) : name} ${line}`),
    ...(summary === undefined ? [] : summary.split("\n").map((line) => `      ${line}`))
  ])
  return ["usage:", ...lines, ...(common === undefined ? [] : ["", common])].join("\n")
}
