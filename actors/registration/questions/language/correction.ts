/** How the narrator comes back to what was told: sets it right, takes it back, says it again. */
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
