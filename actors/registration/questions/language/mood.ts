/**
 * How the narrator stands to what is told: a clause that counts and one that does not are framed in like words, and
 * only their sense tells which is which. What is seen, regretted or not noticed happened; what is dreamt or wrongly
 * believed did not.
 */
import type { Random } from "../random.ts"

/** A person or group that looks on; names in it are of people who have no part in the matter. */
export type Onlooker = () => string

const GROUPS = [
  "everyone in the street",
  "the whole village",
  "half the town",
  "the neighbours",
  "two old friends",
  "a dozen onlookers",
  "the people upstairs",
  "all nine cousins"
]

const SEEN = [
  "saw",
  "noticed",
  "remembered",
  "regretted",
  "had to admit",
  "did not forget",
  "failed to notice",
  "found it amusing",
  "was sorry",
  "soon learned",
  "was glad",
  "could not deny",
  "did not mind",
  "never noticed",
  "was not aware",
  "resented",
  "overlooked",
  "realised only later",
  "was annoyed",
  "took it calmly",
  "kept quiet about the fact"
]
const UNSEEN = [
  "dreamt",
  "merely imagined",
  "wrongly believed",
  "hoped in vain",
  "feared without cause",
  "was wrong to think",
  "invented the story",
  "pretended for fun",
  "falsely remembered",
  "would have been glad to hear, in vain,",
  "spread the false rumour",
  "bet, and lost the bet,",
  "expected, but mistakenly,",
  "lied",
  "was mistaken in saying",
  "guessed wrongly"
]
const IT_IS = [
  "a fact",
  "beyond doubt",
  "true",
  "no rumour",
  "not invented",
  "hardly surprising",
  "a pity",
  "no secret",
  "undeniable",
  "strange but true",
  "good to know",
  "not in dispute",
  "no fairy tale",
  "certain enough",
  "remarkable"
]
const IT_IS_NOT = [
  "untrue",
  "a fairy tale",
  "pure invention",
  "a rumour and nothing more",
  "not the case",
  "far from true",
  "anything but true",
  "a mistake to think",
  "out of the question",
  "just gossip, with nothing in it,",
  "wrong",
  "a misunderstanding"
]
const NOBODY = ["doubts", "denies", "disputes", "can dispute", "calls into question", "regrets", "was surprised"]
const NOBODY_CAN = [
  "could claim with a straight face",
  "in their right mind believes",
  "may conclude from this",
  "should think",
  "can honestly say"
]
const TAIL = [
  "and that is certain",
  "to everyone's surprise",
  "against all plans",
  "which nobody had expected",
  "whatever people say",
  "although nobody had asked for it",
  "and that was no dream",
  "not just on paper but in fact",
  "as had been hoped",
  "rumour or no rumour",
  "which was the plan all along",
  "believe it or not",
  "and no play was being acted",
  "however unlikely it sounds",
  "and nothing was taken back",
  "as even the sceptics agree"
]
const TAIL_NOT = [
  "but only in a dream",
  "or so it was planned, and the plan was dropped",
  "though only on the stage of a theatre",
  "according to a rumour with nothing in it",
  "or rather would have, had the weather not prevented it",
  "if one believes the newspaper, which one should not",
  "at least in the novel that was read aloud",
  "as was hoped, but in vain",
  "in a film, that is",
  "which is what should have happened and did not",
  "only this was called off at the last moment",
  "or so people said, quite wrongly",
  "in the rehearsal, that is, which does not count",
  "but that is a mere thought experiment"
]
const CAME_TRUE = [
  "what had been a mere idea became real:",
  "this was no dream:",
  "contrary to what the newspaper wrote,",
  "as luck would have it,",
  "here is what really happened:",
  "a wish came true:",
  "no rumour this time:"
]
const CAME_TO_NOTHING = [
  "what stayed a mere idea was this:",
  "this was only a dream:",
  "in a story somebody made up,",
  "the plan, later given up, was that",
  "there was talk, all of it idle, that",
  "almost, but in the end not at all,",
  "a wish that did not come true:"
]

