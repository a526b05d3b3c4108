/**
 * Sentences of the narrator in other languages. `{c}` is a clause, `{p}` a name, `{w}` and `{r}` the wrong and the
 * right value.
 */
import { toCardinal as german } from "n2words/de-DE"
import { toCardinal as spanish } from "n2words/es-ES"
import { toCardinal as french } from "n2words/fr-FR"
import { toCardinal as italian } from "n2words/it-IT"
import { toCardinal as dutch } from "n2words/nl-NL"
import { toCardinal as portuguese } from "n2words/pt-PT"

export const LANGUAGES = ["es", "fr", "de", "it", "pt", "nl"] as const
export type Language = (typeof LANGUAGES)[number]
export type Foreign = Readonly<Record<Language, string>>

export const CARDINAL: Readonly<Record<Language, (n: number) => string>> = {
  es: spanish,
  fr: french,
  de: german,
  it: italian,
  pt: portuguese,
  nl: dutch
}

interface Phrases {
  /** Frames for a clause that the narrator asserts, so that it counts. */
  readonly so: ReadonlyArray<string>
  /** Frames for a clause that the narrator denies, so that it does not count. */
  readonly notSo: ReadonlyArray<string>
  readonly says: ReadonlyArray<string>
  readonly instead: ReadonlyArray<string>
  readonly forget: ReadonlyArray<string>
  readonly again: ReadonlyArray<string>
  readonly undone: ReadonlyArray<string>
  readonly distrust: ReadonlyArray<string>
  readonly restated: ReadonlyArray<string>
}

