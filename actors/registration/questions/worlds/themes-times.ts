/** Themes about appointments that are made earlier or later. */
import { clock, clock12 } from "../language/clock.ts"
import { noun, theme } from "./theme.ts"

export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

const appointment = (name: string, what: string, startText: (start: number) => string) =>
  theme({
    name,
    noun: noun("minute", "minutes"),
    step: [4, 48],
    start: [8 * 60, 17 * 60],
    up: [
      `the ${what} of {x} | was put off by {q}`,
      `{p} | moved the ${what} {q} further towards the evening`,
      `a delay of {q} | befell the ${what} of {x}`,
      `the ${what} that {p} had booked | slipped by {q}`,
      `{p} | had the ${what} postponed by {q}`,
      `a traffic jam | pushed the ${what} of {x} to {q} later`,
      `{p} begged for {q} more | before the ${what}, and got them,`,
      `the ${what} of {x} | was made {q} later`
    ],
    upForeign: {
      es: `la cita de {p} se retrasó {n} minutos`,
      fr: `le rendez-vous de {p} a été retardé de {n} minutes`,
      de: `der Termin von {p} wurde um {n} Minuten nach hinten verschoben`,
      it: `l'appuntamento di {p} è stato ritardato di {n} minuti`,
      pt: `o encontro de {p} foi atrasado {n} minutos`,
      nl: `de afspraak van {p} werd {n} minuten later`
    },
    down: [
      `the ${what} of {x} | was brought forward by {q}`,
      `{p} | moved the ${what} {q} closer to the morning`,
      `{p} | got the ${what} to begin {q} sooner`,
      `the ${what} that {p} had booked | was advanced by {q}, to an earlier moment,`,
      `the impatience of {x} | made the ${what} {q} earlier`,
      `{p} | gained {q}, the ${what} being set earlier by so much,`,
      `the ${what} of {x} | now began {q} earlier than announced before`
    ],
    downForeign: {
      es: `la cita de {p} se adelantó {n} minutos`,
      fr: `le rendez-vous de {p} a été avancé de {n} minutes`,
      de: `der Termin von {p} wurde um {n} Minuten vorgezogen`,
      it: `l'appuntamento di {p} è stato anticipato di {n} minuti`,
      pt: `o encontro de {p} foi antecipado {n} minutos`,
      nl: `de afspraak van {p} werd {n} minuten vervroegd`
    },
    startText,
    starting: [
      `the ${what} of {x} was first fixed for {s}`,
      `at the outset the ${what} of {x} stood at {s} in the diary`,
      `{p} had originally booked the ${what} for {s}`
    ],
    question: [
      `At what time does the ${what} of {x} take place after all this?`,
      `For when is the ${what} of {x} fixed in the end?`,
      `Find the final time of the ${what} of {x}.`
    ]
  })

export const APPOINTMENT = appointment("appointment", "appointment", clock)
export const MEETING = appointment("meeting", "meeting", clock12)

const dayText = (day: number): string => {
  const date = new Date(Date.UTC(2023, 0, day))
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

const FESTIVE = {
  up: [
    "the wedding of {x} | was put off by {q}",
    "{p} postponed the wedding | by {q}",
    "{p} | moved the wedding {q} further into the year",
    "a flood | delayed the wedding of {x} by {q}",
    "the wedding of {x} | slipped {q} towards December",
    "{p} | let the guests wait {q} longer for the wedding"
  ],
  down: [
    "the wedding of {x} | was brought forward by {q}",
    "{p} | had the wedding take place {q} sooner",
    "{p} | moved the wedding {q} closer to New Year's Day of that year",
    "an impatient aunt | made the wedding of {x} {q} earlier",
    "the wedding of {x} | came {q} earlier than announced before"
  ],
  question: (what: string): ReadonlyArray<string> => [
    `${what} does the wedding of {x} take place in the end?`,
    `${what} is the wedding of {x} held after all these changes?`
  ]
}

export const CALENDAR = theme({
  name: "calendar",
  noun: noun("day", "days"),
  step: [3, 26],
  start: [90, 260],
  ...FESTIVE,
  upForeign: {
    es: "la boda de {p} se aplazó {n} días",
    fr: "le mariage de {p} a été repoussé de {n} jours",
    de: "die Hochzeit von {p} wurde um {n} Tage nach hinten verschoben",
    it: "il matrimonio di {p} è stato rinviato di {n} giorni",
    pt: "o casamento de {p} foi adiado {n} dias",
    nl: "de bruiloft van {p} werd {n} dagen uitgesteld"
  },
  downForeign: {
    es: "la boda de {p} se adelantó {n} días",
    fr: "le mariage de {p} a été avancé de {n} jours",
    de: "die Hochzeit von {p} wurde um {n} Tage vorgezogen",
    it: "il matrimonio di {p} è stato anticipato di {n} giorni",
    pt: "o casamento de {p} foi antecipado {n} dias",
    nl: "de bruiloft van {p} werd {n} dagen vervroegd"
  },
  startText: dayText,
  starting: [
    "the wedding of {x} was first announced for {s}",
    "at the outset {p} wanted to marry on {s}",
    "{s} was the day first chosen for the wedding of {x}"
  ],
  question: FESTIVE.question("On which day of the month (only its number, 1 to 31)")
})

export const MONTH_RING = theme({
  name: "month",
  noun: noun("month", "months"),
  step: [1, 11],
  start: [0, 11],
  signed: true,
  ...FESTIVE,
  up: FESTIVE.up.filter((frame) => !/year|December/.test(frame)),
  down: FESTIVE.down.filter((frame) => !/year/i.test(frame)),
  upForeign: {
    es: "la boda de {p} se aplazó {n} meses",
    fr: "le mariage de {p} a été repoussé de {n} mois",
    de: "die Hochzeit von {p} wurde um {n} Monate nach hinten verschoben",
    it: "il matrimonio di {p} è stato rinviato di {n} mesi",
    pt: "o casamento de {p} foi adiado {n} meses",
    nl: "de bruiloft van {p} werd {n} maanden uitgesteld"
  },
  downForeign: {
    es: "la boda de {p} se adelantó {n} meses",
    fr: "le mariage de {p} a été avancé de {n} mois",
    de: "die Hochzeit von {p} wurde um {n} Monate vorgezogen",
    it: "il matrimonio di {p} è stato anticipato di {n} mesi",
    pt: "o casamento de {p} foi antecipado {n} meses",
    nl: "de bruiloft van {p} werd {n} maanden vervroegd"
  },
  startText: (start) => MONTHS[start] ?? "",
  starting: [
    "the wedding of {x} was first announced for {s}",
    "at the outset {p} wanted to marry in {s}",
    "{s} was the month first chosen for the wedding of {x}"
  ],
  question: FESTIVE.question("In which month (of whatever year)")
})
