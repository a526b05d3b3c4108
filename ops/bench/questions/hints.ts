/**
 * Guesses the meaning of a text from single words. Lists have words that suggest more, less, true or false. A negation
 * shortly before a word reverses it.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const MORE = words(
  "up upwards upward upstairs higher rise rose rising climbed climbing roof above ascended more grow grew longer late later " +
    "postponed delayed evening afternoon forward ahead onward on further end future tomorrow younger newer east eastward " +
    "sunrise away right rightwards clockwise warm warmer hot hotter heated heavy heavier gain gained gains win won winner get " +
    "got received earned found keep kept bought buyer aboard boarded into onto in filled added plus bonus reward after z next"
)
const LESS = words(
  "down downwards downward downstairs lower fall fell falling sank sinking cellar below descended less shrink shrank shorter " +
    "early earlier morning breakfast back backward backwards beginning start past yesterday older west westward sunset " +
    "towards left leftwards anticlockwise cold colder cool cooler lighter lose lost loser losing gave give paid spent sold " +
    "seller ashore out empty emptied minus fine penalty before a previous off"
)
const TRUE = words(
  "true truth fact facts real right really happened happen did correct believe believed yes honest truthful trust counts " +
    "confirmed stands stayed stays valid genuine again twice"
)
const FALSE = words(
  "false lie lies lied liar dream dreamt joke plan wrong mistake mistaken invented invention rumour denied deny doubt " +
    "doubted error untrue fiction fake skip cancelled undone undo reversed reverse dropped opposite contrary"
)
const NEGATIONS = words("not no never nor instead rather than without neither nobody nothing")
const REACH = 3

const score = (text: string, plus: ReadonlySet<string>, minus: ReadonlySet<string>): number => {
  const all =
    text
      .toLowerCase()
      .replace(/\{\w\}/g, " x ")
      .match(/\p{L}+/gu) ?? []
  return all.reduce((sum, word, at) => {
    const sign = plus.has(word) ? 1 : minus.has(word) ? -1 : 0
    const negations = all.slice(Math.max(0, at - REACH), at).filter((before) => NEGATIONS.has(before)).length
    return sum + (negations % 2 === 0 ? sign : -sign)
  }, 0)
}

/** Positive if a clause seems to add something. */
export const seemsMore = (text: string): number => score(text, MORE, LESS)
/** Positive if a remark seems to say that something happened. */
export const seemsTrue = (text: string): number => score(text, TRUE, FALSE)