export const PHRASES: Readonly<Record<Language, Phrases>> = {
  es: {
    so: [
      "{c}",
      "luego {c}",
      "es verdad: {c}",
      "nadie lo niega: {c}",
      "{c}, y todos lo vieron",
      "{c}, aunque parezca mentira"
    ],
    notSo: [
      "{c}, pero solo en un sueño",
      "es falso lo siguiente: {c}",
      "según un rumor sin fundamento, {c}",
      "en una obra de teatro, {c}",
      "nadie debe creer esto: {c}",
      "{c}: así era el plan, pero no se hizo"
    ],
    says: ["según {p}, {c}", "{p} cuenta: {c}", "{c}, dice {p}"],
    instead: ["no, {r}, y no {w}", "perdón: {r} en lugar de {w}", "me equivoqué: no era {w}, sino {r}"],
    forget: ["olvida la última frase: eso no pasó", "no, eso que acabo de contar no ocurrió"],
    again: ["y poco después lo mismo ocurrió otra vez", "lo mismo, exactamente, se repitió una vez más"],
    undone: ["pero enseguida eso quedó deshecho por completo", "un minuto más tarde eso se anuló del todo"],
    distrust: ["no hay que creer nada de lo que dice {p}", "todo lo que cuenta {p} es mentira"],
    restated: ["dicho de otro modo, y sin contarlo dos veces: {c}"]
  },
  fr: {
    so: [
      "{c}",
      "ensuite {c}",
      "c'est vrai : {c}",
      "personne ne le nie : {c}",
      "{c}, et tout le monde l'a vu",
      "{c}, si étonnant que cela paraisse"
    ],
    notSo: [
      "{c}, mais seulement en rêve",
      "ce qui suit est faux : {c}",
      "selon une rumeur sans fondement, {c}",
      "dans une pièce de théâtre, {c}",
      "que personne ne croie ceci : {c}",
      "{c} : tel était le plan, abandonné depuis"
    ],
    says: ["d'après {p}, {c}", "{p} raconte : {c}", "{c}, dit {p}"],
    instead: ["non, {r}, et pas {w}", "pardon : {r} au lieu de {w}", "je me suis trompé : ce n'était pas {w} mais {r}"],
    forget: ["oubliez la dernière phrase : cela n'a pas eu lieu", "non, ce que je viens de dire ne s'est pas passé"],
    again: ["et peu après, la même chose arriva encore une fois", "exactement la même chose se répéta une fois"],
    undone: ["mais aussitôt cela fut entièrement annulé", "une minute plus tard cela fut défait complètement"],
    distrust: ["il ne faut rien croire de ce que dit {p}", "tout ce que raconte {p} est inventé"],
    restated: ["autrement dit, et sans le compter deux fois : {c}"]
  },
  de: {
    so: [
      "{c}",
      "es stimmt: {c}",
      "niemand bestreitet es: {c}",
      "{c}, und alle haben es gesehen",
      "{c}, so seltsam es klingt",
      "man weiß: {c}"
    ],
    notSo: [
      "{c}, aber nur im Traum",
      "Folgendes ist falsch: {c}",
      "ein Gerücht, an dem nichts ist, lautet: {c}",
      "im Theaterstück hieß es: {c}",
      "niemand soll dies glauben: {c}",
      "{c}: so war es geplant, doch daraus wurde nichts"
    ],
    says: ["laut {p} gilt: {c}", "{p} erzählt: {c}", "{c}, sagt {p}"],
    instead: ["nein, {r}, nicht {w}", "Verzeihung: {r} statt {w}", "ich habe mich geirrt: nicht {w}, sondern {r}"],
    forget: ["vergiss den letzten Satz: das ist nie geschehen", "nein, was ich eben erzählt habe, ist nicht passiert"],
    again: ["und kurz darauf geschah genau dasselbe noch einmal", "dasselbe wiederholte sich danach ein einziges Mal"],
    undone: [
      "doch gleich darauf wurde das ganz rückgängig gemacht",
      "eine Minute später war das vollständig aufgehoben"
    ],
    distrust: ["was {p} sagt, ist alles erfunden", "man darf {p} kein Wort glauben"],
    restated: ["anders gesagt, und nicht doppelt zu zählen: {c}"]
  },
  it: {
    so: [
      "{c}",
      "poi {c}",
      "è vero: {c}",
      "nessuno lo nega: {c}",
      "{c}, e tutti l'hanno visto",
      "{c}, per quanto sembri strano"
    ],
    notSo: [
      "{c}, ma solo in sogno",
      "quanto segue è falso: {c}",
      "secondo una voce infondata, {c}",
      "in una commedia, {c}",
      "nessuno creda a questo: {c}",
      "{c}: così era il piano, poi abbandonato"
    ],
    says: ["secondo {p}, {c}", "{p} racconta: {c}", "{c}, dice {p}"],
    instead: ["no, {r}, e non {w}", "scusate: {r} invece di {w}", "mi sono sbagliato: non {w}, ma {r}"],
    forget: ["dimentica l'ultima frase: non è mai successo", "no, quello che ho appena detto non è accaduto"],
    again: ["e poco dopo successe la stessa cosa un'altra volta", "la stessa identica cosa si ripeté una volta"],
    undone: ["ma subito dopo fu tutto annullato", "un minuto più tardi ciò fu disfatto del tutto"],
    distrust: ["non bisogna credere a niente di ciò che dice {p}", "tutto quello che racconta {p} è inventato"],
    restated: ["in altre parole, e da non contare due volte: {c}"]
  },
  pt: {
    so: [
      "{c}",
      "depois {c}",
      "é verdade: {c}",
      "ninguém o nega: {c}",
      "{c}, e todos viram",
      "{c}, por estranho que pareça"
    ],
    notSo: [
      "{c}, mas só em sonho",
      "o seguinte é falso: {c}",
      "segundo um boato sem fundamento, {c}",
      "numa peça de teatro, {c}",
      "ninguém deve acreditar nisto: {c}",
      "{c}: era esse o plano, mas foi abandonado"
    ],
    says: ["segundo {p}, {c}", "{p} conta: {c}", "{c}, diz {p}"],
    instead: ["não, {r}, e não {w}", "desculpem: {r} em vez de {w}", "enganei-me: não era {w}, mas sim {r}"],
    forget: ["esquece a última frase: isso não aconteceu", "não, o que acabei de contar não se passou"],
    again: ["e pouco depois aconteceu o mesmo outra vez", "exatamente o mesmo repetiu-se uma vez"],
    undone: ["mas logo a seguir isso foi anulado por completo", "um minuto mais tarde isso foi totalmente desfeito"],
    distrust: ["não se deve acreditar em nada do que {p} diz", "tudo o que {p} conta é inventado"],
    restated: ["por outras palavras, e sem contar duas vezes: {c}"]
  },
  nl: {
    so: [
      "{c}",
      "het is waar: {c}",
      "niemand ontkent het: {c}",
      "{c}, en iedereen zag het",
      "{c}, hoe vreemd het ook klinkt",
      "men weet: {c}"
    ],
    notSo: [
      "{c}, maar alleen in een droom",
      "het volgende is onwaar: {c}",
      "een ongegrond gerucht luidt: {c}",
      "in een toneelstuk heette het: {c}",
      "niemand mag dit geloven: {c}",
      "{c}: zo was het plan, maar het ging niet door"
    ],
    says: ["volgens {p} geldt: {c}", "{p} vertelt: {c}", "{c}, zegt {p}"],
    instead: ["nee, {r}, niet {w}", "pardon: {r} in plaats van {w}", "ik vergiste mij: niet {w}, maar {r}"],
    forget: ["vergeet de laatste zin: dat is nooit gebeurd", "nee, wat ik net vertelde, is niet gebeurd"],
    again: ["en kort daarna gebeurde precies hetzelfde nog een keer", "hetzelfde herhaalde zich daarna één keer"],
    undone: [
      "maar meteen daarna werd dat helemaal ongedaan gemaakt",
      "een minuut later was dat volledig teruggedraaid"
    ],
    distrust: ["alles wat {p} zegt, is verzonnen", "van {p} mag men geen woord geloven"],
    restated: ["met andere woorden, en niet dubbel te tellen: {c}"]
  }
}
