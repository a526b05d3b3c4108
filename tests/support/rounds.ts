/** How long a search by lot goes on: a short sample in `npm test`, as long as one likes in `npm run campaign`. */

/** Whether a campaign runs, which names its rounds or leaves each file its own. */
export const isCampaign = (): boolean => process.env["HUB_TEST_CAMPAIGN"] !== undefined

export function rounds(sample: number): number {
  const given = Number(process.env["HUB_TEST_ROUNDS"])
  return Number.isInteger(given) && given > 0 ? given : sample
}
