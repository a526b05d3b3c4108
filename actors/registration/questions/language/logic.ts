/**
 * Sentences in which the reader must find out what happened: by a claim, by the contrast of two clauses, or by
 * comparison with another person.
 */
import type { Random } from "../random.ts"

const SELECTING: ReadonlyArray<(claim: string, yes: string, no: string) => string> = [
  (claim, yes, no) => `if ${claim}, ${yes}, and otherwise ${no}`,
  (claim, yes, no) => `${yes}, provided that ${claim}; failing that, ${no}`,
  (claim, yes, no) => `only one of these is right: ${yes}, in case ${claim}, or else ${no}`,
  (claim, yes, no) => `should it be wrong that ${claim}, ${no}; should it be right, ${yes}`,
  (claim, yes, no) => `${no}, unless ${claim}, in which case ${yes} instead`,
  (claim, yes, no) => `depending on whether ${claim} or not, ${yes} or, in the second case, ${no}`,
  (claim, yes, no) =>
    `${no} in a world where it is false that ${claim}, and ${yes} in one where it is true, so take the world you know`
]
/** `yes` happened if the claim is true, `no` if it is false. */
export const selecting = (random: Random, claim: string, yes: string, no: string): string =>
  random.pick(SELECTING)(claim, yes, no)

const CLAIMING: ReadonlyArray<(item: string, phrase: string) => string> = [
  (item, phrase) => `what one calls "${item}" ${phrase}`,
  (item, phrase) => `the word "${item}" names something that ${phrase}`,
  (item, phrase) => `"${item}" stands for what ${phrase}`
]
export const claiming = (random: Random, item: string, phrase: string): string => random.pick(CLAIMING)(item, phrase)

const CONTRASTING: ReadonlyArray<(right: string, wrong: string) => string> = [
  (right, wrong) => `it is not so that ${wrong}; rather, ${right}`,
  (right, wrong) => `${right}, and anyone who says that ${wrong} is in error`,
  (right, wrong) => `some claim that ${wrong}, others that ${right}, and the latter have it right`,
  (right, wrong) => `some claim that ${right}, others that ${wrong}, and the former have it right`,
  (right, wrong) => `either ${wrong} or ${right}, the first of which is ruled out`,
  (right, wrong) => `either ${right} or ${wrong}, the second of which is ruled out`,
  (right, wrong) => `far from it being the case that ${wrong}, ${right}`,
  (right, wrong) => `it had been planned that ${wrong}, but it came about instead that ${right}`,
  (right, wrong) => `${right}, although it had been agreed that ${wrong}, which then was dropped`,
  (right, wrong) =>
    `one paper reported that ${right}, another that ${wrong}; the first was well informed, the second was not`
]
export const contrasting = (random: Random, right: string, wrong: string): string =>
  random.pick(CONTRASTING)(right, wrong)

const LIKEWISE: ReadonlyArray<(who: string, n: string) => string> = [
  (who, n) => `the same goes for ${who}, except that the number was ${n}`,
  (who, n) => `likewise with ${who}, only it was ${n} there`,
  (who, n) => `${who} followed suit, with ${n} for a number`,
  (who, n) => `put ${n} for the number and you know what happened to ${who} as well`,
  (who, n) => `nor was it otherwise for ${who}, save that we speak of ${n}`
]
export const likewise = (random: Random, who: string, n: string): string => random.pick(LIKEWISE)(who, n)

const OPPOSITE: ReadonlyArray<(who: string, n: string) => string> = [
  (who, n) => `for ${who} the change went in the opposite direction and came to ${n}`,
  (who, n) => `not so for ${who}, who saw a change the other way, of ${n}`,
  (who, n) => `with ${who} it was the reverse, up being down and down being up, by ${n}`,
  (who, n) => `turn the direction round and put ${n} for the number, and you know what happened to ${who}`
]
export const opposite = (random: Random, who: string, n: string): string => random.pick(OPPOSITE)(who, n)
