/**
 * The agents that a text mentions: `@handle` outside code, link targets, titles of links, texts of images and addresses
 * (contract "Common" and 19). The first ten different handles are looked up.
 *
 * Invariant: the work is proportional to the length of the text.
 */
import { Effect } from "effect"
import { HANDLE_PATTERN } from "../../schemas/agent/fields.ts"
import { MENTIONS_MAX } from "../../schemas/content/fields.ts"
import { holderOf } from "../bus/agent.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"

/** A fence. The text after a fence of backticks must not contain backticks, or it is code within a line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const INDENTED = /^(?: {4}|\t)/
const WORD = /[\p{L}\p{N}]/u
const HANDLE_MAX_CHARS = 32
/** A definition of a link's address for use elsewhere in the text. It is not shown. */
const DEFINITION = /^ {0,3}\[[^[\]]{1,999}\]:/
/** The most characters in which the end of a title or of an image's text is searched. */
const LABEL_MAX_CHARS = 300

/**
 * Removes lines that are not shown as text: code (fenced, or indented after an empty line) and definitions of links.
 */
const withoutBlocks = (text: string): string => {
  let fence = ""
  let before = ""
  let isDefined = false
  const kept: Array<string> = []
  for (const line of text.split("\n")) {
    const marks = FENCE.exec(line)?.[1] ?? ""
    const code = fence !== "" || (INDENTED.test(line) && before === "")
    if (fence === "") fence = marks
    else if (marks.length >= fence.length && marks[0] === fence[0] && line.trim() === marks) fence = ""
    // A definition cannot interrupt a paragraph: there, this line would be text.
    isDefined = !code && (before === "" || isDefined) && DEFINITION.test(line)
    const blank = line.trim() === "" || (code && fence === "" && marks === "")
    before = blank ? "" : line
    kept.push(code || marks !== "" || isDefined ? "" : line)
  }
  return kept.join("\n")
}

/** For each run of backticks by its position, the end of the code that it opens, or 0 if it is not closed. */
const codeEnds = (text: string): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>()
  const nextOf = new Map<number, number>()
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] !== "`") continue
    const end = at + 1
    while (at > 0 && text[at - 1] === "`") at--
    const length = end - at
    ends.set(at, nextOf.get(length) ?? 0)
    nextOf.set(length, end)
  }
  return ends
}

/** The end of an address: the next white space, or the character that closes it. */
export const addressEnd = (text: string, from: number, closing: string): number => {
  let at = from
  while (at < text.length && text.charCodeAt(at) > 32 && text[at] !== closing) at++
  return at
}

/** The handle that begins here, as it is written; empty if there is none. */
const nameAt = (text: string, at: number): string => {
  let end = at
  while (end < text.length && end - at <= HANDLE_MAX_CHARS && /[A-Za-z0-9_-]/.test(text[end] ?? "")) end++
  const handle = text.slice(at, end).replace(/[-_]$/, "")
  // `@name@host` is a name on another host. `@name.` ends a sentence.
  return HANDLE_PATTERN.test(handle) && text[end] !== "@" ? handle : ""
}

/** The handle at a position where an `@` may be; empty if there is none. `before` is the character before the text. */
export const mentionAt = (text: string, at: number, before = " "): string =>
  text[at] === "@" && stands(text[at - 1] ?? before) ? nameAt(text, at + 1) : ""

/** True if a mention may follow this character, because it is not inside a word, an address or a path. */
const stands = (before: string): boolean => !WORD.test(before) && !"@/._+-=&".includes(before)

const TITLE_ENDS: Readonly<Record<string, string>> = { '"': '"', "'": "'", "(": ")" }

const afterSpace = (text: string, from: number): number => {
  let at = from
  while (at < text.length && at - from < LABEL_MAX_CHARS && /\s/.test(text.charAt(at))) at++
  return at
}

/** The position after an address between `<` and `>`, which may contain blanks. */
const enclosedEnd = (text: string, from: number): number => {
  const end = text.slice(from, from + LABEL_MAX_CHARS).search(/[>\n]/)
  return end > 0 && text[from + end] === ">" ? from + end + 1 : from
}

/** The position after a link's address and title. */
const targetEnd = (text: string, from: number): number => {
  const address = text[from] === "<" ? enclosedEnd(text, from) : addressEnd(text, from, ")")
  const begin = afterSpace(text, address)
  const mark = TITLE_ENDS[text.charAt(begin)]
  if (mark === undefined || begin === address) return address
  for (let at = begin + 1; at < text.length && at - begin < LABEL_MAX_CHARS; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === mark) return text[afterSpace(text, at + 1)] === ")" ? at + 1 : address
  }
  return address
}

/** The end of an image's text that begins here; `from` if there is no image. */
const imageTextEnd = (text: string, from: number): number => {
  let open = 0
  for (let at = from; at < text.length && at - from < LABEL_MAX_CHARS; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "[") open++
    else if (text[at] === "]" && open-- === 0) return "([".includes(text.charAt(at + 1) || " ") ? at : from
  }
  return from
}

/**
 * The position after a part without mentions: code, an address, an image's text, or an escaped character. `at` itself
 * if there is no such part.
 */
const passed = (text: string, at: number, ends: ReadonlyMap<number, number>): number => {
  switch (text[at]) {
    case "\\":
      return at + 2
    case "`": {
      let run = at
      while (text[run] === "`") run++
      return ends.get(at) || run
    }
    case "]":
      return text[at + 1] === "(" ? targetEnd(text, at + 2) : at
    case "!":
      return text[at + 1] === "[" ? imageTextEnd(text, at + 2) : at
    case "<":
      return addressEnd(text, at + 1, ">")
    case ":":
      return text.startsWith("//", at + 1) ? addressEnd(text, at + 3, ")") : at
    default:
      return at
  }
}

/** Mentioned handles in lower case, each once, in the order of the text; at most MENTIONS_MAX. */
export const handlesIn = (markdown: string): ReadonlyArray<string> => {
  if (!markdown.includes("@")) return []
  const text = withoutBlocks(markdown)
  const ends = codeEnds(text)
  const found = new Set<string>()
  for (let at = 0; at < text.length && found.size < MENTIONS_MAX;) {
    const further = passed(text, at, ends)
    if (further > at) {
      at = further
      continue
    }
    const handle = mentionAt(text, at)
    if (handle !== "") found.add(handle.toLowerCase())
    at++
  }
  return [...found]
}

/** Hub ids of the agents that the texts mention, without the author's. Unknown handles are ignored. */
export const mentionsIn = (
  bus: Bus,
  call: Call,
  ...texts: ReadonlyArray<string | undefined>
): Effect.Effect<ReadonlyArray<string>, Refused> => {
  const handles = handlesIn(texts.filter((text) => text !== undefined).join("\n\n"))
  const named = Effect.forEach(
    handles,
    (handle) =>
      Effect.catchIf(
        holderOf(bus, call, handle),
        ({ refusal: { code } }) => code === "not_found",
        () => Effect.succeed(null)
      ),
    { concurrency: MENTIONS_MAX }
  )
  // One name costs no more than to learn that nobody has the key.
  const looked = handles.length > 1 ? Effect.andThen(call.known, named) : named
  return Effect.map(looked, (agents) => {
    const others = new Set(agents.filter((agent) => agent !== null))
    others.delete(call.ticket?.home ?? "")
    return [...others]
  })
}
