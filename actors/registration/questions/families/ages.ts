import type { Family } from "../family.ts";
import { count, only } from "../prose.ts";
import { NAMES } from "../vocabulary.ts";

/** The elder is `times` as old as the child, the third is `gap` years older than the child; together they are `sum`. */
export interface AgesFacts {
  readonly child: string;
  readonly elder: string;
  readonly third: string;
  readonly times: number;
  readonly gap: number;
  readonly sum: number;
  /** Whose age is asked for, and in how many years. */
  readonly about: string;
  readonly years: number;
}

export const ages: Family<AgesFacts> = {
  name: "ages",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const [child, elder, third] = random.sample(NAMES, 3) as [string, string, string];
    const age = random.int(7, 16);
    const times = random.int(3, 5);
    const gap = random.int(2, 13);
    return { child, elder, third, times, gap, sum: age * (times + 2) + gap, about: random.pick([child, elder, third]), years: random.int(3, 12) };
  },
  answer: ({ child, elder, times, gap, sum, about, years }) => {
    const age = (sum - gap) / (times + 2);
    if (about === child) return String(age + years);
    return String((about === elder ? times * age : age + gap) + years);
  },
  candidates: null,
  phrasings: [
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `${elder} is ${count(r, times)} times as old as ${child}, and ${third} is ${count(r, gap)} years older than ${child}. Their three ages add up to ${sum}. How old will ${about} be in ${count(r, years)} years? ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `What age will ${about} reach ${count(r, years)} years from now? Put together, ${child}, ${elder} and ${third} have lived ${sum} years. If you take ${count(r, gap)} from ${third}'s age you have ${child}'s, and multiplying ${child}'s by ${count(r, times)} gives ${elder}'s. ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `Three trees stand in a park and are called ${third}, ${elder} and ${child}. The gardener says: "${child} was planted ${count(r, gap)} years after ${third}. ${elder} has been here ${count(r, times)} times as long as ${child}. All in all they have been here for ${sum} years, if you add the three up." Find the age ${about} will have after another ${count(r, years)} years. ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `A sum of ${sum} results when three people of a household write down their ages and add them. The youngest is ${child}. ${third}'s figure exceeds ${child}'s by ${count(r, gap)}; ${elder}'s is ${count(r, times)} times ${child}'s. They do it again ${count(r, years)} years later. Which age does ${about} write then? ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `When ${third} was ${count(r, gap)} years old, ${child} was just being born. Today ${elder}'s age divided by ${child}'s is exactly ${count(r, times)}, and the ages of all three (${elder}, ${third}, ${child}) total ${sum}. In ${count(r, years)} years, how many years old is ${about}? ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `On the doors of three old taverns you read how many years each has been open. ${elder}'s number is ${count(r, times)} times the number at ${child}'s. At ${third}'s the number is larger than at ${child}'s by ${count(r, gap)}. The three numbers make ${sum} in total. Which number will be on the door of ${about}'s in ${count(r, years)} years' time, if it stays open? ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `Let somebody be ${count(r, years)} years older than ${about} is now: how old is that? You may use the following. ${child} is younger than ${third} by ${count(r, gap)} years. The age of ${elder} equals ${count(r, times)} times the age of ${child}. Adding ${child}, ${third} and ${elder} gives ${sum} years. ${only.number(r)}`,
    ({ child, elder, third, times, gap, sum, about, years }, r) =>
      `${sum} candles would be needed for ${child}, ${third} and ${elder} together, one for each year of each person's life. For ${elder} alone you need ${count(r, times)} candles for every one on ${child}'s cake, and for ${third} you need ${count(r, gap)} more than for ${child}. How many candles will ${about}'s cake alone need when ${count(r, years)} more years have gone by? ${only.number(r)}`,
  ],
};
