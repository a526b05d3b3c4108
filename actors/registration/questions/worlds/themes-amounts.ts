/** Themes whose answer is the final amount of something. */
import { counted, noun, theme } from "./theme.ts"

export const PURSE = theme({
  name: "purse",
  noun: noun("coin", "coins"),
  step: [3, 24],
  start: [30, 80],
  up: [
    "{p} earned {q} | by washing cars",
    "{p} | found {q} in the street",
    "an uncle slipped {x} {q} | at the door",
    "{q} | were paid out to {x}",
    "{p} | sold an old lamp for {q}",
    "the purse of {x} | grew heavier by {q}",
    "{p} | got {q} back from the tax office",
    "a bet | brought {x} {q}",
    "{p} | was tipped {q}",
    "the reward that {p} collected | came to {q}"
  ],
  upForeign: {
    es: "{p} ganó {n} monedas",
    fr: "{p} a gagné {n} pièces",
    de: "{p} verdiente {n} Münzen",
    it: "{p} ha guadagnato {n} monete",
    pt: "{p} ganhou {n} moedas",
    nl: "{p} verdiende {n} munten"
  },
  down: [
    "{p} | spent {q} on soup",
    "{q} | fell through a hole in the pocket of {x}",
    "{p} | was fined {q}",
    "a pickpocket | lightened the purse of {x} by {q}",
    "{p} | paid {q} for a ticket",
    "the bridge toll | cost {x} {q}",
    "{p} | put {q} into the collection box",
    "{p} | wasted {q} on a slot machine",
    "{p} | threw {q} into the fountain for luck",
    "the baker | charged {x} {q} for a cake"
  ],
  downForeign: {
    es: "{p} gastó {n} monedas",
    fr: "{p} a dépensé {n} pièces",
    de: "{p} gab {n} Münzen aus",
    it: "{p} ha speso {n} monete",
    pt: "{p} gastou {n} moedas",
    nl: "{p} gaf {n} munten uit"
  },
  startText: counted,
  starting: [
    "at the very start {p} had {s}",
    "{p} set out with {s}",
    "before anything of this, {p} owned {s}",
    "the purse of {x} held {s} in the beginning"
  ],
  question: [
    "How many coins does {x} have in the end?",
    "When all is done, what is in the purse of {x}, in coins?",
    "Work out with how many coins {x} is left."
  ]
})

export const BOAT = theme({
  name: "boat",
  noun: noun("passenger", "passengers|travellers"),
  step: [3, 22],
  start: [25, 70],
  up: [
    "{q} | boarded the boat of {x}",
    "{q} came aboard | at the boat of {x}",
    "{p} | took {q} on board",
    "the boat that {p} steers | filled up by {q}",
    "{p} | let {q} step onto the deck",
    "{q} | climbed over the rail to {x}",
    "{p} welcomed {q} | on the boat",
    "at a jetty {q} | got on, and it was the boat of {x},",
    "the gangway of {x} | saw {q} go up"
  ],
  upForeign: {
    es: "{n} pasajeros subieron al barco de {p}",
    fr: "{n} passagers sont montés sur le bateau de {p}",
    de: "{n} Fahrgäste stiegen bei {p} ins Boot ein",
    it: "{n} passeggeri sono saliti sulla barca di {p}",
    pt: "{n} passageiros entraram no barco de {p}",
    nl: "{n} passagiers stapten bij {p} aan boord"
  },
  down: [
    "{q} | left the boat of {x}",
    "{q} went ashore | from the boat of {x}",
    "{p} | put {q} ashore",
    "the boat that {p} steers | emptied by {q}",
    "{q} | said goodbye to {x} and walked off along the pier",
    "{p} | had to drop {q} at an island",
    "at a jetty {q} | got off, and it was the boat of {x},",
    "the gangway of {x} | saw {q} go down",
    "{p} | landed {q}"
  ],
  downForeign: {
    es: "{n} pasajeros bajaron del barco de {p}",
    fr: "{n} passagers sont descendus du bateau de {p}",
    de: "{n} Fahrgäste stiegen bei {p} aus dem Boot aus",
    it: "{n} passeggeri sono scesi dalla barca di {p}",
    pt: "{n} passageiros saíram do barco de {p}",
    nl: "{n} passagiers gingen bij {p} van boord"
  },
  startText: counted,
  starting: [
    "when it cast off, the boat of {x} had {s}",
    "{p} began the trip with {s}",
    "{s} were on the boat of {x} at the outset"
  ],
  question: [
    "How many passengers are on the boat of {x} at the end?",
    "What is the final number of passengers on the boat of {x}?",
    "How many travellers does {x} have aboard in the end?"
  ]
})

