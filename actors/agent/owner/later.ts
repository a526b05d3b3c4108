/**
 * Earlier owners of an agent approve later ones (contract 22). The vault uses the result to decide who may consent.
 * Pure.
 *
 * Invariants
 *  - An owner may judge two groups: later confirmed owners, and owners whose confirmation was notified to that owner.
 *  - A person who was notified may object during the whole waiting time, even if the agent has ended that person's
 *    sponsorship. So the holder of the agent's key cannot prevent an objection.
 *  - The waiting time begins anew with a restore of the log, because objections since the backup are lost.
 */
import { notFound } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { LaterOwner, OwnerStanding } from "../../../schemas/owner/operations.ts"
import type { Decision } from "../../engine/definition.ts"
import { iso } from "../../../schemas/iso.ts"
import type { AgentEvent, AgentState } from "../state.ts"

interface Waiting extends Pick<Limits["limits"]["owner"], "later_owner_seconds"> {
  /** Unix ms; 0 if the log was never restored. */
  readonly restoredAt: number
}

const noSay = { refused: notFound("owner") }

export const standingOf = (state: AgentState, restoredAt: number): ReadonlyArray<OwnerStanding> =>
  (state?.sponsors ?? [])
    .flatMap(({ id: sponsorship, human, since, verified, told, opinions }) =>
      since === null
        ? []
        : [{ sponsorship, human, since, verified, told: { ...told, at: Math.max(told.at, restoredAt) }, opinions }]
    )
    .toSorted((one, other) => one.since - other.since || one.sponsorship - other.sponsorship)

const waitsUntil = ({ told }: OwnerStanding, { later_owner_seconds }: Pick<Waiting, "later_owner_seconds">): number =>
  told.at + later_owner_seconds * 1000

/** The person's rights on a later owner: to approve and object (`any`), to object only (`object`), or none. */
const sayOf = (
  owners: ReadonlyArray<OwnerStanding>,
  later: OwnerStanding,
  human: string,
  at: number,
  waiting: Waiting
): "any" | "object" | "nothing" => {
  const wasTold = later.told.humans.includes(human)
  const place = owners.findIndex((one) => one.human === human)
  if (place !== -1) return wasTold || place < owners.indexOf(later) ? "any" : "nothing"
  return wasTold && at < waitsUntil(later, waiting) ? "object" : "nothing"
}

export const laterOwners = (
  state: AgentState,
  human: string,
  at: number,
  waiting: Waiting
): ReadonlyArray<LaterOwner> => {
  const owners = standingOf(state, waiting.restoredAt)
  return owners
    .filter((one) => one.human !== human && sayOf(owners, one, human, at, waiting) !== "nothing")
    .map((one) => ({
      sponsorship: one.sponsorship,
      human: one.human,
      confirmed_at: iso(one.since),
      waits_until: iso(waitsUntil(one, waiting)),
      approves: one.opinions.find((opinion) => opinion.human === human)?.approves ?? null
    }))
}

interface Judging {
  readonly human: string
  readonly sponsorship: number
  readonly approves: boolean
}

export const decideJudge = (
  state: AgentState,
  { human, sponsorship, approves }: Judging,
  { at }: { readonly at: number },
  waiting: Waiting
): Decision<AgentEvent> => {
  const owners = standingOf(state, waiting.restoredAt)
  const later = owners.find((one) => one.sponsorship === sponsorship)
  if (later === undefined || later.human === human) return noSay
  const say = sayOf(owners, later, human, at, waiting)
  if (say === "nothing" || (approves && say === "object")) return noSay
  const before = later.opinions.find((one) => one.human === human)
  if (before?.approves === approves) return { events: [] }
  return { events: [{ type: "agent.owner_judged", v: 1, sponsorship, human, approves }] }
}
