/** Asides of the narrator, which have no meaning for the answer. */
import type { Random } from "../random.ts"
import type { Onlooker } from "./mood.ts"

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
