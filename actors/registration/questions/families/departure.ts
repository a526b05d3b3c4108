import type { Family } from "../family.ts";
import { clock12, duration, only } from "../prose.ts";

/** All in minutes; `due` since midnight. The start falls on the same day. */
export interface DepartureFacts {
  readonly due: number;
  readonly ride: number;
  readonly walk: number;
  readonly early: number;
}

export const departure: Family<DepartureFacts> = {
  name: "departure",
  reasoning: true,
  kind: "time12",
  format: null,
  build: (random) => ({
    due: random.int(10 * 60, 20 * 60),
    ride: random.int(50, 190),
    walk: random.int(12, 48),
    early: random.int(5, 35),
  }),
  answer: ({ due, ride, walk, early }) => clock12(due - ride - walk - early),
  candidates: null,
  phrasings: [
    ({ due, ride, walk, early }, r) =>
      `The interview is at ${clock12(due)}, and the candidate wants to be there ${duration(r, early)} before. The bus ride takes ${duration(r, ride)} and the walk from the bus ${duration(r, walk)}. When must the bus leave at the latest? ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `By what time does the cook have to start, at the latest? Roasting needs ${duration(r, ride)}, the preparation before it ${duration(r, walk)}, and the roast has to cool for ${duration(r, early)} afterwards. The guests sit down at ${clock12(due)}, when all must be ready. ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `At ${clock12(due)} a pianist walked on stage. She had arrived in her dressing room ${duration(r, early)} before that, straight from a taxi that took ${duration(r, walk)}; she had taken the taxi the moment she got off a train after ${duration(r, ride)} on board. When had the train set off? ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `Working backwards: a glaze is dry at ${clock12(due)}. It dried for ${duration(r, ride)}. Immediately before, it was brushed on for ${duration(r, walk)}, and just before the brushing it was stirred for ${duration(r, early)}. Find the time when the stirring began. ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `A flight's gate closes at ${clock12(due)}. From the kerb to the gate one needs ${duration(r, walk)}, from the hotel to the kerb ${duration(r, ride)}, and a traveller likes to have ${duration(r, early)} in hand. What is the latest time for this traveller to leave the hotel? ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `The alarm went off when three things had run one after the other without a gap: a countdown of ${duration(r, ride)}, a self-test of ${duration(r, walk)}, and a silent phase of ${duration(r, early)}. It went off at ${clock12(due)}. At what time did the countdown begin? ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `We know when the marathon runner stopped the watch: ${clock12(due)}. The run itself had taken ${duration(r, ride)}. The warm-up had been ${duration(r, walk)} long and had ended ${duration(r, early)} before the starting gun. Tell when the warm-up had begun. ${only.time12(r)}`,
    ({ due, ride, walk, early }, r) =>
      `"Home by ${clock12(due)}," the parents said. The cinema is ${duration(r, walk)} from home, the film runs ${duration(r, ride)}, and there are ${duration(r, early)} of advertising ahead of it. If the children come in exactly on time after seeing everything, when did the advertising start? ${only.time12(r)}`,
  ],
};
