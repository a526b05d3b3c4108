/** Closing words that tell the reader which form of answer is wanted. */
import type { Random } from "../random.ts"

const NUMBER_ONLY = [
  "Give the number only.",
  "Reply with just the number.",
  "Answer with one number, without a unit.",
  "A bare number is the whole answer.",
  "Write only that number."
]
const TIME_ONLY = [
  "Give the time only, as HH:MM on the 24-hour clock.",
  "Reply with just the 24-hour time, HH:MM.",
  "Write only the time, in 24-hour form (HH:MM)."
]
const TIME12_ONLY = [
  "Give the time only, followed by am or pm.",
  "Reply with just the time, on the 12-hour clock with am or pm.",
  "Write only the time, with am or pm behind it."
]

export const only = {
  number: (random: Random): string => random.pick(NUMBER_ONLY),
  time: (random: Random): string => random.pick(TIME_ONLY),
  time12: (random: Random): string => random.pick(TIME12_ONLY)
}
