/**
 * Characters that show nothing: fillers, marks of direction, joiners, selectors, tags (Unicode's default ignorables) and
 * the marks of annotations. Joiners and selectors do not count where they shape what stands beside them: an emoji, a
 * word of a script that joins its letters, an ideograph.
 */
const UNSEEN = /[\p{DI}\ufff9-\ufffb]/gu

/** Scripts in whose words joiners stand. */
const JOINING =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}]/u
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u
const JOINER = /[\u200c\u200d]/
const SELECTOR = /[\ufe00-\ufe0f]/
const EMOJI_SELECTOR = "\ufe0f"
const IDEOGRAPHIC_SELECTOR = /[\u{e0100}-\u{e01ef}]/u
const MONGOLIAN_SELECTOR = /[\u180b-\u180d\u180f]/
const KEYCAP = "\u20e3"

/** The last character before this place; empty at the beginning. */
const before = (text: string, at: number): string => {
  const unit = text.charCodeAt(at - 1)
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? Math.max(0, at - 2) : Math.max(0, at - 1), at)
}

const joinsEmoji = (text: string, at: number): boolean => {
  const last = before(text, at)
  const first = last === EMOJI_SELECTOR ? before(text, at - 1) : last
  return EMOJI.test(first) && /\p{Extended_Pictographic}/u.test(String.fromCodePoint(text.codePointAt(at + 1) ?? 0))
}

const shapes = (text: string, at: number, character: string): boolean => {
  const last = before(text, at)
  if (JOINER.test(character)) return JOINING.test(last) || (character === "\u200d" && joinsEmoji(text, at))
  if (IDEOGRAPHIC_SELECTOR.test(character)) return /\p{sc=Han}/u.test(last)
  if (MONGOLIAN_SELECTOR.test(character)) return /\p{sc=Mong}/u.test(last)
  if (!SELECTOR.test(character)) return false
  return /[\p{Extended_Pictographic}\p{sc=Han}]/u.test(last) || (/[0-9#*]/.test(last) && text[at + 1] === KEYCAP)
}

/** The text with each of them replaced. */
export const unseenReplaced = (text: string, replace: (character: string) => string): string =>
  text.replaceAll(UNSEEN, (character, at: number) => (shapes(text, at, character) ? character : replace(character)))

/** The text without any of them, also where they shape something. */
export const withoutUnseen = (text: string): string => text.replaceAll(UNSEEN, "")

export const hasUnseen = (text: string): boolean =>
  [...text.matchAll(UNSEEN)].some(({ 0: character, index }) => !shapes(text, index, character))
