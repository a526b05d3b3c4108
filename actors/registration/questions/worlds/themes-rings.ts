/** Themes of counters on a ring of named places. */
import type { Random } from "../random.ts"
import type { Theme } from "./accumulate.ts"
import { noun, theme } from "./theme.ts"

const CITIES = [
  "Lisbon",
  "Oslo",
  "Prague",
  "Cairo",
  "Lima",
  "Hanoi",
  "Dublin",
  "Athens",
  "Zagreb",
  "Quito",
  "Nairobi",
  "Seoul",
  "Vienna",
  "Tunis",
  "Warsaw",
  "Havana",
  "Riga",
  "Madrid",
  "Ankara",
  "Bergen"
]
const SQUARES = [
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
  "ladder",
  "saddle",
  "anchor",
  "barrel",
  "crown",
  "feather"
]
const COLOURS = [
  "red",
  "blue",
  "green",
  "yellow",
  "white",
  "black",
  "orange",
  "purple",
  "brown",
  "silver",
  "pink",
  "grey"
]
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

interface Ring {
  readonly names: ReadonlyArray<string>
  readonly theme: Theme
}

type Words = Parameters<typeof theme>[0]

type Texts = Pick<
  Words,
  "name" | "noun" | "up" | "down" | "upForeign" | "downForeign" | "starting" | "question" | "step"
> & {
  readonly listed: (names: string) => ReadonlyArray<string>
}

const ring = (names: ReadonlyArray<string>, { listed, ...texts }: Texts, rest: Partial<Words> = {}): Ring => ({
  names,
  theme: theme({
    ...texts,
    start: [0, names.length - 1],
    signed: true,
    startText: (start) => names[start] ?? "",
    names,
    known: (teller) => [teller.random.pick(listed(names.join(", ")))],
    ...rest
  })
})

export const boardRing = (random: Random): Ring =>
  ring(random.sample(SQUARES, 9), {
    name: "board",
    noun: noun("square", "squares|fields"),
    step: [2, 11],
    listed: (names) => [
      `the squares of the ring are, clockwise, ${names}, and then the first again`,
      `clockwise round the board lie ${names}, after which it begins anew`
    ],
    up: [
      "the counter of {x} | moved {q} clockwise",
      "{p} advanced | by {q}",
      "{p} | pushed the counter {q} ahead",
      "a lucky card | carried {x} {q} onward",
      "{p} went {q} | in the direction of a clock's hands",
      "{p} | hopped forward by {q}",
      "the die | gave {x} {q} forward"
    ],
    down: [
      "the counter of {x} | moved {q} anticlockwise",
      "{p} retreated | by {q}",
      "{p} | pulled the counter {q} back",
      "an unlucky card | threw {x} {q} back",
      "{p} went {q} | against the direction of a clock's hands",
      "{p} | hopped backward by {q}"
    ],
    upForeign: {
      es: "{p} avanzó {n} casillas",
      fr: "{p} a avancé de {n} cases",
      de: "{p} rückte {n} Felder vor",
      it: "{p} è avanzato di {n} caselle",
      pt: "{p} avançou {n} casas",
      nl: "{p} ging {n} vakjes vooruit"
    },
    downForeign: {
      es: "{p} retrocedió {n} casillas",
      fr: "{p} a reculé de {n} cases",
      de: "{p} rückte {n} Felder zurück",
      it: "{p} è retrocesso di {n} caselle",
      pt: "{p} recuou {n} casas",
      nl: "{p} ging {n} vakjes achteruit"
    },
    starting: [
      "{p} began on the {s}",
      "the counter of {x} stood on the {s} at first",
      "at the outset {p} was on the {s}"
    ],
    question: [
      "On which square does the counter of {x} end?",
      "Where on the board is {x} at the end?",
      "Which square holds the counter of {x} when all is over?"
    ]
  })

export const tramRing = (random: Random): Ring =>
  ring(random.sample(CITIES, 9), {
    name: "tour",
    noun: noun("stop", "stops"),
    step: [2, 11],
    listed: (names) => [
      `the tour goes round in a circle: ${names} and back to the first`,
      `in this order the circular tour stops at ${names}, then it starts over`
    ],
    up: [
      "{p} | rode on {q}",
      "the coach took {x} {q} further | along the tour",
      "{p} stayed seated | for {q} in the usual direction",
      "{p} | left {q} behind and got out at the last of them,",
      "{p} travelled {q} onward | with the tour",
      "{q} further on | {p} put up for the night"
    ],
    down: [
      "{p} | rode back {q}",
      "a coach going the other way | took {x} {q} back",
      "{p} | returned by {q}",
      "{p} travelled {q} | against the order of the tour",
      "because of a forgotten hat {p} | went {q} back",
      "homesickness | drove {x} back by {q}"
    ],
    upForeign: {
      es: "{p} siguió {n} paradas adelante",
      fr: "{p} a continué de {n} arrêts",
      de: "{p} fuhr {n} Stationen weiter",
      it: "{p} è andato avanti di {n} fermate",
      pt: "{p} seguiu {n} paragens em frente",
      nl: "{p} reisde {n} haltes verder"
    },
    downForeign: {
      es: "{p} volvió {n} paradas atrás",
      fr: "{p} est revenu de {n} arrêts",
      de: "{p} fuhr {n} Stationen zurück",
      it: "{p} è tornato indietro di {n} fermate",
      pt: "{p} voltou {n} paragens atrás",
      nl: "{p} reisde {n} haltes terug"
    },
    starting: ["{p} began in {s}", "at first {p} was in {s}", "{s} is where {p} set out"],
    question: [
      "In which city is {x} at the end?",
      "Where has {x} arrived in the end?",
      "Name the city in which {x} finishes."
    ]
  })

