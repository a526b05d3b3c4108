/** The number of rounds of a random search: few in `npm test`, and any number in `npm run campaign`. */

/** True in a campaign. It sets the number of rounds, or leaves it to each file. */
export const isCampaign = (): boolean => process.env["HUB_TEST_CAMPAIGN"] !== undefined

export function rounds(sample: number): number {
  const given = Number(process.env["HUB_TEST_ROUNDS"])
  return Number.isInteger(given) && given > 0 ? given : sample
}
