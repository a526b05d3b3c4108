/** Themes whose answer is the final position on a scale. */
import { noun, theme } from "./theme.ts"

export const LIFT = theme({
  name: "lift",
  noun: noun("floor", "floors|storeys"),
  step: [2, 14],
  start: [15, 40],
  up: [
    "{p} | went up {q}",
    "the lift with {x} in it | climbed {q}",
    "{p} rode {q} | towards the roof",
    "{p} | walked up the stairs past {q}",
    "{p} rose | by {q}",
    "the button that {p} pressed | took the cabin {q} higher",
    "{p} | got {q} nearer to the roof",
    "{p} ascended {q} | with a heavy bag",
    "it was {q} upwards | for {x}"
  ],
  upForeign: {
    es: "{p} subió {n} pisos",
    fr: "{p} est monté de {n} étages",
    de: "{p} fuhr {n} Stockwerke nach oben",
    it: "{p} è salito di {n} piani",
    pt: "{p} subiu {n} andares",
    nl: "{p} ging {n} verdiepingen omhoog"
  },
  down: [
    "{p} | went down {q}",
    "the lift with {x} in it | sank by {q}",
    "{p} rode {q} | towards the cellar",
    "{p} | slid down the banisters for {q}",
    "{p} descended {q} | with a heavy bag",
    "the button that {p} pressed | took the cabin {q} lower",
    "{p} | got {q} nearer to the street",
    "it was {q} downwards | for {x}",
    "{p} | came down by {q}"
  ],
  downForeign: {
    es: "{p} bajó {n} pisos",
    fr: "{p} est descendu de {n} étages",
    de: "{p} fuhr {n} Stockwerke nach unten",
    it: "{p} è sceso di {n} piani",
    pt: "{p} desceu {n} andares",
    nl: "{p} ging {n} verdiepingen omlaag"
  },
  starting: [
    "{p} started on floor {s}",
    "everything began for {x} on floor {s}",
    "in the beginning {p} stood on floor number {s}"
  ],
  question: [
    "On which floor (its number) is {x} at the end?",
    "What is the number of the floor where {x} ends up?",
    "Find the floor number at which {x} finally stands."
  ]
})

export const PAGES = theme({
  name: "pages",
  noun: noun("page", "pages"),
  step: [3, 40],
  start: [80, 200],
  up: [
    "{p} | read on for {q}",
    "{p} leafed {q} | forward",
    "the bookmark of {x} | moved {q} towards the end",
    "{p} | skipped {q} that looked dull",
    "a gust of wind turned {q} | forward for {x}",
    "{p} | got through {q} before tea",
    "{p} advanced | by {q}",
    "{q} | were devoured by {x}",
    "{p} | jumped ahead by {q}"
  ],
  upForeign: {
    es: "{p} avanzó {n} páginas",
    fr: "{p} a avancé de {n} pages",
    de: "{p} blätterte {n} Seiten vor",
    it: "{p} è andato avanti di {n} pagine",
    pt: "{p} avançou {n} páginas",
    nl: "{p} bladerde {n} bladzijden vooruit"
  },
  down: [
    "{p} | turned back {q}",
    "{p} leafed {q} | towards the beginning",
    "the bookmark of {x} | slipped {q} towards the cover",
    "{p} | returned by {q} to check a name",
    "a gust of wind turned {q} | backwards for {x}",
    "{p} | had to read the last {q} anew, and went back to where they began,",
    "{p} | lost {q} of progress",
    "{p} | leapt back by {q}"
  ],
  downForeign: {
    es: "{p} retrocedió {n} páginas",
    fr: "{p} est revenu {n} pages en arrière",
    de: "{p} blätterte {n} Seiten zurück",
    it: "{p} è tornato indietro di {n} pagine",
    pt: "{p} voltou {n} páginas atrás",
    nl: "{p} bladerde {n} bladzijden terug"
  },
  starting: [
    "{p} opened a book at page {s}",
    "on page {s} the book of {x} lay open when it all began",
    "{p} began on page {s}"
  ],
  question: [
    "On which page is {x} in the end (the number)?",
    "At what page number does {x} arrive?",
    "Which page number lies before {x} when the story ends?"
  ]
})

