/**
 * Invisible characters: fillers, marks of direction, joiners, selectors and tags (Unicode's default ignorables), and
 * the marks of annotations and of embedded objects. Blanks that are symbols (of Braille, music and hieroglyphs) are
 * among them. They are allowed if they shape the characters beside them: in an emoji, a word of a script that joins its
 * letters, an ideograph, or a line of Braille.
 */
const UNSEEN = /[\p{DI}\ufff9-\ufffc\u2800\u{1d159}\u{13441}\u{13442}]/gu

/** Scripts that use joiners within words, and marks that several of them share. */
const JOINING =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Mand}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}\p{scx=Sund}\p{scx=Cakm}\p{scx=Mtei}\p{scx=Newa}\p{scx=Tirh}\p{scx=Gran}\p{scx=Brah}]/u
/** The signs that remove a letter's vowel. A joiner may follow one at the end of a word too, to show half a letter. */
const VIRAMA = /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]/
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u
const JOINER = /[\u200c\u200d]/
const SELECTOR = /[\ufe00-\ufe0f]/
const EMOJI_SELECTOR = "\ufe0f"
const IDEOGRAPHIC_SELECTOR = /[\u{e0100}-\u{e01ef}]/u
const MONGOLIAN_SELECTOR = /[\u180b-\u180d\u180f]/
const KEYCAP = "\u20e3"

/** Blanks of a script or notation, each with the characters that it may follow. */
const BLANKS: ReadonlyMap<string, RegExp> = new Map([
  ["\u2800", /[\u2801-\u28ff]/],
  ["\u{1d159}", /[\u{1d100}-\u{1d158}\u{1d15a}-\u{1d1ff}]/u],
  ["\u{13441}", /[\u{13000}-\u{13440}]/u],
  ["\u{13442}", /[\u{13000}-\u{13440}]/u]
])
/** A region's flag is a black flag and the region's letters as tags. Only England, Scotland and Wales have one. */
const BLACK_FLAG = "\u{1f3f4}"
const TAGGED_FLAGS = ["gbeng", "gbsct", "gbwls"].map(
  (region) =>
    `${BLACK_FLAG}${[...region].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u{e007f}`
)
/** A region's flag in UTF-16 units. */
const FLAG_UNITS = TAGGED_FLAGS[0]?.length ?? 0

/** The character before this position; empty at the beginning. */
const before = (text: string, at: number): string => {
  const unit = text.charCodeAt(at - 1)
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? Math.max(0, at - 2) : Math.max(0, at - 1), at)
}

const joinsEmoji = (text: string, at: number): boolean => {
  const last = before(text, at)
  const first = last === EMOJI_SELECTOR ? before(text, at - 1) : last
  return EMOJI.test(first) && /\p{Extended_Pictographic}/u.test(after(text, at))
}

const after = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at + 1) ?? 0)

const joinsLetters = (text: string, at: number, joiner: string): boolean => {
  const last = before(text, at)
  return JOINING.test(last) && (JOINING.test(after(text, at)) || (joiner === "\u200d" && VIRAMA.test(last)))
}

/** Looks back as far as a flag is long, so that a text of tags alone takes no quadratic time. */
const isOfFlag = (text: string, at: number): boolean => {
  const begin = Math.max(0, at - FLAG_UNITS)
  const from = begin + text.slice(begin, at).lastIndexOf(BLACK_FLAG)
  return from >= begin && TAGGED_FLAGS.some((flag) => text.startsWith(flag, from) && at < from + flag.length)
}

const shapes = (text: string, at: number, character: string): boolean => {
  const last = before(text, at)
  if (JOINER.test(character))
    return joinsLetters(text, at, character) || (character === "\u200d" && joinsEmoji(text, at))
  if (character >= "\u{e0020}" && character <= "\u{e007f}") return isOfFlag(text, at)
  const mayFollow = BLANKS.get(character)
  if (mayFollow !== undefined) return mayFollow.test(last) || last === character
  if (IDEOGRAPHIC_SELECTOR.test(character)) return /\p{sc=Han}/u.test(last)
  if (MONGOLIAN_SELECTOR.test(character)) return /\p{sc=Mong}/u.test(last)
  if (!SELECTOR.test(character)) return false
  return /[\p{Extended_Pictographic}\p{sc=Han}]/u.test(last) || (/[0-9#*]/.test(last) && text[at + 1] === KEYCAP)
}

/** The text with each invisible character replaced, except those that shape the characters beside them. */
export const unseenReplaced = (text: string, replace: (character: string) => string): string =>
  text.replaceAll(UNSEEN, (character, at: number) => (shapes(text, at, character) ? character : replace(character)))

/** The text without any invisible characters, even those that shape something. */
export const withoutUnseen = (text: string): string => text.replaceAll(UNSEEN, "")

export const hasUnseen = (text: string): boolean =>
  [...text.matchAll(UNSEEN)].some(({ 0: character, index }) => !shapes(text, index, character))

/** True if a domain has characters that its A-label drops. Its author meant another name, or hides one. */
export const isDropped = (domain: string): boolean => /\p{Cc}/u.test(domain) || hasUnseen(domain)
