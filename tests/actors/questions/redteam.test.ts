/** The solver that knows the source, on a sample; `npm run bench -- --only questions` measures it on more. */
import { describe, expect, it } from "vitest";
import { guess } from "../../../ops/bench/questions/guess.ts";
import { measured } from "../../../ops/bench/questions/measure.ts";
import { solve } from "../../../ops/bench/questions/solver.ts";
import { skeletons, structuresOf } from "../../../ops/bench/questions/structures.ts";

const CHALLENGES = 200;
const MOST_PASSED = 0.02;
const SKELETONS = 2000;
const LEAST_STRUCTURES = 1_000_000;

describe("a program", () => {
  it("with full sight of the source passes at most 2 % of challenges", () => {
    const { passed } = measured(solve, CHALLENGES, "sample");
    expect(passed / CHALLENGES).toBeLessThanOrEqual(MOST_PASSED);
  }, 120_000);

  it("that guesses passes none, and hardly ever finds an answer", () => {
    const { passed, families } = measured(guess, CHALLENGES, "guess");
    expect(passed).toBe(0);
    for (const [family, { right, all }] of families) if (all >= 20) expect([family, right / all < 0.3]).toEqual([family, true]);
  }, 120_000);
});

describe("sentence structures", () => {
  it("are at least a million in every family, by count", () => {
    for (const [family, count] of structuresOf()) expect([family, count >= LEAST_STRUCTURES]).toEqual([family, true]);
  });

  it("never come twice, with names, numbers and nouns left out", () => {
    const drawn = skeletons(SKELETONS, "skeletons");
    expect(new Set(drawn).size).toBe(drawn.length);
  }, 120_000);
});
