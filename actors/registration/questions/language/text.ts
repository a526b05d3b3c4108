/** From clauses to sentences. */
import type { Random } from "../random.ts";

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "A, B and C" */
export const list = (items: ReadonlyArray<string>): string => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);

/** What filling leaves behind: doubled commas and spaces, a comma before a full stop. */
export const tidy = (text: string): string =>
  text.replace(/,(?:\s*,)+/g, ",").replace(/\s+([,.;)])/g, "$1").replace(/,\s*([.;:?)])/g, "$1").replace(/,(?=[\p{L}\d«"])/gu, ", ").replace(/\s{2,}/g, " ").trim();

/** "a" made "an" where a vowel follows. */
export const withArticles = (text: string): string => text.replace(/\b([Aa]) (?=["“]?(?:[aeioAEIO]|u(?!n?i|se)))/g, "$1n ");

/** Clauses joined to running text; where one ends is not always marked in the same way. */
export function running(random: Random, clauses: ReadonlyArray<string>): string {
  let text = "";
  let fresh = true;
  for (const [i, clause] of clauses.entries()) {
    const said = tidy(clause).replace(/,$/, "");
    text += fresh ? capital(said) : said;
    if (i === clauses.length - 1) return `${text}.`;
    const joint = random.pick([". ", ". ", ". ", ". ", "; ", " – ", "... "]);
    fresh = joint === ". " || joint === "... ";
    text += joint;
  }
  return text;
}
