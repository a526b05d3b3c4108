/** Themes whose answer is the final count. */
import { noun, theme } from "./theme.ts"

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
  upForeign:
    "{p} ganó {n} monedas | {p} a gagné {n} pièces | {p} verdiente {n} Münzen | {p} ha guadagnato {n} monete | {p} ganhou {n} moedas | {p} verdiende {n} munten",
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
  downForeign:
    "{p} gastó {n} monedas | {p} a dépensé {n} pièces | {p} gab {n} Münzen aus | {p} ha speso {n} monete | {p} gastou {n} moedas | {p} gaf {n} munten uit",
  starting: [
    "at the very start {p} had {q}",
    "{p} set out with {q}",
    "before anything of this, {p} owned {q}",
    "the purse of {x} held {q} in the beginning"
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
  upForeign:
    "{n} pasajeros subieron al barco de {p} | {n} passagers sont montés sur le bateau de {p} | {n} Fahrgäste stiegen bei {p} ins Boot ein | {n} passeggeri sono saliti sulla barca di {p} | {n} passageiros entraram no barco de {p} | {n} passagiers stapten bij {p} aan boord",
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
  downForeign:
    "{n} pasajeros bajaron del barco de {p} | {n} passagers sont descendus du bateau de {p} | {n} Fahrgäste stiegen bei {p} aus dem Boot aus | {n} passeggeri sono scesi dalla barca di {p} | {n} passageiros saíram do barco de {p} | {n} passagiers gingen bij {p} van boord",
  starting: [
    "when it cast off, the boat of {x} had {q}",
    "{p} began the trip with {q}",
    "{q} were on the boat of {x} at the outset"
  ],
  question: [
    "How many passengers are on the boat of {x} at the end?",
    "What is the final number of passengers on the boat of {x}?",
    "How many travellers does {x} have aboard in the end?"
  ]
})

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
  upForeign:
    "{p} subió {n} pisos | {p} est monté de {n} étages | {p} fuhr {n} Stockwerke nach oben | {p} è salito di {n} piani | {p} subiu {n} andares | {p} ging {n} verdiepingen omhoog",
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
  downForeign:
    "{p} bajó {n} pisos | {p} est descendu de {n} étages | {p} fuhr {n} Stockwerke nach unten | {p} è sceso di {n} piani | {p} desceu {n} andares | {p} ging {n} verdiepingen omlaag",
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
  upForeign:
    "{p} avanzó {n} páginas | {p} a avancé de {n} pages | {p} blätterte {n} Seiten vor | {p} è andato avanti di {n} pagine | {p} avançou {n} páginas | {p} bladerde {n} bladzijden vooruit",
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
  downForeign:
    "{p} retrocedió {n} páginas | {p} est revenu {n} pages en arrière | {p} blätterte {n} Seiten zurück | {p} è tornato indietro di {n} pagine | {p} voltou {n} páginas atrás | {p} bladerde {n} bladzijden terug",
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
  upForeign:
    "el termómetro de {p} subió {n} grados | le thermomètre de {p} est monté de {n} degrés | das Thermometer von {p} stieg um {n} Grad | il termometro di {p} è salito di {n} gradi | o termómetro de {p} subiu {n} graus | de thermometer van {p} steeg {n} graden",
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
  downForeign:
    "el termómetro de {p} bajó {n} grados | le thermomètre de {p} a baissé de {n} degrés | das Thermometer von {p} fiel um {n} Grad | il termometro di {p} è sceso di {n} gradi | o termómetro de {p} desceu {n} graus | de thermometer van {p} daalde {n} graden",
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
  upForeign:
    "{p} echó {n} litros en el depósito | {p} a versé {n} litres dans le réservoir | {p} füllte {n} Liter in den Tank | {p} ha versato {n} litri nel serbatoio | {p} deitou {n} litros no depósito | {p} goot {n} liter in de tank",
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
  downForeign:
    "{p} sacó {n} litros del depósito | {p} a tiré {n} litres du réservoir | {p} ließ {n} Liter aus dem Tank ab | {p} ha tolto {n} litri dal serbatoio | {p} tirou {n} litros do depósito | {p} haalde {n} liter uit de tank",
  starting: [
    "at first the tank of {x} held {q}",
    "{p} found {q} in the tank to begin with",
    "before all this there were {q} in the tank of {x}"
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
  upForeign:
    "{p} cargó {n} kilos más en el carro | {p} a chargé {n} kilos de plus sur la charrette | {p} lud {n} Kilo auf den Karren | {p} ha caricato {n} chili sul carro | {p} carregou mais {n} quilos na carroça | {p} laadde {n} kilo op de kar",
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
  downForeign:
    "{p} descargó {n} kilos del carro | {p} a déchargé {n} kilos de la charrette | {p} lud {n} Kilo vom Karren ab | {p} ha scaricato {n} chili dal carro | {p} descarregou {n} quilos da carroça | {p} haalde {n} kilo van de kar",
  starting: [
    "the load of {x} weighed {q} at first",
    "{p} set off with {q} on the cart",
    "at the outset the cart of {x} carried {q}"
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
  upForeign:
    "{p} consiguió {n} puntos | {p} a marqué {n} points | {p} gewann {n} Punkte dazu | {p} ha guadagnato {n} punti | {p} conseguiu {n} pontos | {p} kreeg er {n} punten bij",
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
  downForeign:
    "a {p} le quitaron {n} puntos | {p} a perdu {n} points | {p} verlor {n} Punkte | {p} ha perso {n} punti | {p} perdeu {n} pontos | {p} verloor {n} punten",
  starting: ["{p} began with {q}", "{x} had {q} before the first round", "the scoreboard gave {x} {q} at the outset"],
  question: [
    "What is the final score of {x}?",
    "With how many points does {x} finish?",
    "How many points stand beside {x} at the end?"
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
  upForeign:
    "{p} viajó {n} años hacia el futuro | {p} a voyagé {n} ans vers l'avenir | {p} reiste {n} Jahre in die Zukunft | {p} ha viaggiato {n} anni nel futuro | {p} viajou {n} anos para o futuro | {p} reisde {n} jaar naar de toekomst",
  down: [
    "the time machine of {x} | jumped {q} back",
    "{p} travelled {q} | into the past",
    "{p} | turned the dial {q} backward",
    "{p} stepped out | {q} earlier than before",
    "{p} | leapt over {q} towards antiquity",
    "the journey took {x} {q} | further from the present",
    "{p} | flew back by {q}"
  ],
  downForeign:
    "{p} viajó {n} años hacia el pasado | {p} a voyagé {n} ans vers le passé | {p} reiste {n} Jahre in die Vergangenheit | {p} ha viaggiato {n} anni nel passato | {p} viajou {n} anos para o passado | {p} reisde {n} jaar naar het verleden",
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
  upForeign:
    "{p} caminó {n} metros hacia el este | {p} a marché {n} mètres vers l'est | {p} ging {n} Meter nach Osten | {p} ha camminato {n} metri verso est | {p} andou {n} metros para leste | {p} liep {n} meter naar het oosten",
  down: [
    "{p} | walked {q} west",
    "{p} drifted {q} | towards the sunset",
    "{p} went {q} | back to the western gate",
    "a wind from the east | pushed {x} along by {q}",
    "{p} | strolled {q} in the direction of the evening sun",
    "{p} | crawled {q} westward",
    "{p} | came {q} closer to the western gate"
  ],
  downForeign:
    "{p} caminó {n} metros hacia el oeste | {p} a marché {n} mètres vers l'ouest | {p} ging {n} Meter nach Westen | {p} ha camminato {n} metri verso ovest | {p} andou {n} metros para oeste | {p} liep {n} meter naar het westen",
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
