/**
 * What holds for every family: prompts differ, phrasings differ in more than a word, nothing leaks, guessing does not pay.
 *
 * How the answer space is counted: where the answer is one of the things a prompt names, the candidates are those things
 * (five at least, seven weekdays), and no rule "the k-th one mentioned" may find the answer too often. Elsewhere the answer
 * is computed, and over the seeds no single value, and no number standing in the prompt, may be the answer too often.
 */
import { describe, expect, it } from "vitest";
import { FAMILIES, registry } from "../../../actors/registration/questions/families/index.ts";
import { seal } from "../../../actors/registration/questions/family.ts";
import type { Family } from "../../../actors/registration/questions/family.ts";
import { ages } from "../../../actors/registration/questions/families/ages.ts";
import { arrival } from "../../../actors/registration/questions/families/arrival.ts";
import { barter } from "../../../actors/registration/questions/families/barter.ts";
import { birthdays } from "../../../actors/registration/questions/families/birthdays.ts";
import { boxes } from "../../../actors/registration/questions/families/boxes.ts";
import { bus } from "../../../actors/registration/questions/families/bus.ts";
import { comparison } from "../../../actors/registration/questions/families/comparison.ts";
import { dayCount } from "../../../actors/registration/questions/families/day-count.ts";
import { departure } from "../../../actors/registration/questions/families/departure.ts";
import { exceptions } from "../../../actors/registration/questions/families/exceptions.ts";
import { grid } from "../../../actors/registration/questions/families/grid.ts";
import { isoDate } from "../../../actors/registration/questions/families/iso-date.ts";
import { jsonAnswer } from "../../../actors/registration/questions/families/json-answer.ts";
import { kinship } from "../../../actors/registration/questions/families/kinship.ts";
import { letterCode } from "../../../actors/registration/questions/families/letter-code.ts";
import { liars } from "../../../actors/registration/questions/families/liars.ts";
import { listPosition } from "../../../actors/registration/questions/families/list-position.ts";
import { lockerTag } from "../../../actors/registration/questions/families/locker-tag.ts";
import { money } from "../../../actors/registration/questions/families/money.ts";
import { negation } from "../../../actors/registration/questions/families/negation.ts";
import { oddOneOut } from "../../../actors/registration/questions/families/odd-one-out.ts";
import { ordering } from "../../../actors/registration/questions/families/ordering.ts";
import { overlap } from "../../../actors/registration/questions/families/overlap.ts";
import { pronouns } from "../../../actors/registration/questions/families/pronouns.ts";
import { rates } from "../../../actors/registration/questions/families/rates.ts";
import { seating } from "../../../actors/registration/questions/families/seating.ts";
import { sequence } from "../../../actors/registration/questions/families/sequence.ts";
import { spelling } from "../../../actors/registration/questions/families/spelling.ts";
import { stock } from "../../../actors/registration/questions/families/stock.ts";
import { travelTable } from "../../../actors/registration/questions/families/travel-table.ts";
import { venn } from "../../../actors/registration/questions/families/venn.ts";
import { walk } from "../../../actors/registration/questions/families/walk.ts";
import { weekday } from "../../../actors/registration/questions/families/weekday.ts";
import { MAX_PROMPT_CHARS } from "../../../actors/registration/questions/question.ts";
import { CITIES, COLOURS, MONTHS, NAMES, OBJECTS, PLACES, WEEKDAYS, WORDS } from "../../../actors/registration/questions/vocabulary.ts";
import { digits, labelled, mentions, ordinals } from "./support.ts";

const SEEDS = 1000;
const MOST_ALIKE = 0.5;
const MOST_FREQUENT_ANSWER = 0.2;
const MOST_FREQUENT_PLACE = 0.45;
const MOST_GIVEN_AWAY = 0.2;

interface Sample {
  readonly phrasing: number;
  readonly prompt: string;
  readonly answer: string;
  readonly candidates: ReadonlyArray<string> | null;
}

interface Studied {
  readonly name: string;
  readonly samples: ReadonlyArray<Sample>;
  /** The same facts in every phrasing. */
  readonly versions: ReadonlyArray<string>;
  /** Facts drawn and their numbers. */
  readonly told: ReadonlyArray<{ readonly prompt: string; readonly facts: unknown }>;
}

function study<F>(family: Family<F>): Studied {
  const samples = Array.from({ length: SEEDS }, (_, i): Sample => {
    const random = labelled(`${family.name} ${i}`);
    const facts = family.build(random);
    const phrasing = random.int(0, family.phrasings.length - 1);
    const prompt = family.phrasings[phrasing]?.(facts, random) ?? "";
    return { phrasing, prompt, answer: family.answer(facts), candidates: family.candidates?.(facts) ?? null };
  });
  const random = labelled(`${family.name} versions`);
  const shown = family.build(random);
  const told = Array.from({ length: 20 }, () => family.build(random)).flatMap((facts) => family.phrasings.map((phrasing) => ({ prompt: phrasing(facts, random), facts })));
  return { name: family.name, samples, versions: family.phrasings.map((phrasing) => phrasing(shown, random)), told };
}

const STUDIED = [
  study(ages), study(arrival), study(barter), study(birthdays), study(boxes), study(bus), study(comparison), study(dayCount), study(departure),
  study(exceptions), study(grid), study(isoDate), study(jsonAnswer), study(kinship), study(letterCode), study(liars), study(listPosition),
  study(lockerTag), study(money), study(negation), study(oddOneOut), study(ordering), study(overlap), study(pronouns), study(rates),
  study(seating), study(sequence), study(spelling), study(stock), study(travelTable), study(venn), study(walk), study(weekday),
];

