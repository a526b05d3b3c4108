/**
 * Sentence frames for the questions of registration. A frame states that the event in its clause happened ("she noticed
 * that …"), or that it did not ("he dreamt that …"). Frames of both kinds use similar words, so a program must
 * understand the sentence.
 */
import type { Random } from "../random.ts"

/** Returns the name of an observer of the event. */
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
/** Frames with a verdict. `turns` is true if the frame reverses the verdict. */
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
/** Replaces "was" by "were" after a plural. */
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