export const DEGREES = theme({
  name: "degrees",
  noun: noun("degree", "degrees"),
  step: [2, 12],
  start: [30, 60],
  up: [
    "it got {q} warmer | at the place of {x}",
    "the oven of {x} | heated up by {q}",
    "{p} | turned the dial {q} up",
    "the mercury of {x} | climbed {q}",
    "{p} noted a rise | of {q}",
    "{p} | saw the thermometer gain {q}",
    "the sun | added {q} at the window of {x}",
    "{p} lit a stove, | and it became {q} hotter there,",
    "the reading of {x} | went up by {q}"
  ],
  upForeign: {
    es: "el termómetro de {p} subió {n} grados",
    fr: "le thermomètre de {p} est monté de {n} degrés",
    de: "das Thermometer von {p} stieg um {n} Grad",
    it: "il termometro di {p} è salito di {n} gradi",
    pt: "o termómetro de {p} subiu {n} graus",
    nl: "de thermometer van {p} steeg {n} graden"
  },
  down: [
    "it got {q} colder | at the place of {x}",
    "the oven of {x} | cooled by {q}",
    "{p} | turned the dial {q} down",
    "the mercury of {x} | sank {q}",
    "{p} noted a drop | of {q}",
    "{p} | saw the thermometer lose {q}",
    "a draught | took away {q} at the window of {x}",
    "{p} let in the night air, | and it became {q} cooler there,",
    "the reading of {x} | fell by {q}"
  ],
  downForeign: {
    es: "el termómetro de {p} bajó {n} grados",
    fr: "le thermomètre de {p} a baissé de {n} degrés",
    de: "das Thermometer von {p} fiel um {n} Grad",
    it: "il termometro di {p} è sceso di {n} gradi",
    pt: "o termómetro de {p} desceu {n} graus",
    nl: "de thermometer van {p} daalde {n} graden"
  },
  starting: [
    "the thermometer of {x} showed {s} degrees at first",
    "{p} first read {s} degrees",
    "at the outset it was {s} degrees for {x}"
  ],
  question: [
    "What does the thermometer of {x} show at the end, in degrees?",
    "How many degrees does {x} read last of all?",
    "Find the last reading of {x}, in degrees."
  ]
})

export const YEARS = theme({
  name: "years",
  noun: noun("year", "years"),
  step: [2, 30],
  start: [1700, 1900],
  up: [
    "the time machine of {x} | jumped {q} ahead",
    "{p} travelled {q} | into the future",
    "{p} | turned the dial {q} forward",
    "{p} | stepped out {q} later in history",
    "{p} | leapt over {q} towards our time",
    "the journey took {x} {q} | closer to the present",
    "{p} | flew forward by {q}"
  ],
  upForeign: {
    es: "{p} viajó {n} años hacia el futuro",
    fr: "{p} a voyagé {n} ans vers l'avenir",
    de: "{p} reiste {n} Jahre in die Zukunft",
    it: "{p} ha viaggiato {n} anni nel futuro",
    pt: "{p} viajou {n} anos para o futuro",
    nl: "{p} reisde {n} jaar naar de toekomst"
  },
  down: [
    "the time machine of {x} | jumped {q} back",
    "{p} travelled {q} | into the past",
    "{p} | turned the dial {q} backward",
    "{p} stepped out | {q} earlier than before",
    "{p} | leapt over {q} towards antiquity",
    "the journey took {x} {q} | further from the present",
    "{p} | flew back by {q}"
  ],
  downForeign: {
    es: "{p} viajó {n} años hacia el pasado",
    fr: "{p} a voyagé {n} ans vers le passé",
    de: "{p} reiste {n} Jahre in die Vergangenheit",
    it: "{p} ha viaggiato {n} anni nel passato",
    pt: "{p} viajou {n} anos para o passado",
    nl: "{p} reisde {n} jaar naar het verleden"
  },
  starting: [
    "{p} set out in the year {s}",
    "in {s} the travels of {x} through time began",
    "{s} was the year in which {p} started"
  ],
  question: [
    "In which year does {x} end up?",
    "What year is it around {x} at the end?",
    "Name the year in which {x} finally stands."
  ]
})

export const ROAD = theme({
  name: "road",
  noun: noun("metre", "metres"),
  step: [3, 45],
  start: [150, 400],
  up: [
    "{p} | walked {q} east",
    "{p} drifted {q} | towards the sunrise",
    "{p} went {q} | away from the western gate",
    "a tailwind from the west | pushed {x} on by {q}",
    "{p} | strolled {q} in the direction of the morning sun",
    "{p} | crawled {q} eastward"
  ],
  upForeign: {
    es: "{p} caminó {n} metros hacia el este",
    fr: "{p} a marché {n} mètres vers l'est",
    de: "{p} ging {n} Meter nach Osten",
    it: "{p} ha camminato {n} metri verso est",
    pt: "{p} andou {n} metros para leste",
    nl: "{p} liep {n} meter naar het oosten"
  },
  down: [
    "{p} | walked {q} west",
    "{p} drifted {q} | towards the sunset",
    "{p} went {q} | back to the western gate",
    "a wind from the east | pushed {x} along by {q}",
    "{p} | strolled {q} in the direction of the evening sun",
    "{p} | crawled {q} westward",
    "{p} | came {q} closer to the western gate"
  ],
  downForeign: {
    es: "{p} caminó {n} metros hacia el oeste",
    fr: "{p} a marché {n} mètres vers l'ouest",
    de: "{p} ging {n} Meter nach Westen",
    it: "{p} ha camminato {n} metri verso ovest",
    pt: "{p} andou {n} metros para oeste",
    nl: "{p} liep {n} meter naar het westen"
  },
  known: () => ["the road runs straight from the western gate to the east"],
  starting: [
    "{p} stood {s} metres from the western gate at first",
    "{s} metres east of the western gate {p} began",
    "at the outset {s} metres lay between {x} and the western gate"
  ],
  question: [
    "How many metres from the western gate is {x} at the end?",
    "In the end, how far is {x} from the western gate, in metres?",
    "Give the final distance in metres between {x} and the western gate."
  ]
})
