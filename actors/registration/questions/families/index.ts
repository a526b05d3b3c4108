import { seal } from "../family.ts";
import type { SealedFamily } from "../family.ts";
import { ages } from "./ages.ts";
import { arrival } from "./arrival.ts";
import { barter } from "./barter.ts";
import { birthdays } from "./birthdays.ts";
import { boxes } from "./boxes.ts";
import { bus } from "./bus.ts";
import { comparison } from "./comparison.ts";
import { dayCount } from "./day-count.ts";
import { departure } from "./departure.ts";
import { exceptions } from "./exceptions.ts";
import { grid } from "./grid.ts";
import { isoDate } from "./iso-date.ts";
import { jsonAnswer } from "./json-answer.ts";
import { kinship } from "./kinship.ts";
import { letterCode } from "./letter-code.ts";
import { liars } from "./liars.ts";
import { listPosition } from "./list-position.ts";
import { lockerTag } from "./locker-tag.ts";
import { money } from "./money.ts";
import { negation } from "./negation.ts";
import { oddOneOut } from "./odd-one-out.ts";
import { ordering } from "./ordering.ts";
import { overlap } from "./overlap.ts";
import { pronouns } from "./pronouns.ts";
import { rates } from "./rates.ts";
import { seating } from "./seating.ts";
import { sequence } from "./sequence.ts";
import { spelling } from "./spelling.ts";
import { stock } from "./stock.ts";
import { travelTable } from "./travel-table.ts";
import { venn } from "./venn.ts";
import { walk } from "./walk.ts";
import { weekday } from "./weekday.ts";

/** A name stands for one kind of puzzle: two under one name would let a challenge hold the same kind twice. */
export function registry(families: ReadonlyArray<SealedFamily>): ReadonlyArray<SealedFamily> {
  const seen = new Set<string>();
  for (const { name } of families) {
    if (seen.has(name)) throw new Error(`question family ${name}: the name is taken`);
    seen.add(name);
  }
  return families;
}

export const FAMILIES = registry([
  seal(ages), seal(arrival), seal(barter), seal(birthdays), seal(boxes), seal(bus), seal(comparison), seal(dayCount),
  seal(departure), seal(exceptions), seal(grid), seal(isoDate), seal(jsonAnswer), seal(kinship), seal(letterCode), seal(liars),
  seal(listPosition), seal(lockerTag), seal(money), seal(negation), seal(oddOneOut), seal(ordering), seal(overlap), seal(pronouns),
  seal(rates), seal(seating), seal(sequence), seal(spelling), seal(stock), seal(travelTable), seal(venn), seal(walk), seal(weekday),
]);
