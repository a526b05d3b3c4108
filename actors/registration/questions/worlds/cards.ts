/**
 * Worlds of cards and stickers with words on them. Moves and questions refer to them by what is known of the things
 * that the words name.
 */
import { LEGS } from "../bank/animals.ts"
import type { Bank, Matrix, Property } from "../bank/bank.ts"
import { only } from "../language/closing.ts"
import type { Random } from "../random.ts"
import { NONE } from "../story/world.ts"
import type { Act, Teller, World } from "../story/world.ts"
import { inNumbers } from "./readouts.ts"
import { noun } from "./theme.ts"

const CARDS = 5
const FEW_CARDS = 4
const RELEVANT_OF_TEN = 8
const PROPERTIES = 6
const MIN_SIDES = 3
const DEALS_MAX = 1000

const MARKING: ReadonlyArray<Act> = [
  {
    english: [
      "{p} | added {q} to each card that {w}",
      "each card of {x} that {w} | gained {q}",
      "{p} | raised by {q} everything that {w}",
      "{q} | went to each card of {x} that {w}",
      "whatever {w} | rose by {q} for {x}",
      "{p} made everything that {w} | dearer by {q}"
    ],
    foreign: {
      es: '{p} sumó {n} puntos a cada tarjeta "that {w}"',
      fr: '{p} a ajouté {n} points à chaque carte "that {w}"',
      de: '{p} zählte {n} Punkte zu jeder Karte dazu, "that {w}"',
      it: '{p} ha aggiunto {n} punti a ogni carta "that {w}"',
      pt: '{p} somou {n} pontos a cada cartão "that {w}"',
      nl: '{p} gaf {n} punten erbij aan elke kaart "that {w}"'
    }
  },
  {
    english: [
      "{p} | took {q} off each card that {w}",
      "each card of {x} that {w} | lost {q}",
      "{p} | lowered by {q} everything that {w}",
      "{p} | struck {q} from each card that {w}",
      "whatever {w} | fell by {q} for {x}",
      "{p} made everything that {w} | cheaper by {q}"
    ],
    foreign: {
      es: '{p} restó {n} puntos a cada tarjeta "that {w}"',
      fr: '{p} a retiré {n} points à chaque carte "that {w}"',
      de: '{p} zog {n} Punkte von jeder Karte ab, "that {w}"',
      it: '{p} ha tolto {n} punti a ogni carta "that {w}"',
      pt: '{p} tirou {n} pontos a cada cartão "that {w}"',
      nl: '{p} trok {n} punten af van elke kaart "that {w}"'
    }
  }
]

const has = (property: Property, item: string): boolean => property.yes.has(item)

/** A property (`yes`), or its absence. */
interface Side {
  readonly property: Property
  readonly yes: boolean
}

interface Deal {
  readonly items: ReadonlyArray<string>
  readonly sides: ReadonlyArray<Side>
}

/**
 * Draws cards for which every drawn property is known. Properties that hold for all of the cards or for none are left
 * out.
 */
function deal(random: Random, bank: Bank, cards: number, properties: number): Deal {
  for (let attempt = 0; attempt < DEALS_MAX; attempt++) {
    const { items, properties: all } = random.pick(bank.matrices) as Matrix
    const drawn = random.sample(all, Math.min(properties, all.length))
    const known = random.shuffle(items.filter((item) => drawn.every(({ unsure }) => !unsure.has(item))))
    // Up to two cards with each property are chosen first, because most items have few of the properties.
    const chosen = new Set<string>()
    for (const property of random.shuffle(drawn))
      for (const item of known.filter((one) => has(property, one)).slice(0, 2))
        if (chosen.size < cards) chosen.add(item)
    for (const item of known) if (chosen.size < cards) chosen.add(item)
    const dealt = random.shuffle([...chosen])
    const telling = drawn.filter(
      (property) => dealt.some((item) => has(property, item)) && dealt.some((item) => !has(property, item))
    )
    if (dealt.length < cards || telling.length < MIN_SIDES) continue
    return {
      items: dealt,
      sides: telling.flatMap((property) => [
        { property, yes: true },
        { property, yes: false }
      ])
    }
  }
  throw new Error("questions: no matrix gives cards that can be told apart")
}

