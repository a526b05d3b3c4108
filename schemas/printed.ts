/**
 * Text for somebody's terminal. Text that strangers wrote is among it, and must neither drive the terminal, nor stand
 * there in another order than it is read, nor hold what nobody sees.
 */
import { unseenReplaced } from "./unseen.ts"

/**
 * Control characters of both sets, what turns the direction of text, what some take for the end of a line, and halves of
 * characters.
 */
const DRIVING = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029]/gu

/** By its units: outside the first plane there are two. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** In the spelling of JSON, so that JSON keeps its meaning. Lines and tabs stay: in JSON they are the printer's own. */
export const harmless = (text: string): string => unseenReplaced(text.replaceAll(DRIVING, escaped), escaped)
