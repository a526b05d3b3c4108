/** Goods that people have. The verbs of getting, losing and giving are the same for all of them. */
import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import { GIVE } from "./accumulate.ts"
import type { CountingAct } from "./accumulate.ts"

export interface Good {
  readonly noun: Noun
  readonly foreign: Foreign
}

const good = (
  one: string,
  many: string,
  es: string,
  fr: string,
  de: string,
  it: string,
  pt: string,
  nl: string
): Good => ({ noun: { one, many: many.split("|") }, foreign: { es, fr, de, it, pt, nl } })

export const GOODS: ReadonlyArray<Good> = [
  good("present", "presents|gifts", "regalos", "cadeaux", "Geschenke", "regali", "presentes", "cadeaus"),
  good("bucket", "buckets|pails", "cubos", "seaux", "Eimer", "secchi", "baldes", "emmers"),
  good("photo", "photos|photographs", "fotos", "photos", "Fotos", "foto", "fotos", "foto's"),
  good("bicycle", "bicycles|bikes", "bicicletas", "vélos", "Fahrräder", "biciclette", "bicicletas", "fietsen"),
  good("stone", "stones|rocks", "piedras", "pierres", "Steine", "pietre", "pedras", "stenen"),
  good("carpet", "carpets|rugs", "alfombras", "tapis", "Teppiche", "tappeti", "tapetes", "tapijten"),
  good("rabbit", "rabbits|bunnies", "conejos", "lapins", "Kaninchen", "conigli", "coelhos", "konijnen"),
  good("sofa", "sofas|couches", "sofás", "canapés", "Sofas", "divani", "sofás", "sofa's"),
  good("telephone", "telephones|phones", "teléfonos", "téléphones", "Telefone", "telefoni", "telefones", "telefoons"),
  good("kitten", "kittens|young cats", "gatitos", "chatons", "Kätzchen", "gattini", "gatinhos", "kittens"),
  good("lamb", "lambs|young sheep", "corderos", "agneaux", "Lämmer", "agnelli", "cordeiros", "lammeren"),
  good("apple", "apples", "manzanas", "pommes", "Äpfel", "mele", "maçãs", "appels"),
  good("egg", "eggs", "huevos", "œufs", "Eier", "uova", "ovos", "eieren"),
  good("book", "books", "libros", "livres", "Bücher", "libri", "livros", "boeken"),
  good("key", "keys", "llaves", "clés", "Schlüssel", "chiavi", "chaves", "sleutels"),
  good("candle", "candles", "velas", "bougies", "Kerzen", "candele", "velas", "kaarsen"),
  good("chair", "chairs", "sillas", "chaises", "Stühle", "sedie", "cadeiras", "stoelen"),
  good("plate", "plates", "platos", "assiettes", "Teller", "piatti", "pratos", "borden"),
  good("stamp", "stamps|postage stamps", "sellos", "timbres", "Briefmarken", "francobolli", "selos", "postzegels"),
  good("button", "buttons", "botones", "boutons", "Knöpfe", "bottoni", "botões", "knopen"),
  good("bottle", "bottles", "botellas", "bouteilles", "Flaschen", "bottiglie", "garrafas", "flessen"),
  good(
    "umbrella",
    "umbrellas|brollies",
    "paraguas",
    "parapluies",
    "Regenschirme",
    "ombrelli",
    "guarda-chuvas",
    "paraplu's"
  ),
  good("pear", "pears", "peras", "poires", "Birnen", "pere", "peras", "peren"),
  good("letter", "letters", "cartas", "lettres", "Briefe", "lettere", "cartas", "brieven")
]

export const GETTING: CountingAct = {
  sign: 1,
  english: [
    "{p} found {q} | in a cellar",
    "{p} | bought {q} | at the market",
    "{q} were delivered | to {x}",
    "an aunt | left {q} to {x}",
    "{p} won {q} | in a lottery",
    "a parcel with {q} | reached {x}",
    "{p} | picked up {q} | on the way",
    "the stock of {x} grew | by {q}",
    "{p} was paid | with {q}",
    "{p} came home | the owner of a further {q}",
    "{q} | turned up in the attic of {x}",
    "a stranger | made {x} a present of {q}",
    "{p} | got hold of {q}",
    "what {p} had | was topped up with {q}",
    "{p} | inherited {q}",
    "{q} fell | into the lap of {x}"
  ],
  foreign: {
    es: "{p} recibió {n} {N}",
    fr: "{p} a reçu {n} {N}",
    de: "{p} bekam {n} {N}",
    it: "{p} ha ricevuto {n} {N}",
    pt: "{p} recebeu {n} {N}",
    nl: "{p} kreeg {n} {N}"
  }
}

export const LOSING: CountingAct = {
  sign: -1,
  english: [
    "{p} | lost {q}",
    "{q} | were stolen from {x}",
    "{p} sold {q} | to a passer-by",
    "a flood | cost {x} {q}",
    "{p} | threw {q} away",
    "{p} | had to part with {q}",
    "{q} | vanished from the house of {x}",
    "the stock of {x} | shrank by {q}",
    "{p} | left {q} on a train, and they never came back,",
    "{p} | swapped {q} for a cup of tea",
    "a thief | relieved {x} of {q}",
    "{p} dropped {q} | into a deep well",
    "{p} handed over {q} | as a fine",
    "{q} | slipped through the fingers of {x}",
    "{p} | gave up {q} for good",
    "{p} | gambled {q} away"
  ],
  foreign: {
    es: "{p} perdió {n} {N}",
    fr: "{p} a perdu {n} {N}",
    de: "{p} verlor {n} {N}",
    it: "{p} ha perso {n} {N}",
    pt: "{p} perdeu {n} {N}",
    nl: "{p} verloor {n} {N}"
  }
}

export const GIVING: CountingAct = {
  sign: GIVE,
  english: [
    "{p} | gave {o} {q}",
    "{p} handed {q} | to {o}",
    "{o} | got {q} from {x}",
    "{q} | went from {x} to {o}",
    "{o} | was given {q} by {x}",
    "{p} | passed {q} on to {o}",
    "{o} | bought {q} from {x}",
    "{p} lost {q} | at cards to {o}",
    "{o} | won {q} from {x}",
    "{p} sent {o} {q} | by post",
    "{q} | changed hands from {x} to {o}",
    "{o} | talked {x} into handing over {q}",
    "{p} paid {o} | with {q}",
    "{o} | took {q} off the hands of {x}",
    "{p} | let {o} have {q}",
    "{o} accepted {q} | from {x}"
  ],
  foreign: {
    es: "{p} le dio {n} {N} a {o}",
    fr: "{p} a donné {n} {N} à {o}",
    de: "{p} gab {o} {n} {N}",
    it: "{p} ha dato {n} {N} a {o}",
    pt: "{p} deu {n} {N} a {o}",
    nl: "{p} gaf {n} {N} aan {o}"
  }
}