interface Marking {
  readonly deal: Deal
  readonly start: number
  /** Indices of the cards whose points the question adds up. */
  readonly counted: ReadonlyArray<number>
  readonly question: (teller: Teller) => string
}

/** A world of points on cards. Each move changes all cards of a person that have a property, or that lack it. */
function marking(random: Random, { deal: { items, sides }, start, counted, question }: Marking): World {
  const touching = (what: number): number =>
    counted.filter((index) => has((sides[what] as Side).property, items[index] ?? "") === sides[what]?.yes).length
  const relevant = [...sides.keys()].filter((what) => touching(what) > 0)
  return {
    acts: MARKING,
    noun: noun("point", "points"),
    foreignNoun: null,
    things: sides.map(({ property, yes }) => (yes ? property.is : property.not)),
    parts: ["n", "who", "act"],
    asked: [0],
    others: [1, 2],
    ...inNumbers,
    closing: only.number(random),
    draw: (drawing, who) => {
      const what = drawing.int(1, 10) <= RELEVANT_OF_TEN ? drawing.pick(relevant) : drawing.int(0, sides.length - 1)
      return { act: drawing.int(0, 1), who, whom: NONE, n: drawing.int(2, 15), what }
    },
    answer: (moves) => {
      const total = moves
        .filter(({ who }) => who === 0)
        .reduce((sum, { act, n, what }) => sum + (act === 0 ? n : -n) * touching(what), start * counted.length)
      return total < 0 ? null : String(total)
    },
    setting: (teller) => [
      teller.worded(
        "card-number start",
        [
          "everyone has cards that name these things: {l}; at first each is worth {s}",
          "the cards of all name things ({l}), each worth {s} points at the outset"
        ],
        { l: () => items.join(", "), s: () => String(start) }
      )
    ],
    question
  }
}

export function cardNumber(random: Random, bank: Bank): World {
  const dealt = deal(random, bank, CARDS, PROPERTIES)
  const index = random.int(0, CARDS - 1)
  return marking(random, {
    deal: dealt,
    start: random.int(40, 70),
    counted: [index],
    question: (teller) =>
      teller.worded(
        "card-number question",
        [
          'What is the card "{i}" of {p} worth at the end?',
          'At the end, how many points has the card saying "{i}" that belongs to {p}?'
        ],
        { i: () => dealt.items[index] ?? "", p: () => teller.person(0) }
      )
  })
}

export function cardTotal(random: Random, bank: Bank): World {
  const dealt = deal(random, bank, FEW_CARDS, PROPERTIES)
  return marking(random, {
    deal: dealt,
    start: random.int(30, 50),
    counted: [...dealt.items.keys()],
    question: (teller) =>
      teller.worded(
        "card-total question",
        ["What are the cards of {p} worth together at the end?", "Add up the final points of all the cards of {p}."],
        { p: () => teller.person(0) }
      )
  })
}

const STICKING: ReadonlyArray<Act> = [
  {
    english: [
      "{p} got {q} | saying {w}",
      "{q} with {w} | came to {x}",
      "{p} | was sent {q} reading {w}",
      "{p} | found {q} with {w} in a drawer",
      "{p} bought {q} | that say {w}",
      "the collection of {x} | grew by {q} saying {w}"
    ],
    foreign: {
      es: "{p} recibió {n} pegatinas {w}",
      fr: "{p} a reçu {n} autocollants {w}",
      de: "{p} bekam {n} Aufkleber {w}",
      it: "{p} ha ricevuto {n} adesivi {w}",
      pt: "{p} recebeu {n} autocolantes {w}",
      nl: "{p} kreeg {n} stickers {w}"
    }
  },
  {
    english: [
      "{p} lost {q} | saying {w}",
      "somebody | took {q} with {w} from {x}",
      "{p} | sold {q} reading {w}",
      "{p} | tore up {q} with {w}",
      "{p} traded {q} | that say {w} for a bun",
      "the collection of {x} | shrank by {q} saying {w}"
    ],
    foreign: {
      es: "{p} perdió {n} pegatinas {w}",
      fr: "{p} a perdu {n} autocollants {w}",
      de: "{p} verlor {n} Aufkleber {w}",
      it: "{p} ha perso {n} adesivi {w}",
      pt: "{p} perdeu {n} autocolantes {w}",
      nl: "{p} verloor {n} stickers {w}"
    }
  }
]