export const TANK = theme({
  name: "tank",
  noun: noun("litre", "litres"),
  step: [3, 26],
  start: [40, 120],
  up: [
    "{p} | poured {q} into the tank",
    "rain | brought {q} into the tank of {x}",
    "the tank of {x} | gained {q}",
    "{p} | pumped in {q}",
    "{q} ran in | at the tank of {x}",
    "{p} topped the tank up | with {q}",
    "a hose | filled {q} into the tank of {x}",
    "{p} | emptied a barrel of {q} into the tank"
  ],
  upForeign: {
    es: "{p} echó {n} litros en el depósito",
    fr: "{p} a versé {n} litres dans le réservoir",
    de: "{p} füllte {n} Liter in den Tank",
    it: "{p} ha versato {n} litri nel serbatoio",
    pt: "{p} deitou {n} litros no depósito",
    nl: "{p} goot {n} liter in de tank"
  },
  down: [
    "{p} | drew {q} from the tank",
    "a leak | cost the tank of {x} {q}",
    "the tank of {x} | lost {q}",
    "{p} | pumped out {q}",
    "{q} ran out | of the tank of {x}",
    "{p} watered the beans | with {q} from the tank",
    "thirsty cows | drank {q} from the tank of {x}",
    "{q} | evaporated from the tank of {x}"
  ],
  downForeign: {
    es: "{p} sacó {n} litros del depósito",
    fr: "{p} a tiré {n} litres du réservoir",
    de: "{p} ließ {n} Liter aus dem Tank ab",
    it: "{p} ha tolto {n} litri dal serbatoio",
    pt: "{p} tirou {n} litros do depósito",
    nl: "{p} haalde {n} liter uit de tank"
  },
  startText: counted,
  starting: [
    "at first the tank of {x} held {s}",
    "{p} found {s} in the tank to begin with",
    "before all this there were {s} in the tank of {x}"
  ],
  question: [
    "How many litres does the tank of {x} hold at the end?",
    "What is left in the tank of {x}, in litres?",
    "Say how much the tank of {x} contains in the end, in litres."
  ]
})

export const CART = theme({
  name: "cart",
  noun: noun("kilo", "kilos|kilograms"),
  step: [3, 30],
  start: [60, 160],
  up: [
    "{p} | loaded {q} of turnips onto the cart",
    "the cart of {x} | became {q} heavier",
    "{q} of sand | were shovelled onto the cart of {x}",
    "{p} | heaved on another {q}",
    "a boy | threw {q} of scrap onto the cart of {x}",
    "{p} | stacked {q} of logs on top",
    "rainwater | added {q} to the load of {x}",
    "{p} accepted {q} | of hay"
  ],
  upForeign: {
    es: "{p} cargó {n} kilos más en el carro",
    fr: "{p} a chargé {n} kilos de plus sur la charrette",
    de: "{p} lud {n} Kilo auf den Karren",
    it: "{p} ha caricato {n} chili sul carro",
    pt: "{p} carregou mais {n} quilos na carroça",
    nl: "{p} laadde {n} kilo op de kar"
  },
  down: [
    "{p} | unloaded {q} of turnips",
    "the cart of {x} | became {q} lighter",
    "{q} of sand | trickled off the cart of {x}",
    "{p} | took off {q}",
    "a boy | stole {q} of scrap from the cart of {x}",
    "{p} | delivered {q} of logs to a widow",
    "goats | ate {q} of the load of {x}",
    "{p} lost {q} | in a bend"
  ],
  downForeign: {
    es: "{p} descargó {n} kilos del carro",
    fr: "{p} a déchargé {n} kilos de la charrette",
    de: "{p} lud {n} Kilo vom Karren ab",
    it: "{p} ha scaricato {n} chili dal carro",
    pt: "{p} descarregou {n} quilos da carroça",
    nl: "{p} haalde {n} kilo van de kar"
  },
  startText: counted,
  starting: [
    "the load of {x} weighed {s} at first",
    "{p} set off with {s} on the cart",
    "at the outset the cart of {x} carried {s}"
  ],
  question: [
    "What does the load of {x} weigh at the end, in kilos?",
    "How many kilos are on the cart of {x} in the end?",
    "Find the final weight of the load of {x}, in kilos."
  ]
})

export const POINTS = theme({
  name: "points",
  noun: noun("point", "points"),
  step: [2, 18],
  start: [20, 60],
  up: [
    "{p} | scored {q}",
    "the judges | awarded {x} {q}",
    "{q} | went on the account of {x}",
    "{p} | gained {q} with a lucky throw",
    "a bonus | brought {x} {q}",
    "{p} pulled ahead | by {q}",
    "the score of {x} | improved by {q}",
    "{p} | was credited with {q}"
  ],
  upForeign: {
    es: "{p} consiguió {n} puntos",
    fr: "{p} a marqué {n} points",
    de: "{p} gewann {n} Punkte dazu",
    it: "{p} ha guadagnato {n} punti",
    pt: "{p} conseguiu {n} pontos",
    nl: "{p} kreeg er {n} punten bij"
  },
  down: [
    "{p} | lost {q}",
    "the judges | took {q} from {x}",
    "{q} | were struck from the account of {x}",
    "a foul | cost {x} {q}",
    "{p} | forfeited {q} by a clumsy throw",
    "the score of {x} | suffered by {q}",
    "{p} fell back | by {q}",
    "{p} | was docked {q}"
  ],
  downForeign: {
    es: "a {p} le quitaron {n} puntos",
    fr: "{p} a perdu {n} points",
    de: "{p} verlor {n} Punkte",
    it: "{p} ha perso {n} punti",
    pt: "{p} perdeu {n} pontos",
    nl: "{p} verloor {n} punten"
  },
  startText: counted,
  starting: ["{p} began with {s}", "{x} had {s} before the first round", "the scoreboard gave {x} {s} at the outset"],
  question: [
    "What is the final score of {x}?",
    "With how many points does {x} finish?",
    "How many points stand beside {x} at the end?"
  ]
})
