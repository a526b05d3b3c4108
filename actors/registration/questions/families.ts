/**
 * The list of all families. All but the last two are reasoning families: the reader must combine facts to find the
 * answer.
 */
import type { Engine, Family } from "./family.ts"
import { counting } from "./worlds/accumulate.ts"
import type { Readout, Theme } from "./worlds/accumulate.ts"
import { cardNumber, cardTotal, legs, stickers } from "./worlds/cards.ts"
import { gap, holdings, together } from "./worlds/people.ts"
import { asDayOfMonth, asGap, asNumber, asTime, asTime12, onRing } from "./worlds/readouts.ts"
import { shelfPart, shelfRow } from "./worlds/shelf.ts"
import { BOAT, CART, POINTS, PURSE, TANK } from "./worlds/themes-amounts.ts"
import { boardRing, colourRing, letterRing, tramRing } from "./worlds/themes-rings.ts"
import { DEGREES, LIFT, PAGES, ROAD, YEARS } from "./worlds/themes-scales.ts"
import { APPOINTMENT, CALENDAR, MEETING, MONTH_RING, MONTHS } from "./worlds/themes-times.ts"
import type { Random } from "./random.ts"

const plain = (name: string, world: Family["world"], engine: Engine = "sum"): Family => ({
  name,
  reasoning: true,
  engine,
  format: null,
  world,
  formatted: null
})

const sums = (theme: Theme, readout: Readout = asNumber): Family =>
  plain(theme.name, (random) => counting(random, theme, readout))

const goods = (name: string, make: (random: Random) => Theme, readout: Readout = asNumber): Family =>
  plain(name, (random) => counting(random, make(random), readout))

const ring = (
  name: string,
  make: typeof boardRing,
  place = "the place of that word in the order told (1 is the first)"
): Family =>
  plain(name, (random) => {
    const { names, theme } = make(random)
    return counting(random, theme, onRing(names, place))
  })

const JSON_CLOSING = [
  'Reply with a JSON object whose only key is "answer" and whose value is that number.',
  'Give the number as JSON, in an object with the single key "answer" and nothing else.'
]

/** Checks that names are unique. With the same name twice, a challenge could have two questions of one kind. */
export function registry(families: ReadonlyArray<Family>): ReadonlyArray<Family> {
  const seen = new Set<string>()
  for (const { name } of families) {
    if (seen.has(name)) throw new Error(`question family ${name}: the name is taken`)
    seen.add(name)
  }
  return families
}

export const FAMILIES = registry([
  goods("holdings", holdings),
  goods("gap", gap, asGap),
  goods("together", together),
  ...[PURSE, BOAT, LIFT, PAGES, DEGREES, TANK, CART, POINTS, YEARS, ROAD].map((theme) => sums(theme)),
  sums(APPOINTMENT, asTime),
  sums(MEETING, asTime12),
  sums(CALENDAR, asDayOfMonth),
  sums(MONTH_RING, onRing(MONTHS, "the number of that month (1 is January)")),
  ring("board", boardRing),
  ring("tour", tramRing),
  ring("wheel", colourRing),
  ring("alphabet", letterRing, "the place of that letter in the alphabet (1 is A)"),
  plain("shelf-row", shelfRow, "row"),
  plain("shelf-part", shelfPart, "row"),
  plain("card-number", cardNumber, "cards"),
  plain("card-total", cardTotal, "cards"),
  plain("stickers", stickers, "collection"),
  plain("legs", legs, "collection"),
  {
    name: "json-answer",
    reasoning: false,
    engine: "sum",
    format: "json",
    world: (random) => counting(random, holdings(random), asNumber),
    formatted: (random, answer) => ({ answer: `{"answer":${answer}}`, closing: random.pick(JSON_CLOSING) })
  },
  {
    name: "locker-tag",
    reasoning: false,
    engine: "sum",
    format: "exact",
    world: (random) => counting(random, PURSE, asNumber),
    formatted: (random, answer) => {
      const tag = random.pick(["KX", "QR", "VD", "MZ", "TB"])
      return {
        answer: `${tag}-${answer.padStart(4, "0")}`,
        closing: `Write the number with leading zeros to four digits, behind ${tag} and a hyphen: 7 would be ${tag}-0007.`
      }
    }
  }
])
