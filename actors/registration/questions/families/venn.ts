import type { Family } from "../family.ts";
import { count, only } from "../prose.ts";

export interface VennFacts {
  readonly total: number;
  readonly first: number;
  readonly second: number;
  readonly both: number;
  readonly asked: "neither" | "exactly one" | "only the first";
}

const ANSWERS: Readonly<Record<VennFacts["asked"], (facts: VennFacts) => number>> = {
  neither: ({ total, first, second, both }) => total - (first + second - both),
  "exactly one": ({ first, second, both }) => first + second - 2 * both,
  "only the first": ({ first, both }) => first - both,
};

export const venn: Family<VennFacts> = {
  name: "venn",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const both = random.int(4, 17);
    const first = both + random.int(5, 24);
    const second = both + random.int(5, 24);
    const total = first + second - both + random.int(3, 21);
    return { total, first, second, both, asked: random.pick(["neither", "exactly one", "only the first"] as const) };
  },
  answer: (facts) => String(ANSWERS[facts.asked](facts)),
  candidates: null,
  phrasings: [
    ({ total, first, second, both, asked }, r) =>
      `Of ${total} members of a club, ${first} play chess and ${second} play cards. There are ${count(r, both)} who play both. ${ask(asked, "How many play neither of the two?", "How many play one of the two but not the other?", "How many play chess but not cards?")} ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `${ask(asked, "How many tourists saw neither sight?", "How many tourists saw just one of the sights?", "How many tourists saw the castle without seeing the cave?")} On the coach were ${total} tourists; the cave was visited by ${second} of them and the castle by ${first}, and these figures both include ${count(r, both)} people who went to castle and cave alike. ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `The doctor's notes on ${total} patients say that a cough was found in ${first} and a fever in ${second}; in ${count(r, both)} patients cough and fever came together. ${ask(asked, "Find the number of patients without either complaint.", "Find the number of patients with a single one of these complaints.", "Find the number of patients who coughed but had no fever.")} ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `Tiles come plain, striped, dotted, or striped and dotted at once. This last kind makes up ${count(r, both)} of a load of ${total} tiles. Stripes are on ${first} tiles altogether, dots on ${second} altogether. ${ask(asked, "What number of tiles is plain?", "What number of tiles bears one pattern and no second?", "What number of tiles has stripes and no dots?")} ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `A survey reached ${total} households. "Do you own a bicycle?" got ${first} times yes. "Do you own a piano?" got ${second} times yes. Those saying yes twice were ${count(r, both)}. ${ask(asked, "Tell how many said no twice.", "Tell how many said yes to one question and no to the other.", "Tell how many have a bicycle but are without a piano.")} ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `If ${count(r, both)} of the ${total} dogs in a kennel have both a collar and a coat, while the dogs with a coat number ${second} and the dogs with a collar number ${first}, ${ask(asked, "how many dogs go bare, that is, with no collar and no coat?", "how many dogs wear one of the two things only?", "how many dogs have a collar and go without a coat?")} ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `Two newspapers share a town of ${total} readers and non-readers. The Courier goes to ${first} people and the Gazette to ${second}. Some take the two of them; they are ${count(r, both)} and are counted in each figure. ${ask(asked, "How many people in the town get no paper at all?", "How many people get precisely one paper?", "How many people get the Courier and do not get the Gazette?")} ${only.number(r)}`,
    ({ total, first, second, both, asked }, r) =>
      `At the swimming test, ${second} children passed the dive. The long swim was passed by ${first}. You might think that makes ${first + second}, but ${count(r, both)} children passed dive and long swim and are in both numbers; ${total} children took part. ${ask(asked, "Say how many passed nothing.", "Say how many passed one part of the test and failed the other.", "Say how many managed the long swim yet failed the dive.")} ${only.number(r)}`,
  ],
};

function ask(asked: VennFacts["asked"], neither: string, one: string, first: string): string {
  return { neither, "exactly one": one, "only the first": first }[asked];
}
