import type { Family } from "../family.ts";
import { count, only } from "../prose.ts";

/** `p` of A are worth `q` of B, and `r` of B are worth `s` of C. How many C for `n` of A? */
export interface BarterFacts {
  readonly p: number;
  readonly q: number;
  readonly r: number;
  readonly s: number;
  readonly n: number;
}

export const barter: Family<BarterFacts> = {
  name: "barter",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const [p, q] = random.sample([2, 3, 4, 5, 7], 2) as [number, number];
    const [r, s] = random.sample([2, 3, 4, 5, 7], 2) as [number, number];
    return { p, q, r, s, n: p * r * random.int(1, 3) };
  },
  answer: ({ p, q, r, s, n }) => String(((n / p) * q * s) / r),
  candidates: null,
  phrasings: [
    ({ p, q, r, s, n }, x) =>
      `On a pair of scales ${count(x, p)} pears balance ${count(x, q)} plums, and ${count(x, r)} plums balance ${count(x, s)} nuts. All pears weigh the same, so do all plums and all nuts. How many nuts balance ${count(x, n)} pears? ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `How many shells does a fisherman get for ${count(x, n)} nets? On his island the fixed rates are these: for ${count(x, r)} pots you receive ${count(x, s)} shells; for ${count(x, p)} nets you receive ${count(x, q)} pots. ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `Three gears are linked. Whenever the large one makes ${count(x, p)} turns, the middle one makes ${count(x, q)}; whenever the middle one makes ${count(x, r)}, the small one makes ${count(x, s)}. Now the large gear has made ${count(x, n)} turns. Find the turns made by the small gear. ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `An old cookbook knows no grams. "${s} thimbles are the same as ${r} spoons," it says, "and ${q} spoons are the same as ${p} ladles." A soup takes ${count(x, n)} ladles of oil, but the cook has only a thimble to measure with. What is the number of thimbles needed? ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `In a card game, ${count(x, p)} kings may be traded for ${count(x, q)} queens, no more and no fewer, and ${count(x, r)} queens for ${count(x, s)} jacks. A player with ${count(x, n)} kings first turns all of them into queens and afterwards all the queens into jacks. How many jacks does the player hold at last? ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `While the apprentice lays ${count(x, r)} bricks, the mason lays ${count(x, s)}. While the helper lays ${count(x, p)}, the apprentice lays ${count(x, q)}. They all keep to their own steady speed and work side by side for the same time. The helper has laid ${count(x, n)} bricks: how many has the mason laid? ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `Suppose ${count(x, q)} silver tokens can be had for ${count(x, p)} gold ones. Suppose further that ${count(x, s)} copper tokens can be had for ${count(x, r)} silver ones. Tell what ${count(x, n)} gold tokens come to in copper. ${only.number(x)}`,
    ({ p, q, r, s, n }, x) =>
      `The zoo feeds by a rule: as much hay as ${count(x, p)} camels eat is enough for ${count(x, q)} zebras, and what ${count(x, r)} zebras eat will do for ${count(x, s)} goats. One day hay is delivered for ${count(x, n)} camels, yet only goats are at home. How many goats can be fed with it? ${only.number(x)}`,
  ],
};
