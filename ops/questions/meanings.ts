/** The meanings of a bank's texts, for the language model that writes them. */
import type { RemarkKind } from "../../actors/registration/questions/bank/bank.ts"

export const RULES = `You write short texts for stories that a language model must understand at first reading and a program must not: one that counts words, and compares them with lists of words for more and less, up and down, true and false.

- Twins: the texts of two opposite meanings come in pairs of nearly the same words in another order or construction. Who did it to whom, negation, "rather than", "instead of", before and after decide, never a telling word.
- No doubt: an ordinary reader anywhere is certain of the meaning. No irony, no local idiom, nothing that is lent, promised or still to come. Each text tells of one change from what was just before it: never "than at first", "to return" or "too far".
- Variety: no two texts share their construction.
- Grammar: a finite clause in the past tense that may follow "that", in lower case, without a full stop and without quotation marks. Slots stand in braces. {p} and {o} become a name or "the one who keeps bees", so nothing may agree with a sex, and "of {p}" is written in place of "{p}'s". {q} becomes "7 coins", "one coin" or "half of 14 coins", so no verb may agree with it. At most 90 characters.`

interface ActMeaning {
  readonly about: string
  readonly up: string
  readonly down: string
  readonly give?: string
}

const of = (about: string, up: string, down: string): ActMeaning => ({ about, up, down })

export const ACT_MEANINGS: Readonly<Record<string, ActMeaning>> = {
  holdings: {
    about: "countable things that people own; {q} is for example 7 apples, 12 sofas, 3 lambs",
    up: "{p} comes to own {q}",
    down: "{p} loses {q} for good",
    give: "{q} pass from {p}, who had them, to {o}, who then has them"
  },
  purse: of("coins that somebody carries", "{p} has {q} more", "{p} has {q} less, for good"),
  boat: of("passengers on boats", "{q} get on the boat of {p}", "{q} get off the boat of {p}"),
  lift: of("floors of a building", "{p} moves up by {q}", "{p} moves down by {q}"),
  pages: of("somebody's place in a book", "{p} is {q} nearer to the end", "{p} is {q} nearer to the beginning"),
  degrees: of("thermometers", "the thermometer of {p} rises by {q}", "the thermometer of {p} falls by {q}"),
  tank: of("water in tanks", "{q} come into the tank of {p}", "{q} leave the tank of {p}"),
  cart: of("the load of carts", "the cart of {p} gets {q} heavier", "the cart of {p} gets {q} lighter"),
  points: of("points in a game", "{p} gets {q}", "{p} loses {q}"),
  years: of("travels through time", "{p} moves {q} towards the future", "{p} moves {q} towards the past"),
  road: of(
    "a straight road that runs east from the western gate",
    "{p} moves {q} away from the western gate",
    "{p} moves {q} towards the western gate"
  ),
  appointment: of('an appointment (say "appointment")', "that of {p} gets {q} later", "that of {p} gets {q} earlier"),
  meeting: of('a meeting (say "meeting")', "that of {p} gets {q} later", "that of {p} gets {q} earlier"),
  calendar: of('a wedding (say "wedding")', "that of {p} gets {q} later", "that of {p} gets {q} earlier"),
  month: of('a wedding (say "wedding")', "that of {p} gets {q} later", "that of {p} gets {q} earlier"),
  board: of("counters on a ring of squares", "that of {p} goes {q} onward", "that of {p} goes {q} back"),
  tour: of("a circular coach tour", "{p} goes {q} onward", "{p} goes {q} back"),
  wheel: of(
    "pointers on a wheel of colours",
    "that of {p} turns by {q} as a clock's hands do",
    "that of {p} turns by {q} against a clock's hands"
  ),
  alphabet: of("markers on the alphabet", "that of {p} goes {q} towards Z", "that of {p} goes {q} towards A"),
  "shelf-row": of(
    "things in a row on shelves; {w} is for example: the lamp",
    "on the shelf of {p}, {w} moves {q} to the right",
    "on the shelf of {p}, {w} moves {q} to the left"
  ),
  "card-number": of(
    "cards that name things; {w} is a verb phrase, for example: is worn on the hand. Write: each card of {p} that {w}",
    "each card of {p} that {w} gains {q}",
    "each card of {p} that {w} loses {q}"
  ),
  stickers: of(
    "stickers with words; {w} is a word in quotation marks, for example: {q} with {w} on them",
    "{p} gets {q} with {w}",
    "{p} loses {q} with {w} for good"
  )
}