interface Collection {
  readonly items: ReadonlyArray<string>
  /** The value of one sticker of each kind in the question. */
  readonly worth: ReadonlyArray<number>
  readonly start: number
  readonly step: readonly [number, number]
  readonly question: (teller: Teller) => string
}

function collecting(random: Random, { items, worth, start, step, question }: Collection): World {
  const relevant = [...items.keys()].filter((index) => worth[index] !== 0)
  return {
    acts: STICKING,
    noun: noun("sticker", "stickers"),
    foreignNoun: null,
    things: items.map((item) => [`"${item}"`]),
    parts: ["n", "who", "act", "what"],
    asked: [0],
    others: [1, 2],
    ...inNumbers,
    closing: only.number(random),
    draw: (drawing, who) => {
      const what = drawing.int(1, 10) <= RELEVANT_OF_TEN ? drawing.pick(relevant) : drawing.int(0, items.length - 1)
      return { act: drawing.int(0, 1), who, whom: NONE, n: drawing.int(...step), what }
    },
    answer: (moves) => {
      const counts = items.map(() => start)
      for (const { act, who, what, n } of moves) {
        if (who !== 0) continue
        counts[what] = (counts[what] ?? 0) + (act === 0 ? n : -n)
        // Nobody can lose more than they have at that moment.
        if ((counts[what] ?? 0) < 0) return null
      }
      return String(counts.reduce((sum, count, index) => sum + count * (worth[index] ?? 0), 0))
    },
    setting: (teller) => [
      teller.worded(
        "stickers start",
        [
          "at first everybody had {s} stickers each of the words {l}",
          "everyone starts with {s} stickers of each kind: {l}"
        ],
        { l: () => items.join(", "), s: () => String(start) }
      )
    ],
    question
  }
}

export function stickers(random: Random, bank: Bank): World {
  const dealt = deal(random, bank, 5, PROPERTIES)
  const side = random.pick(
    dealt.sides.filter(({ property, yes }) => dealt.items.filter((item) => has(property, item) === yes).length >= 2)
  )
  if (side === undefined) return stickers(random, bank)
  const { property, yes } = side
  return collecting(random, {
    items: dealt.items,
    worth: dealt.items.map((item) => (has(property, item) === yes ? 1 : 0)),
    start: random.int(20, 30),
    step: [2, 18],
    question: (teller) =>
      teller.worded(
        "stickers question",
        [
          "How many stickers naming something that {w} does {p} have in the end?",
          "At the end, on how many stickers of {p} does a word stand for a thing that {w}?"
        ],
        { p: () => teller.person(0), w: () => random.pick(yes ? property.is : property.not) }
      )
  })
}

export function legs(random: Random): World {
  const animals = random.sample(Object.keys(LEGS), 3)
  if (animals.filter((animal) => LEGS[animal] !== 0).length < 2) return legs(random)
  return collecting(random, {
    items: animals,
    worth: animals.map((animal) => LEGS[animal] ?? 0),
    start: random.int(12, 16),
    step: [2, 9],
    question: (teller) =>
      teller.worded(
        "legs question",
        [
          "If every animal on the stickers of {p} came alive at the end, how many legs would they have all together?",
          "Count the legs of all the animals, each sticker one animal, that are named on the stickers of {p} in the end."
        ],
        { p: () => teller.person(0) }
      )
  })
}
