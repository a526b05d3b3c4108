/**
 * Decides who may consent to fills of an entry (contract 22). Pure.
 *
 * Invariants
 *  - Only confirmed owners with a verified address may consent.
 *  - The people who were owners when the entry was written may consent. An objection by an earlier owner prevents this,
 *    unless somebody who may consent has approved the owner.
 *  - A later owner may consent once a person who may consent has approved that owner. Without approval, a later owner
 *    may consent after the waiting time, if every owner of the entry was notified and none has objected. The waiting
 *    time begins anew with a restore (agent/owner/later.ts).
 *  - A new sponsorship of the same person counts as a later owner, so it does not clear objections.
 */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { OwnerStanding } from "../../schemas/owner/operations.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors, type ActorServices } from "../engine/services.ts"
import type { EntryOwner, EntryValue } from "./state.ts"

export type WaitLimits = Pick<Limits["limits"]["owner"], "later_owner_seconds">

/** The agent's owners, the first one in front. */
export const ownersOf = (
  context: PrepareContext
): Effect.Effect<ReadonlyArray<OwnerStanding>, Refusal, ActorServices> =>
  Effect.flatMap(Actors, (actors) => actors.ask(context, "owner.standing", context.id, null))

/**
 * The first owners of an entry. Older events do not name them. For these, they are the present owners who were
 * confirmed before the entry was written. Everybody else is a later owner, so that no old entry opens to a new person.
 */
export const ownersOfEntry = (
  { consent, created_at }: Pick<EntryValue, "consent" | "created_at">,
  owners: ReadonlyArray<OwnerStanding>
): ReadonlyArray<EntryOwner> =>
  consent?.owners ??
  owners.filter(({ since }) => since <= created_at).map(({ sponsorship, human }) => ({ sponsorship, human }))

const hasWaited = (
  entryOwners: ReadonlyArray<EntryOwner>,
  { human, told }: OwnerStanding,
  at: number,
  { later_owner_seconds }: WaitLimits
): boolean => {
  const others = entryOwners.filter((one) => one.human !== human)
  const allTold = others.every((one) => told.humans.includes(one.human))
  return entryOwners.length > 0 && allTold && at >= told.at + later_owner_seconds * 1000
}

/** `owners`: in the order of their confirmation, so that approval comes only from earlier ones. */
export const consentersOf = (
  entryOwners: ReadonlyArray<EntryOwner>,
  owners: ReadonlyArray<OwnerStanding>,
  at: number,
  limits: WaitLimits
): ReadonlyArray<EntryOwner> => {
  const may: Array<EntryOwner> = []
  const isApproved = ({ opinions }: OwnerStanding): boolean =>
    opinions.some(({ human, approves }) => approves && may.some((one) => one.human === human))
  for (const owner of owners) {
    const { sponsorship, human, verified, opinions } = owner
    const isOfEntry = entryOwners.some((one) => one.sponsorship === sponsorship)
    const isFree = isOfEntry || hasWaited(entryOwners, owner, at, limits)
    const hasObjection = opinions.some(({ approves }) => !approves)
    if (verified && (isApproved(owner) || (isFree && !hasObjection))) may.push({ sponsorship, human })
  }
  return may
}

/** Ids of the people who may consent to fills of this entry now. */
export const consentersNow = (
  entry: Pick<EntryValue, "consent" | "created_at">,
  owners: ReadonlyArray<OwnerStanding>,
  at: number,
  limits: WaitLimits
): ReadonlyArray<string> => consentersOf(ownersOfEntry(entry, owners), owners, at, limits).map(({ human }) => human)