export const REMARK_MEANINGS: Readonly<Record<RemarkKind, string>> = {
  so: "{c}, a clause, happened",
  "not so": "{c}, a clause, did not happen: dreamt, planned and dropped, invented, rightly denied",
  says: "{p} reports that {c}; neither true nor false by itself",
  liar: "nothing that {p} reports happened (never that the opposite of it did)",
  honest: "everything that {p} reports happened",
  contrast: "of two clauses {r} happened and {w} did not; in half of the texts {r} comes first",
  instead:
    "after a sentence in which {w} was told, a number, a name or a thing: {r} is right in its place; in half {r} comes first",
  kept: "after a sentence in which {r} was told, a number, a name or a thing: that is right, and {w} is what somebody wrongly made of it; in half {r} comes first",
  forget: "after a sentence: what it told did not happen",
  aside: "after a sentence: what it told did happen, once, and this remark changes nothing",
  undone: "after a sentence: what it told was completely undone afterwards, so that all is as before it",
  again: "after a sentence: what it told happened once more, the same",
  restated: "{c}, which was told before, is told again, and happened once only",
  denied: "{c}, which was told before, is not true after all",
  selection:
    "{k} is a claim, a clause that may follow if; where it is true {y}, a clause, happened, else {n}, a clause",
  like: "after a sentence about somebody else: the same change happened to {p}, with the number {n}",
  unlike: "after a sentence about somebody else: the opposite change happened to {p}, with the number {n}",
  sign: "a short event that happens once, without a person: a bell rings, a dish breaks",
  between: 'what is told between the events "{f}" and "{t}", in quotation marks, does not count',
  within: 'what is told between the events "{f}" and "{t}", in quotation marks, counts like everything else'
}

const ring = (what: string): string =>
  `{l} are the names in order round the ring, and then the first comes again; {p} begins at {s}, ${what}`

export const TELLING_MEANINGS: Readonly<Record<string, string>> = {
  "holdings start": "at the outset {p} has {s}, such as 35 apples",
  "purse start": "at the outset {p} has {s}, such as 35 coins",
  "boat start": "at the outset {s}, such as 35 passengers, are on the boat of {p}",
  "lift start": "at the outset {p} is on floor {s}",
  "pages start": "at the outset the book of {p} lies open at page {s}",
  "degrees start": "at the outset the thermometer of {p} shows {s} degrees",
  "tank start": "at the outset the tank of {p} holds {s}, such as 80 litres",
  "cart start": "at the outset the load of {p} weighs {s}, such as 80 kilos",
  "points start": "at the outset {p} has {s}, such as 30 points",
  "years start": "the travels of {p} through time begin in the year {s}",
  "road start": "at the outset {p} is {s} metres east of the western gate",
  "appointment start": "the appointment of {p} is first fixed for {s}, a time",
  "meeting start": "the meeting of {p} is first fixed for {s}, a time",
  "calendar start": "the wedding of {p} is first fixed for {s}, such as 12 May",
  "month start": "the wedding of {p} is first fixed for {s}, a month",
  "board start": ring("such as lamp, a square"),
  "tour start": ring("a city on a coach tour"),
  "wheel start": ring("a colour on a wheel, in the order of a clock's hands"),
  "alphabet start": "at the outset the marker of {p} lies on the letter {s}",
  "shelf-row start":
    "everybody's shelf first holds {l}, a list from left to right; a thing pushed beyond an end stays at that end",
  "card-number start": "everybody has cards that name {l}, a list; each is worth {s} points at first",
  "stickers start": "everybody begins with {s} stickers of each of the words {l}, a list",
  "holdings question": "how many {g}, such as apples, {p} has at the end",
  "gap question": "how many more {g}, such as apples, {a} has than {b} at the end",
  "together question": "how many {g}, such as apples, {a} and {b} have together at the end",
  "purse question": "how many coins {p} has at the end",
  "boat question": "how many passengers are on the boat of {p} at the end",
  "lift question": "the number of the floor on which {p} is at the end",
  "pages question": "the number of the page at which {p} is at the end",
  "degrees question": "how many degrees the thermometer of {p} shows at the end",
  "tank question": "how many litres the tank of {p} holds at the end",
  "cart question": "how many kilos the load of {p} weighs at the end",
  "points question": "how many points {p} has at the end",
  "years question": "the year in which {p} is at the end",
  "road question": "how many metres {p} is from the western gate at the end",
  "appointment question": "the time of the appointment of {p} after all changes",
  "meeting question": "the time of the meeting of {p} after all changes",
  "calendar question": "the day of the month only, 1 to 31, of the wedding of {p} after all changes",
  "month question": "the month of the wedding of {p} after all changes",
  "board question": "the square on which the counter of {p} is at the end",
  "tour question": "the city in which {p} is at the end",
  "wheel question": "the colour at which the pointer of {p} points at the end",
  "alphabet question": "the letter on which the marker of {p} is at the end",
  "shelf-row question": "the first letters of all things on the shelf of {p} at the end, from left to right",
  "shelf-part question":
    "the first letters of the things at the end in {n} of the shelf of {p}; {n} is such as: places 2 to 4 (counted from the left)",
  "card-number question": 'what the card "{i}" of {p}, in quotation marks, is worth at the end',
  "card-total question": "what all cards of {p} are worth together at the end",
  "stickers question": "how many stickers of {p} at the end name something that {w}, a verb phrase",
  "legs question": "how many legs all animals on the stickers of {p} have together at the end, each sticker one animal"
}
