/** Reduces a password to simpler forms, as an attacker would. */

/** Enough for 200 syllables of any script. Some single characters expand to whole sentences. */
const PLAIN_MAX_CHARS = 800

/** Lower case, plain letters in place of compatible ones, without accents. */
export const plainOf = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().slice(0, PLAIN_MAX_CHARS)

/** Removes all characters but letters and digits. */
export const compactOf = (plain: string): string => plain.replaceAll(/[^\p{L}\p{N}]/gu, "")

const LETTER_OF: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "8": "b",
  "(": "c",
  "3": "e",
  "6": "g",
  "9": "g",
  "0": "o",
  "5": "s",
  $: "s",
  "7": "t",
  "+": "t",
  "2": "z"
}

/** Replaces digits and signs that are used for letters. `1`, `!` and `|` are used for both i and l. */
const spelledOut = (plain: string, stroke: "i" | "l"): string =>
  plain.replaceAll(/[@483690572$(+1!|]/g, (sign) => LETTER_OF[sign] ?? stroke)

export const spellingsOf = (plain: string): ReadonlyArray<string> => [
  ...new Set([plain, spelledOut(plain, "i"), spelledOut(plain, "l")])
]