export const colourRing = (random: Random): Ring =>
  ring(random.sample(COLOURS, 9), {
    name: "wheel",
    noun: noun("colour", "colours|sectors"),
    step: [2, 11],
    listed: (names) => [
      `to the right round the wheel follow ${names}, and then the first again`,
      `the wheel shows, turning right, ${names}, then it repeats`
    ],
    up: [
      "the pointer of {x} | turned {q} to the right",
      "{p} | nudged the pointer {q} rightwards",
      "a push | sent the pointer of {x} {q} to the right",
      "{p} | turned right by {q}",
      "for {x} | it went {q} to the right",
      "{p} dialled {q} | rightward"
    ],
    down: [
      "the pointer of {x} | turned {q} to the left",
      "{p} | nudged the pointer {q} leftwards",
      "a recoil | sent the pointer of {x} {q} to the left",
      "{p} | turned left by {q}",
      "for {x} | it went {q} to the left",
      "{p} dialled {q} | leftward"
    ],
    upForeign: {
      es: "{p} giró {n} colores a la derecha",
      fr: "{p} a tourné de {n} couleurs vers la droite",
      de: "{p} drehte {n} Farben nach rechts",
      it: "{p} ha girato di {n} colori a destra",
      pt: "{p} rodou {n} cores para a direita",
      nl: "{p} draaide {n} kleuren naar rechts"
    },
    downForeign: {
      es: "{p} giró {n} colores a la izquierda",
      fr: "{p} a tourné de {n} couleurs vers la gauche",
      de: "{p} drehte {n} Farben nach links",
      it: "{p} ha girato di {n} colori a sinistra",
      pt: "{p} rodou {n} cores para a esquerda",
      nl: "{p} draaide {n} kleuren naar links"
    },
    starting: [
      "the pointer of {x} was on {s} at first",
      "{p} began at {s}",
      "at the outset {s} was what {p} pointed at"
    ],
    question: [
      "To which colour does {x} point at the end?",
      "On what colour does the pointer of {x} come to rest?",
      "Which colour is pointed at by {x} in the end?"
    ]
  })

export const letterRing = (): Ring =>
  ring(
    LETTERS,
    {
      name: "alphabet",
      noun: noun("letter", "letters"),
      step: [2, 8],
      listed: () => [
        "the cards are those of the English alphabet from A to Z",
        "everybody has a row of the English alphabet, from A to Z"
      ],
      up: [
        "{p} | moved {q} on towards Z",
        "the marker of {x} | advanced by {q}",
        "{p} | counted {q} onward",
        "{p} | slid the marker {q} further down the alphabet",
        "the marker of {x} | went {q} in the order children learn them",
        "a spell | carried {x} {q} ahead"
      ],
      down: [
        "{p} | moved {q} back towards A",
        "the marker of {x} | retreated by {q}",
        "{p} | counted {q} backward",
        "{p} | slid the marker {q} against the alphabet",
        "the marker of {x} | went {q} in reverse order",
        "a spell | threw {x} {q} back"
      ],
      upForeign: {
        es: "{p} avanzó {n} letras",
        fr: "{p} a avancé de {n} lettres",
        de: "{p} ging {n} Buchstaben weiter",
        it: "{p} è avanzato di {n} lettere",
        pt: "{p} avançou {n} letras",
        nl: "{p} ging {n} letters vooruit"
      },
      downForeign: {
        es: "{p} retrocedió {n} letras",
        fr: "{p} a reculé de {n} lettres",
        de: "{p} ging {n} Buchstaben zurück",
        it: "{p} è tornato indietro di {n} lettere",
        pt: "{p} recuou {n} letras",
        nl: "{p} ging {n} letters terug"
      },
      starting: [
        "{p} began at the letter {s}",
        "the marker of {x} lay on the letter {s} at first",
        "at the outset it was the letter {s} for {x}"
      ],
      question: [
        "On which letter is the marker of {x} at the end?",
        "At what letter does {x} arrive?",
        "Which letter is it for {x} in the end?"
      ]
    },
    { within: [0, LETTERS.length - 1] }
  )
