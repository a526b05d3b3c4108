/**
 * Makes text safe for a terminal. Text by strangers must not control the terminal, change the order in which text
 * appears, or contain invisible characters.
 */
import { unseenReplaced } from "./unseen.ts"

/** Control characters, characters that some programs take as a line end, and lone surrogates. */
const DRIVING = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029]/gu

/** Escapes each UTF-16 unit. A character outside the basic plane has two. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/**
 * Escapes control characters and invisible characters in the form of JSON, so that JSON keeps its meaning. `\n` and
 * tabs stay, because in JSON they come only from formatting.
 */
export const harmless = (text: string): string => unseenReplaced(text.replaceAll(DRIVING, escaped), escaped)
