/** Sentences that name the source of a clause, and sentences that say who lies. */
import type { Random } from "../random.ts"

const SAYS: ReadonlyArray<(who: string, clause: string) => string> = [
  (who, clause) => `according to ${who}, ${clause}`,
  (who, clause) => `${who} says that ${clause}`,
  (who, clause) => `${who} told us that ${clause}`,
  (who, clause) => `${clause}, if we go by ${who}`,
  (who, clause) => `${clause}: so says ${who}`,
  (who, clause) => `we have it from ${who} that ${clause}`,
  (who, clause) => `${who} swears that ${clause}`,
  (who, clause) => `asked about it, ${who} answered that ${clause}`,
  (who, clause) => `in the words of ${who}: ${clause}`,
  (who, clause) => `${who} wrote in a letter that ${clause}`
]
export const saying = (random: Random, who: string, clause: string): string => random.pick(SAYS)(who, clause)

const DISTRUST: ReadonlyArray<(who: string, honest: string) => string> = [
  (who, honest) => `between ${honest} and ${who}, the former tells the truth and the latter nothing but lies`,
  (who, honest) => `between ${who} and ${honest}, the latter tells the truth and the former nothing but lies`,
  (who, honest) => `${honest} is as honest as ${who} is not: leave out all that comes from the latter`,
  (who, honest) => `people call ${honest} a liar, but the liar is ${who}, of whose reports not one counts`,
  (who, honest) => `unlike ${who}, who invents everything, ${honest} can be trusted`,
  (who, honest) => `to call ${honest} a liar would be wrong; to call ${who} one is right, so drop what that one says`,
  (who, honest) => `not ${honest} but ${who} is the one whose reports are never true`,
  (who) => `pay no heed to anything that comes from ${who}, a notorious liar`,
  (who) => `not a word of ${who} is to be believed`,
  (who) => `of those quoted here, ${who} makes everything up`,
  (who) => `leave out whatever was reported by ${who}: it never happened`,
  (who) => `whoever quotes ${who} quotes an invention`,
  (who) => `strike from this story all that rests on the word of ${who}`,
  (who) => `what ${who} tells people is invariably false, so drop it`,
  (who) => `nothing counts for which ${who} is our only source`
]
const TRUST: ReadonlyArray<(who: string) => string> = [
  (who) => `whatever comes from ${who} can be relied on`,
  (who) => `not a word of ${who} is to be doubted`,
  (who) => `nobody has ever caught ${who} in a lie, and there is none here`,
  (who) => `keep in this story all that rests on the word of ${who}`,
  (who) => `what ${who} tells people is invariably true, so count it`,
  (who) => `whoever calls ${who} a liar is wrong: it is all true`,
  (who) => `of those quoted here, ${who} makes nothing up`,
  (who) => `people say that ${who} makes things up, but each report is right`
]
export const trusting = (random: Random, who: string): string => random.pick(TRUST)(who)

export const distrusting = (random: Random, who: string, honest: string): string => random.pick(DISTRUST)(who, honest)
