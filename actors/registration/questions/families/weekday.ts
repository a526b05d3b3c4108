import type { Family } from "../family.ts";
import { count, only } from "../prose.ts";
import { WEEKDAYS } from "../vocabulary.ts";

export interface WeekdayFacts {
  /** Index into the week, Monday being 0. */
  readonly start: number;
  readonly every: number;
  /** Which occurrence, the start being number 1. */
  readonly nth: number;
  /** Days after that occurrence. */
  readonly later: number;
}

const day = (index: number): string => WEEKDAYS[index % WEEKDAYS.length] ?? "";

export const weekday: Family<WeekdayFacts> = {
  name: "weekday",
  reasoning: true,
  kind: "word",
  format: null,
  build: (random) => ({
    start: random.int(0, 6),
    every: random.pick([2, 3, 4, 5, 6, 8, 9, 10, 11, 12]),
    nth: random.int(4, 30),
    later: random.int(2, 40),
  }),
  answer: ({ start, every, nth, later }) => day(start + every * (nth - 1) + later),
  candidates: () => WEEKDAYS,
  phrasings: [
    ({ start, every, nth, later }, r) =>
      `A ferry sails every ${count(r, every)} days, and its first trip is on a ${day(start)}. The harbour master inspects it ${count(r, later)} days after trip number ${nth}. On which weekday is the inspection? ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `Which weekday is the test of the water due on? It comes ${count(r, later)} days after dose number ${nth} of a treatment. Dose number 1 was given on a ${day(start)}, and each further dose followed ${count(r, every)} days after the one before. ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `"I water the cactus on a ${day(start)}," says the gardener, "and again after ${count(r, every)} days, and so on at the same interval." Watering number ${nth}, if that ${day(start)} is number 1, is followed ${count(r, later)} days afterwards by repotting. Name the weekday of the repotting. ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `Episodes of a radio play are published ${count(r, every)} days apart. Suppose number one is out on a ${day(start)}. A critic always needs ${count(r, later)} days from publication to write a review; on what day of the week is the review of episode number ${nth} ready? ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `A debt is paid in instalments. Between one instalment and the next there are always ${count(r, every)} days (from a Monday, 1 day leads to Tuesday). The opening instalment falls on a ${day(start)}. If the bank books instalment number ${nth} with a delay of ${count(r, later)} days, what weekday is the booking made? ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `Take a ${day(start)}. Move ahead ${count(r, every)} days, and repeat that move until you have made ${count(r, nth - 1)} moves in all. Then go ${count(r, later)} days further. The weekday you land on is wanted. ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `The night guard's shifts form a regular pattern: one shift, then the next exactly ${count(r, every)} days later, without exception. Shift 1 was a ${day(start)}. Her holiday begins ${count(r, later)} days after shift ${nth}. What day of the week does the holiday begin? ${only.word(r)}`,
    ({ start, every, nth, later }, r) =>
      `For a comet survey, photographs are scheduled at a fixed spacing of ${count(r, every)} days. It is known that a ${day(start)} saw photograph 1. Developing takes time, so each picture is shown ${count(r, later)} days after it was taken. Tell the weekday on which photograph ${nth} is shown. ${only.word(r)}`,
  ],
};
