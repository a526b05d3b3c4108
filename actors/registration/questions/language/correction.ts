/** Sentences with which the narrator corrects, confirms, takes back or repeats an earlier statement. */
import type { Random } from "../random.ts"

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

const KEPT: ReadonlyArray<(wrong: string, right: string) => string> = [
  (wrong, right) => `yes, ${right} and not ${wrong}`,
  (wrong, right) => `leave ${right} there, and do not put ${wrong} for it`,
  (wrong, right) => `I read it again: ${right} it is, though it looks like ${wrong}`,
  (wrong, right) => `somebody told ${wrong} for it, but I stay with ${right}`,
  (wrong, right) => `not ${wrong}, as they printed it, but ${right}, as I said`
]
export const keptSentence = (random: Random, wrong: string, right: string): string => random.pick(KEPT)(wrong, right)

const BESIDES = [
  "nobody can say that this sentence is wrong",
  "that remark is right and has its place here",
  "there is nothing to take back in it",
  "this one lasted, and nobody reversed it",
  "it was talked about for a week, and it stayed as it was",
  "that happened once, neither more nor less often"
]
export const besides = (random: Random): string => random.pick(BESIDES)

const RECANTED = [
  "no, cancel that cancellation: it did happen, just as I told it first",
  "on second thoughts I should not have taken that back, for it is true after all",
  "wait, it was right before I denied it, so let it stand and count it"
]
/** Takes back a denial, so that the earlier statement counts again. */
export const recanted = (random: Random): string => random.pick(RECANTED)

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
