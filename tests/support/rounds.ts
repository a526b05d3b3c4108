/** How long a search by lot goes on: a short sample in `npm test`, as long as one likes in `npm run campaign`. */

/** Rounds of a campaign; `null` in `npm test`. */
export function campaignRounds(): number | null {
  const given = Number(process.env["HUB_TEST_ROUNDS"])
  return Number.isInteger(given) && given > 0 ? given : null
}

export const rounds = (sample: number): number => campaignRounds() ?? sample