const TRUE = ["true", "a fact", "correct", "the truth", "perfectly true"]
const FALSE = ["untrue", "false", "a lie", "an invention", "incorrect", "a fairy tale", "a fabrication"]
/** Around a verdict: whether it stands, or is turned into its opposite. */
const VERDICTS: ReadonlyArray<{ readonly turns: boolean; readonly say: (word: string, clause: string) => string }> = [
  { turns: false, say: (word, clause) => `it is ${word} that ${clause}` },
  { turns: true, say: (word, clause) => `it is by no means ${word} that ${clause}` },
  { turns: true, say: (word, clause) => `nobody can call it ${word} that ${clause}` },
  { turns: false, say: (word, clause) => `whoever calls it ${word} that ${clause} is right` },
  { turns: true, say: (word, clause) => `whoever calls it ${word} that ${clause} is mistaken` },
  { turns: true, say: (word, clause) => `it would be silly to call it ${word} that ${clause}` },
  { turns: false, say: (word, clause) => `a judge found it ${word} that ${clause}, and the judge was right` },
  { turns: true, say: (word, clause) => `a judge found it ${word} that ${clause}, but the judge was wrong` },
  { turns: true, say: (word, clause) => `it turned out to be anything but ${word} that ${clause}` },
  { turns: false, say: (word, clause) => `everybody calls it ${word} that ${clause}, and rightly so` },
  { turns: true, say: (word, clause) => `many call it ${word} that ${clause}, but that is an error` }
]
const verdict =
  (counts: boolean): Frame =>
  (random, clause) => {
    const { turns, say } = random.pick(VERDICTS)
    return say(random.pick(counts === turns ? FALSE : TRUE), clause)
  }

type Frame = (random: Random, clause: string, onlooker: Onlooker) => string

const subject = (random: Random, onlooker: Onlooker): string =>
  random.int(0, 2) === 0 ? onlooker() : random.pick(GROUPS)
/** "was" after a plural. */
const agreeing = (who: string, verb: string): string =>
  /^(?:the neighbours|two|a dozen|the people|all)/.test(who) ? verb.replace(/^was /, "were ") : verb

const seen =
  (verbs: ReadonlyArray<string>): Frame =>
  (random, clause, onlooker) => {
    const who = subject(random, onlooker)
    return `${who} ${agreeing(who, random.pick(verbs))} that ${clause}`
  }
const itIs =
  (words: ReadonlyArray<string>): Frame =>
  (random, clause) => {
    const verb = random.pick(["it is", "it's", "it was", "we know it is"])
    return `${verb} ${random.pick(words)} that ${clause}`
  }
const nobody =
  (verbs: ReadonlyArray<string>): Frame =>
  (random, clause) =>
    `${random.pick(["nobody", "no one", "not a soul"])} ${random.pick(verbs)} that ${clause}`
const tail =
  (tails: ReadonlyArray<string>): Frame =>
  (random, clause) =>
    `${clause}, ${random.pick(tails)}`
const head =
  (heads: ReadonlyArray<string>): Frame =>
  (random, clause) =>
    `${random.pick(heads)} ${clause}`

const COUNTING: ReadonlyArray<Frame> = [
  verdict(true),
  verdict(true),
  verdict(true),
  seen(SEEN),
  seen(SEEN),
  itIs(IT_IS),
  nobody(NOBODY),
  tail(TAIL),
  head(CAME_TRUE)
]
const NOT_COUNTING: ReadonlyArray<Frame> = [
  verdict(false),
  verdict(false),
  verdict(false),
  verdict(false),
  seen(UNSEEN),
  seen(UNSEEN),
  itIs(IT_IS_NOT),
  nobody(NOBODY_CAN),
  tail(TAIL_NOT),
  head(CAME_TO_NOTHING)
]

export const counting: Frame = (random, clause, onlooker) => random.pick(COUNTING)(random, clause, onlooker)
export const notCounting: Frame = (random, clause, onlooker) => random.pick(NOT_COUNTING)(random, clause, onlooker)

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
export const distrusting = (random: Random, who: string, honest: string): string => random.pick(DISTRUST)(who, honest)

const INSTEAD: ReadonlyArray<(wrong: string, right: string) => string> = [
  (wrong, right) => `no, not ${wrong} but ${right}`,
  (wrong, right) => `make that ${right} instead of ${wrong}`,
  (wrong, right) => `sorry, I misread: ${right}, not ${wrong}`,
  (wrong, right) => `I must correct myself, for ${wrong} put ${right}`,
  (wrong, right) => `${right}, I mean, and not ${wrong}`,
  (wrong, right) => `scratch ${wrong} there; it was ${right}`,
  (wrong, right) => `wait: it is ${right} that belongs where I said ${wrong}`
]
export const instead = (random: Random, wrong: string, right: string): string => random.pick(INSTEAD)(wrong, right)