const VOCABULARY = [...NAMES, ...CITIES, ...COLOURS, ...OBJECTS, ...PLACES, ...WEEKDAYS, ...MONTHS, ...WORDS];
const VARIABLE = new RegExp(`(?<!\\p{L})(?:${VOCABULARY.join("|")})(?!\\p{L})|\\d+`, "giu");

/** Runs of three words, with everything drawn masked. */
function shingles(prompt: string): Set<string> {
  const words = digits(prompt).replace(VARIABLE, "_").toLowerCase().match(/[\p{L}_]+/gu) ?? [];
  return new Set(words.map((_, i) => words.slice(i, i + 3).join(" ")));
}

function alike(one: Set<string>, other: Set<string>): number {
  const shared = [...one].filter((shingle) => other.has(shingle)).length;
  return shared / (one.size + other.size - shared);
}

function mostFrequent(values: ReadonlyArray<string | number>): number {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function numbersIn(facts: unknown): Array<number> {
  if (typeof facts === "number") return [facts];
  return typeof facts === "object" && facts !== null ? Object.values(facts).flatMap(numbersIn) : [];
}

describe("the registry", () => {
  it("holds every family studied here, and no other", () => {
    expect(STUDIED.map(({ name }) => name)).toEqual(FAMILIES.map(({ name }) => name));
  });

  it("has enough families, enough of them reasoning ones", () => {
    expect(FAMILIES.length).toBeGreaterThanOrEqual(24);
    expect(FAMILIES.filter(({ reasoning }) => reasoning).length).toBeGreaterThanOrEqual(14);
    expect(FAMILIES.filter(({ reasoning, format }) => reasoning && format !== null)).toEqual([]);
  });

  it("refuses a name twice and a family with too few phrasings", () => {
    expect(() => registry([seal(ages), seal(bus), seal(ages)])).toThrow(/ages/);
    expect(() => seal({ ...ages, phrasings: ages.phrasings.slice(1) })).toThrow(/phrasings/);
  });

  it("draws from words that stay different without case and accents", () => {
    for (const words of [NAMES, CITIES, COLOURS, OBJECTS, PLACES, WORDS]) {
      const plain = words.map((word) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase());
      expect(new Set(plain).size).toBe(words.length);
    }
  });
});

describe.each(STUDIED)("$name", ({ samples, versions, told }) => {
  it("never gives a prompt twice and uses every phrasing", () => {
    expect(new Set(samples.map(({ prompt }) => prompt)).size).toBe(SEEDS);
    expect(new Set(samples.map(({ phrasing }) => phrasing)).size).toBeGreaterThanOrEqual(8);
  });

  it("has phrasings that differ in their sentences", () => {
    const sets = versions.map(shingles);
    for (const [i, one] of sets.entries()) {
      for (const other of sets.slice(i + 1)) expect(alike(one, other)).toBeLessThan(MOST_ALIKE);
    }
  });

  it("keeps prompts within the bound, whole and clean", () => {
    for (const { prompt } of [...samples, ...told]) {
      expect(prompt.length).toBeLessThan(MAX_PROMPT_CHARS);
      expect(prompt).not.toMatch(/undefined|NaN|\[object|null| {2}|\n|^\s|\s$| [.,;?]|\b[Aa] umbrella/);
      expect(prompt).toMatch(/^["“\p{Lu}\d[]/u);
    }
  });

  it("cannot be guessed", () => {
    expect(mostFrequent(samples.map(({ answer }) => answer)) / SEEDS).toBeLessThan(MOST_FREQUENT_ANSWER);
    if (samples[0]?.candidates === null) {
      expect(new Set(samples.map(({ answer }) => answer)).size).toBeGreaterThanOrEqual(25);
      const given = samples.filter(({ prompt, answer }) => new RegExp(`(?<![\\w:-])${answer.replace(/[{}]/g, "\\$&")}(?![\\w:-])`).test(digits(prompt)));
      expect(given.length / SEEDS).toBeLessThan(MOST_GIVEN_AWAY);
      return;
    }
    for (const { answer, candidates } of samples) {
      expect(new Set(candidates).size).toBeGreaterThanOrEqual(5);
      expect(candidates).toContain(answer);
    }
    const orders = samples.map(({ prompt, answer, candidates }) => ({ answer, seen: [...new Set(mentions(prompt, candidates ?? []))] }));
    const places = orders.map(({ answer, seen }) => seen.indexOf(answer)).filter((place) => place >= 0);
    expect(mostFrequent(places) / SEEDS).toBeLessThan(MOST_FREQUENT_PLACE);
    const last = samples.filter(({ prompt, answer, candidates }) => mentions(prompt, candidates ?? []).at(-1) === answer);
    expect(last.length / SEEDS).toBeLessThan(MOST_FREQUENT_PLACE);
  });
});

/** The numbers of these facts all stand in the prompt as they are. */
const NUMBERS_TOLD = new Set(["ages", "barter", "exceptions", "json-answer", "money", "rates", "stock", "venn", "locker-tag"]);

describe("numbers in the facts", () => {
  it.each(STUDIED.filter(({ name }) => NUMBERS_TOLD.has(name)))("$name tells every one of them", ({ name, told }) => {
    for (const { prompt, facts } of told) {
      const standing = new Set((ordinals(digits(prompt)).match(/\d+/g) ?? []).map(Number));
      const wanted = numbersIn(name === "locker-tag" ? (facts as { readonly lockers: unknown }).lockers : facts);
      expect([prompt, wanted.filter((number) => !standing.has(number) && !(name === "rates" && number === 1))]).toEqual([prompt, []]);
    }
  });
});
