/** Worlds of a row of things that are moved to the left and to the right. The question is about their order. */
import { only } from "../language/closing.ts"
import { inNumbers, inPlaces } from "./readouts.ts"
import { noun } from "./theme.ts"
import type { Random } from "../random.ts"
import { NONE } from "../story/world.ts"
import type { Act, Move, Teller, World } from "../story/world.ts"

const THINGS = [
  "lamp",
  "kite",
  "globe",
  "basket",
  "mirror",
  "drum",
  "vase",
  "candle",
  "rope",
  "whistle",
  "bell",
  "flute",
  "kettle",
  "saddle",
  "anchor",
  "barrel",
  "crown",
  "feather",
  "helmet",
  "pumpkin"
]
const PLACES = 6
const STEP = 3
const PART = 3

const ACTS: ReadonlyArray<Act> = [
  {
    english: [
      "{p} | moved {w} {q} to the right",
      "{p} | pushed {w} rightwards by {q}",
      "on the shelf of {x} | {w} went {q} to the right",
      "{w} travelled {q} | towards the right end on the shelf of {x}",
      "{p} | let {w} overtake others by {q} on its right",
      "{p} had {w} shifted right | by {q}"
    ],
    foreign: {
      es: "{p} movió {w} {n} puestos a la derecha",
      fr: "{p} a déplacé {w} de {n} places vers la droite",
      de: "{p} schob {w} um {n} Plätze nach rechts",
      it: "{p} ha spostato {w} di {n} posti a destra",
      pt: "{p} moveu {w} {n} lugares para a direita",
      nl: "{p} schoof {w} {n} plaatsen naar rechts"
    }
  },
  {
    english: [
      "{p} | moved {w} {q} to the left",
      "{p} | pushed {w} leftwards by {q}",
      "on the shelf of {x} | {w} went {q} to the left",
      "{w} travelled {q} | towards the left end on the shelf of {x}",
      "{p} | let {w} overtake others by {q} on its left",
      "{p} had {w} shifted left | by {q}"
    ],
    foreign: {
      es: "{p} movió {w} {n} puestos a la izquierda",
      fr: "{p} a déplacé {w} de {n} places vers la gauche",
      de: "{p} schob {w} um {n} Plätze nach links",
      it: "{p} ha spostato {w} di {n} posti a sinistra",
      pt: "{p} moveu {w} {n} lugares para a esquerda",
      nl: "{p} schoof {w} {n} plaatsen naar links"
    }
  }
]

/** The row after the moves of person 0. A thing that would move past the end stops there. */
function shelved(row: ReadonlyArray<number>, moves: ReadonlyArray<Move>): ReadonlyArray<number> {
  const shelf = [...row]
  for (const { act, who, what, n } of moves) {
    if (who !== 0) continue
    const from = shelf.indexOf(what)
    shelf.splice(from, 1)
    shelf.splice(Math.max(0, Math.min(PLACES - 1, from + (act === 0 ? n : -n))), 0, what)
  }
  return shelf
}

function row(random: Random, from: number, to: number, question: (teller: Teller) => string): World {
  const things = distinct(random)
  const start = [...things.keys()]
  return {
    acts: ACTS,
    noun: noun("place", "places"),
    foreignNoun: null,
    things: things.map((thing) => [`the ${thing}`]),
    parts: ["n", "who", "act", "what"],
    asked: [0],
    others: [1, 2],
    draw: (drawing, who) => ({
      act: drawing.int(0, 1),
      who,
      whom: NONE,
      n: drawing.int(1, STEP),
      what: drawing.int(0, PLACES - 1)
    }),
    answer: (moves) =>
      shelved(start, moves)
        .slice(from, to)
        .map((thing) => things[thing]?.charAt(0).toUpperCase())
        .join(""),
    setting: (teller) => [
      teller.worded(
        "shelf-row start",
        [
          "everybody's shelf first held, from left to right, {l}; what is pushed too far stops at the end",
          "everyone started with the same row, from the left: {l} (nothing goes beyond the last place)"
        ],
        { l: () => things.join(", ") }
      )
    ],
    question,
    ...inNumbers,
    closing: only.number(random),
    scale: (drawing, end) => {
      const letter = drawing.pick([...end])
      return inPlaces(`the place of ${letter} among these letters (1 is the leftmost)`, (letters) =>
        letters.indexOf(letter)
      )
    }
  }
}

/** Draws things whose first letters all differ. */
function distinct(random: Random): ReadonlyArray<string> {
  const initials = new Set<string>()
  const chosen = random.shuffle(THINGS).filter((thing) => initials.size < initials.add(thing.charAt(0)).size)
  return chosen.slice(0, PLACES)
}

export const shelfRow = (random: Random): World =>
  row(random, 0, PLACES, (teller) =>
    teller.worded(
      "shelf-row question",
      [
        "From left to right, with which letters do the things on the shelf of {p} begin at the end?",
        "Spell the first letters of what stands on the shelf of {p} at the end, from the left."
      ],
      { p: () => teller.person(0) }
    )
  )

export function shelfPart(random: Random): World {
  const from = random.int(1, 2)
  return row(random, from, from + PART, (teller) =>
    teller.worded(
      "shelf-part question",
      [
        "At the end, with which letters do the things in {n} on the shelf of {p} begin?",
        "Which initials have the things that stand in {n} on the shelf of {p} at the end?"
      ],
      { n: () => `places ${from + 1} to ${from + PART} (counted from the left)`, p: () => teller.person(0) }
    )
  )
}
