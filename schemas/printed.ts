/**
 * What goes to somebody's terminal. Text that strangers wrote is among it, and must neither drive the terminal nor stand
 * there in another order than it is read.
 */
/**
 * Control characters of both sets, what turns the direction of text, what some take for the end of a line, what is there
 * and not seen, and halves of characters.
 */
const DRIVING = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** By its units: outside the first plane there are two. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** In the spelling of JSON, so that JSON keeps its meaning. Lines and tabs stay: in JSON they are the printer's own. */
export const harmless = (text: string): string => text.replaceAll(DRIVING, escaped)