const RETOLD = [
  "no, wrong; what happened instead is that {c}",
  "strike that sentence, for the truth is that {c}",
  "I got that sentence wrong from start to end: instead, {c}",
  "let me replace what I have just said: {c}",
  "on second thoughts, no: rather, {c}"
]
export const retold = (random: Random, clause: string): string => random.pick(RETOLD).replace("{c}", () => clause)

const FORGET = [
  "forget what I have just said: nothing of the kind happened",
  "no, that last sentence is wrong and has no place here",
  "I take the last remark back altogether",
  "or rather, it did not: delete my last sentence",
  "wait, that is from another story; leave it out"
]
export const forgetting = (random: Random): string => random.pick(FORGET)

const LATE = [
  "where I told you that {c}, {a}",
  "I slipped when I said that {c}; {a}",
  "about the statement that {c}: {a}",
  "a correction to the sentence that {c}: {a}"
]
export const late = (random: Random, clause: string, amendment: string): string =>
  random
    .pick(LATE)
    .replace("{c}", () => clause)
    .replace("{a}", () => amendment)

const DENIED = [
  "after all it has turned out to be untrue that {c}; cancel it",
  "I told you that {c}, but I take that back, it did not happen",
  "please delete the statement that {c}: it was a mix-up",
  "it is not so, whatever I said, that {c}"
]
export const denied = (random: Random, clause: string): string => random.pick(DENIED).replace("{c}", () => clause)

const RESTATED = [
  "I repeat, and do not count it twice: {c}",
  "as I have told you already, {c}",
  "to put the same thing in other words, {c}",
  "that is the same event as before, only told again: {c}",
  "remember (it happened only once) that {c}"
]
export const restated = (random: Random, clause: string): string => random.pick(RESTATED).replace("{c}", () => clause)

const AGAIN = [
  "a little later the very same thing happened once more",
  "and then exactly that took place a second time",
  "history repeated itself once, to the letter",
  "you may count this twice, for it happened twice",
  "the same again followed, just once"
]
export const again = (random: Random): string => random.pick(AGAIN)

const UNDONE = [
  "a moment later precisely that was undone again, down to the last bit",
  "straight afterwards this was reversed completely",
  "that change did not last: it was cancelled in full a minute later",
  "in the next breath all of this last step was made good again, as if it had never been"
]
export const undone = (random: Random): string => random.pick(UNDONE)

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
/** \`yes\` happened where the claim holds, \`no\` where it does not. */
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

const OPENERS = [
  "then",
  "next",
  "as it happened,",
  "in plain view of 40 onlookers,",
  "to the sound of two trumpets,",
  "without much ado,",
  "out of the blue,",
  "with five geese looking on,",
  "under a sky with three clouds,",
  "for a change,",
  "to cut a long story short,",
  "by the way,",
  "what is more,",
  "in room 12,",
  "for reasons of no interest here,",
  "as 16 witnesses confirm,",
  "under the third lamp from the left,",
  "on a bench for six,",
  "between two yawns,",
  "with a nod,"
]
export const opened = (random: Random, clause: string): string =>
  random.int(0, 2) > 0 ? clause : `${random.pick(OPENERS)} ${clause}`

const ASIDES: ReadonlyArray<(name: string, n: string) => string> = [
  (name) => `under the eyes of ${name}`,
  (name) => `much to the joy of ${name}`,
  (name) => `though ${name} advised against it`,
  (_, n) => `with ${n} sparrows watching`,
  (name) => `while ${name} was looking the other way`,
  (name, n) => `in spite of the ${n} objections of ${name}`,
  () => "not without some grumbling",
  (_, n) => `after ${n} sighs`,
  (name) => `as ${name} had foretold`,
  () => "as one does",
  (name) => `who cares what ${name} thought`,
  () => "reluctantly or not",
  (_, n) => `with ${n} buttons undone`,
  (name) => `just like ${name} on another occasion`
]
export const aside = (random: Random, onlooker: Onlooker, n: string): string => {
  const text = random.pick(ASIDES)(onlooker(), n)
  const [open, close] = random.pick([
    [" (", ") "],
    [", ", ", "],
    [" – ", " – "]
  ] as const)
  return `${open}${text}${close}`
}
