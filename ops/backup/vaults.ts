/**
 * A restore ends the fill services of every vault, since tokens that were used after the backup would be valid again.
 * It ends all open fills, since those may have been reported after the backup, and skips numbers of fills, since an
 * owner's answer names its fill by number.
 * Vaults whose keys were erased while the backup was made are revoked (erased.ts).
 * It also stops card fills until the end of the day (UTC), since payments after the backup are unknown. The operator may
 * allow card fills at once.
 */
import { nuid } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import { Fault } from "../cli/fault.ts"
import { type ErasedParts, endedInVault, idsOf } from "./erased.ts"

const BATCH = 100
/** Numbers that a vault skips at least. It opens fewer fills between two backups. */
const SKIPPED_MIN = 1000
const DAY_MS = 86_400_000

/**
 * Writes a command to each vault's log. `cards` is true if cards may be filled immediately. Resolves to the number of
 * vaults.
 */
export const commitVaultsRestored = async (
  parts: ErasedParts,
  { cards, gap }: { readonly cards: boolean; readonly gap: number }
): Promise<number> => {
  const { log, at } = parts
  const vaults = await idsOf("vault", parts)
  const cards_from = cards ? null : at - (at % DAY_MS) + DAY_MS
  const restored = { type: "vault.restored", v: 1, cards_from, skipped: Math.max(gap, SKIPPED_MIN) }
  for (let from = 0; from < vaults.length; from += BATCH) {
    const told = vaults.slice(from, from + BATCH).map(async (agent) => {
      const subject = subjects.event("vault", agent)
      const events = [restored, ...(await endedInVault(parts, agent))]
      const commit = { v: 1 as const, id: nuid.next(), op: "hub.restore", at, events }
      const result = await log.append([{ subject, expected: await log.lastSeq(subject), commit }])
      if (!result.ok) throw new Fault(`${streams.events} took nothing for a vault: ${result.reason}`)
    })
    await Promise.all(told)
  }
  return vaults.length
}
