/** Decisions on a vault and its content, without fills (decide-fills.ts). Pure. */
import { timingSafeEqual } from "node:crypto"
import { aboveMax, belowMin, invalidField, refusal, type Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { isCurrency, minorOf } from "../../schemas/vault/money.ts"
import { originProblem } from "../../schemas/vault/origins.ts"
import type { EntryToWrite, Writer } from "../../schemas/vault/operations.ts"
import type { EntryKind } from "../../schemas/vault/records.ts"
import type { OwnerStanding } from "../../schemas/owner/operations.ts"
import type { DecideContext, Decision } from "../engine/definition.ts"
import { consentersOf, ownersOfEntry, type WaitLimits } from "./consenters.ts"
import { rememberedOf, isRemembered } from "./evolve.ts"
import {
  ENTRY_EXISTS,
  EXISTS,
  full,
  NO_ENTRY,
  NO_SOURCE,
  NO_VAULT,
  NOBODY_CONSENTS,
  NOT_ACTIVE,
  TOKEN_INVALID,
  widening
} from "./refusals.ts"
import type {
  ConsentValue,
  EntryOwner,
  EntryValue,
  MinorLimits,
  ServiceValue,
  SourceValue,
  VaultEvent,
  VaultState,
  VaultValue
} from "./state.ts"

export type VaultLimits = Limits["vault"]
export type WriteLimits = VaultLimits & WaitLimits & Pick<Limits["service"]["vault"], "deleted_max">

/**
 * `sha256`: the hash of the ciphertext, which is stored by then. `owners`: the agent's owners, if the entry needs
 * consent.
 */
export interface WriteFacts {
  readonly sha256: string
  readonly owners: ReadonlyArray<OwnerStanding>
}
type At = Pick<DecideContext<unknown>, "at">
type Decided<Reply = null> = Decision<VaultEvent, Reply>

const NOTHING = { events: [] } as const

/** Compares in constant time. */
const isSame = (known: string, given: string): boolean => {
  const [one, other] = [Buffer.from(known), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export const sourceOf = (state: VaultState, hash: string): SourceValue | null =>
  state?.sources.find((one) => isSame(one.hash, hash)) ?? null

export const serviceOf = (state: VaultState, hash: string): ServiceValue | null =>
  state?.services.find((one) => isSame(one.hash, hash)) ?? null

export const entryOf = (state: VaultState, entry: number): EntryValue | null =>
  state?.entries.find(({ id }) => id === entry) ?? null

/** Creates a vault, or refuses if one exists. A revoked vault may be replaced. */
export const decideCreate = (state: VaultState, uid: string): Decided =>
  state === null || state.status === "revoked" ? { events: [{ type: "vault.created", v: 1, uid }] } : EXISTS

export const decidePublishKey = (
  state: VaultState,
  { uid, public_key }: { readonly uid: string; readonly public_key: string }
): Decided => {
  if (state === null || state.uid !== uid || state.status === "revoked") return NO_VAULT
  if (state.status === "active") return NOTHING
  return { events: [{ type: "vault.key_published", v: 1, uid, public_key }] }
}

const OF_POLICY: Readonly<Record<string, string>> = {
  page_not_https: "is no https origin as `URL.origin` gives it",
  page_host_refused: "is an address or a local name"
}

/** Removes repeated origins, and keeps the order. */
const checkedOrigins = (
  origins: ReadonlyArray<string>,
  { origins_max }: Pick<VaultLimits, "origins_max">
): ReadonlyArray<string> | Refusal => {
  const each = [...new Set(origins)]
  if (each.length > origins_max) return aboveMax("origins", `An entry has at most ${origins_max} origins.`, origins_max)
  const wrong = each.findIndex((origin) => originProblem(origin) !== null)
  const problem = originProblem(each[wrong] ?? "")
  return wrong === -1 || problem === null
    ? each
    : invalidField(`origins.${wrong}`, `This origin ${OF_POLICY[problem] ?? "is refused"}.`)
}

type WantedLimits = NonNullable<EntryToWrite["limits"]>

/** Converts limits to minor units and checks them against this service's own limits. */
const checkedLimits = (
  { currency, per_payment, per_day, fills_per_day }: WantedLimits,
  { ceilings }: Pick<VaultLimits, "ceilings">
): MinorLimits | Refusal => {
  if (!isCurrency(currency)) return invalidField("limits.currency", "currency must be one of ISO 4217.")
  const [payment, day] = [minorOf(per_payment, currency), minorOf(per_day, currency)]
  if (payment === null) return invalidField("limits.per_payment", `per_payment must be an amount of ${currency}.`)
  if (day === null) return invalidField("limits.per_day", `per_day must be an amount of ${currency}.`)
  if (fills_per_day < 0) return belowMin("limits.fills_per_day", "fills_per_day must be a whole number.", 0)
  const over = (amount: number, ceiling: number): boolean => amount > (minorOf(ceiling, currency) ?? 0)
  const above = [
    ...(over(payment, ceilings.per_payment) ? ["per_payment"] : []),
    ...(over(day, ceilings.per_day) ? ["per_day"] : []),
    ...(fills_per_day > ceilings.fills_per_day ? ["fills_per_day"] : [])
  ]
  if (above.length > 0)
    return refusal("limits_above_ceiling", "These limits are above what this service lets a card have.", {
      field: `limits.${above[0]}`,
      ceilings
    })
  return { currency, per_payment: payment, per_day: day, fills_per_day }
}

const isRefusal = (value: object): value is Refusal => "code" in value && "message" in value

/** The writer for the record, or the refusal if a token may not do this. */
const writerOf = (state: VaultValue, by: Writer, kind: EntryKind): string | { readonly refused: Refusal } => {
  if (by.type === "agent") return "agent"
  if (by.type === "service") return serviceOf(state, by.hash) === null ? TOKEN_INVALID : "fill_service"
  const source = sourceOf(state, by.hash)
  if (source === null) return TOKEN_INVALID
  if (source.kinds.includes(kind)) return `source:${source.id}`
  const { kinds } = source
  return { refused: refusal("vault_kind_not_allowed", "This source may not write entries of that kind.", { kinds }) }
}

const NEEDS_ORIGINS: ReadonlySet<EntryKind> = new Set(["login", "secret"])

const SEALED_WHOLE = "everything of it is sealed. Leave it out."

/** The checked origins and limits, or the refusal. */
const clearPart = (
  { kind, label, origins, limits }: EntryToWrite,
  bounds: VaultLimits
): Pick<EntryValue, "origins" | "limits"> | Refusal => {
  if (kind === "profile") {
    if (label !== null) return invalidField("label", `A profile has no label: ${SEALED_WHOLE}`)
    if (origins.length > 0) return invalidField("origins", `A profile has no origins: ${SEALED_WHOLE}`)
    return { origins: [], limits: null }
  }
  const checked = checkedOrigins(origins, bounds)
  if (isRefusal(checked)) return checked
  if (NEEDS_ORIGINS.has(kind) && checked.length === 0)
    return refusal("origins_required", "Name the websites that this entry is for.", { field: "origins" })
  if (kind !== "card") return { origins: checked, limits: null }
  if (limits === null) return refusal("limits_required", "A card needs limits.", { field: "limits" })
  const minor = checkedLimits(limits, bounds)
  return isRefusal(minor) ? minor : { origins: checked, limits: minor }
}

export const decideWriteEntry = (
  state: VaultState,
  input: EntryToWrite,
  { at, facts: { sha256, owners } }: At & { readonly facts: WriteFacts },
  bounds: WriteLimits
): Decided<{ readonly entry: number }> => {
  const { by, uid, kind, label } = input
  if (state === null) return by.type === "agent" ? NO_VAULT : TOKEN_INVALID
  const source = writerOf(state, by, kind)
  if (typeof source !== "string") return source
  if (state.status !== "active") return NOT_ACTIVE
  if (state.entries.some((one) => one.uid === uid)) return ENTRY_EXISTS
  const replaced = kind === "profile" ? state.entries.find((one) => one.kind === "profile") : undefined
  if (state.entries.length >= bounds.entries_max && replaced === undefined) return full("entries", bounds.entries_max)
  const remembered = rememberedOf(state, at).filter((one) => one.uid !== uid).length
  const max = bounds.entries_max + bounds.deleted_max
  // A replaced entry that is remembered keeps its place.
  const freed = replaced === undefined || isRemembered(replaced) ? 0 : 1
  if (state.entries.length + remembered - freed >= max)
    return full("entries, with those that were deleted in the last 30 days", max)
  const clear = clearPart(input, bounds)
  if (isRefusal(clear)) return { refused: clear }
  const consent = checkedConsent(input, clear.limits)
  if (consent !== null && isRefusal(consent)) return { refused: consent }
  const entryOwners = consent === null ? [] : ownersToRecord(state, uid, { at, owners, bounds })
  if (consent !== null && entryOwners.length === 0) return NOBODY_CONSENTS
  const entry = state.last.entry + 1
  const required: ReadonlyArray<VaultEvent> =
    consent === null ? [] : [{ type: "vault.consent_required", v: 1, entry, ...consent, owners: entryOwners }]
  return {
    events: [
      {
        type: "vault.entry_written",
        v: 1,
        vault: state.uid,
        entry,
        uid,
        kind,
        label,
        ...clear,
        source,
        unconfirmed: input.unconfirmed && by.type === "service",
        sha256,
        replaced: replaced === undefined ? null : { entry: replaced.id, sha256: replaced.sha256 }
      },
      ...required
    ],
    reply: { entry }
  }
}

/**
 * The owners who may consent to the entry. An entry with the uid of a deleted entry keeps that entry's owners. Empty if
 * none of them may consent now.
 */
const ownersToRecord = (
  { deleted }: VaultValue,
  uid: string,
  { at, owners, bounds }: At & Pick<WriteFacts, "owners"> & { readonly bounds: WaitLimits }
): ReadonlyArray<EntryOwner> => {
  const before = deleted.find((one) => one.uid === uid && one.consent !== null)
  if (before === undefined) return consentersOf(owners, owners, at, bounds)
  const first = ownersOfEntry(before, owners)
  return consentersOf(first, owners, at, bounds).length === 0 ? [] : first
}

/** Checks the sum above which consent is needed, in the currency of the limits. Only cards have sums. */
const checkedConsent = ({ consent }: EntryToWrite, limits: MinorLimits | null): ConsentValue | Refusal | null => {
  if (consent === null) return null
  if (consent === "owner") return { above: null }
  if (limits === null) return invalidField("consent", "Only a card's consent may begin above a sum: say `owner`.")
  if (consent.currency !== limits.currency)
    return invalidField("consent.currency", `consent.currency must be ${limits.currency}, as that of the limits.`)
  const above = minorOf(consent.above, limits.currency)
  return above === null ? invalidField("consent.above", `above must be an amount of ${limits.currency}.`) : { above }
}

/** True if an origin is added. An entry without origins allows all of them. */
const widensOrigins = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): boolean =>
  before.length > 0 && (after.length === 0 || after.some((origin) => !before.includes(origin)))

const widensLimits = (before: MinorLimits, after: MinorLimits): boolean =>
  after.currency !== before.currency ||
  after.per_payment > before.per_payment ||
  after.per_day > before.per_day ||
  after.fills_per_day > before.fills_per_day

/** The origins and limits after a change, or the refusal of a change that would widen them. */
const narrowed = (
  found: EntryValue,
  { origins, limits }: Pick<EntryToWrite, "limits"> & { readonly origins: ReadonlyArray<string> | null },
  bounds: VaultLimits
): Pick<EntryValue, "origins" | "limits"> | { readonly refused: Refusal } => {
  const checked = origins === null ? found.origins : checkedOrigins(origins, bounds)
  if (isRefusal(checked)) return { refused: checked }
  if (origins !== null && (found.kind === "profile" || widensOrigins(found.origins, checked)))
    return widening("origins")
  if (limits === null) return { origins: checked, limits: found.limits }
  if (found.limits === null) return { refused: invalidField("limits", "Only cards have limits.") }
  const minor = checkedLimits(limits, bounds)
  if (isRefusal(minor)) return { refused: minor }
  return widensLimits(found.limits, minor) ? widening("limits") : { origins: checked, limits: minor }
}

export const decideChangeEntry = (
  state: VaultState,
  input: Pick<EntryToWrite, "limits"> & { readonly entry: number; readonly origins: ReadonlyArray<string> | null },
  bounds: VaultLimits
): Decided => {
  if (state === null) return NO_VAULT
  const found = state.entries.find(({ id }) => id === input.entry)
  if (found === undefined) return NO_ENTRY
  const after = narrowed(found, input, bounds)
  if ("refused" in after) return after
  const { id: entry, kind, origins, limits } = found
  const isSame = JSON.stringify(after) === JSON.stringify({ origins, limits })
  return isSame ? NOTHING : { events: [{ type: "vault.entry_changed", v: 1, entry, kind, ...after }] }
}

export const decideDeleteEntry = (
  state: VaultState,
  { entry, by }: { readonly entry: number; readonly by: "agent" | "owner" }
): Decided => {
  const found = state?.entries.find(({ id }) => id === entry)
  if (found === undefined) return state === null ? NO_VAULT : NO_ENTRY
  const { kind, sha256 } = found
  const vault = state?.uid ?? ""
  const asked = state?.fills.filter((one) => one.entry === entry && one.status === "asked").map(({ fill }) => fill)
  // Nobody is asked about an entry that does not exist any more.
  const unanswered: ReadonlyArray<VaultEvent> =
    asked === undefined || asked.length === 0 ? [] : [{ type: "vault.fills_expired", v: 1, fills: asked }]
  return { events: [...unanswered, { type: "vault.entry_deleted", v: 1, entry, kind, vault, sha256, by }] }
}

/** `sealed`: the token, sealed under the service's seed, for a repeated command. */
export interface DrawnToken {
  readonly hash: string
  readonly sealed: string
}

export const decideCreateSource = (
  state: VaultState,
  { label, kinds }: { readonly label: string; readonly kinds: ReadonlyArray<EntryKind> },
  { hash, sealed }: DrawnToken,
  { sources_max }: VaultLimits
): Decided<{ readonly source: number; readonly sealed: string }> => {
  if (state === null) return NO_VAULT
  if (state.status === "revoked") return NOT_ACTIVE
  if (state.sources.length >= sources_max) return full("sources", sources_max)
  const source = state.last.source + 1
  return {
    events: [{ type: "vault.source_created", v: 1, source, label, kinds: [...new Set(kinds)], hash }],
    reply: { source, sealed }
  }
}

export const decideDeleteSource = (state: VaultState, { source }: { readonly source: number }): Decided => {
  if (state === null) return NO_VAULT
  if (!state.sources.some(({ id }) => id === source)) return NO_SOURCE
  return { events: [{ type: "vault.source_revoked", v: 1, source }] }
}

export const decideRevoke = (state: VaultState, by: string): Decided => {
  if (state === null) return NO_VAULT
  return state.status === "revoked" ? NOTHING : { events: [{ type: "vault.revoked", v: 1, uid: state.uid, by }] }
}

export const decideEnd = (state: VaultState): Decided =>
  state === null || state.status === "revoked" ? NOTHING : decideRevoke(state, "service")
