import type { Family } from "../family.ts";
import { clock, duration, only } from "../prose.ts";

/** All in minutes; `start` since midnight. The end falls on the same day. */
export interface ArrivalFacts {
  readonly start: number;
  readonly first: number;
  readonly pause: number;
  readonly second: number;
}

export const arrival: Family<ArrivalFacts> = {
  name: "arrival",
  reasoning: true,
  kind: "time",
  format: null,
  build: (random) => ({
    start: random.int(6 * 60, 15 * 60),
    first: random.int(35, 170),
    pause: random.int(8, 55),
    second: random.int(30, 165),
  }),
  answer: ({ start, first, pause, second }) => clock(start + first + pause + second),
  candidates: null,
  phrasings: [
    ({ start, first, pause, second }, r) =>
      `A train leaves at ${clock(start)} and runs for ${duration(r, first)} to the junction. There the passengers wait ${duration(r, pause)}, and the second train needs ${duration(r, second)}. When does it get in? ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `At what time is the bread done? Kneading and the first rise take ${duration(r, first)}, baking takes ${duration(r, second)}, and between the two the loaf rests for ${duration(r, pause)}. The baker begins at ${clock(start)}. ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `The curtain goes up at ${clock(start)}. Act one lasts ${duration(r, first)}, act two ${duration(r, second)}; the interval of ${duration(r, pause)} separates them. Work out when the curtain falls for the last time. ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `Having set out at ${clock(start)}, a hiker walks uphill for ${duration(r, first)}, sits at the summit for ${duration(r, pause)} and comes down by another way in ${duration(r, second)}. What does the clock show at the end of the descent? ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `Find the finishing time of this laundry: wash programme ${duration(r, first)}; then the drum stands still for ${duration(r, pause)}; after that the dryer works for ${duration(r, second)}. The start button was pressed at ${clock(start)}. ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `Two lessons are given back to back, but for a break of ${duration(r, pause)}. The earlier lesson starts when it is ${clock(start)} and goes on for ${duration(r, first)}; the later one is ${duration(r, second)} long. When are the pupils free? ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `A parcel drone was in the air for ${duration(r, first)}, then had its battery changed for ${duration(r, pause)}, then flew again, this time for ${duration(r, second)}, and landed at the client's. Its log begins with take-off at ${clock(start)}. With which time does the log end? ${only.time(r)}`,
    ({ start, first, pause, second }, r) =>
      `"${clock(start)} sharp," the surgeon noted as the operation began. Part one was over after ${duration(r, first)}. The team stopped for ${duration(r, pause)} to read the X-rays, and closed up after a part two of ${duration(r, second)}. Which time belongs at the end of the notes? ${only.time(r)}`,
  ],
};
