/** How the events of a vault fold (state.ts). */
import type { AnswerContext } from "../engine/definition.ts"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import { DAYS_KEPT } from "./policy.ts"
import type { DayTotal, EntryValue, FillValue, VaultEvent, VaultState, VaultValue } from "./state.ts"

const NONE_YET = { entry: 0, source: 0, fill: 0 }

const begun = (uid: string, at: number, last: VaultValue["last"]): VaultValue => ({
  uid,
  status: "pending_key",
  public_key: null,
  created_at: at,
  revoked_at: null,
  last,
  entries: [],
  sources: [],
  services: [],
  fills: []
})

const counted = (days: ReadonlyArray<DayTotal>, day: number, minor: number, fills: number): ReadonlyArray<DayTotal> => {
  const before = days.find((one) => one.day === day) ?? { day, minor: 0, fills: 0 }
  const now = { day, minor: before.minor + minor, fills: before.fills + fills }
  return [...days.filter((one) => one.day !== day), now].toSorted((a, b) => a.day - b.day).slice(-DAYS_KEPT)
}

const changed = (state: VaultValue, entry: number, change: (value: EntryValue) => EntryValue): VaultValue => ({
  ...state,
  entries: state.entries.map((one) => (one.id === entry ? change(one) : one))
})

/** `sign`: 1 where it counts from now on, -1 where it does no more. */
const countedFill = (state: VaultValue, { entry, day, minor }: FillValue, sign: 1 | -1): VaultValue =>
  changed(state, entry, (one) => ({ ...one, days: counted(one.days, day, sign * (minor ?? 0), sign) }))

const withoutFill = (state: VaultValue, fill: number): VaultValue => ({
  ...state,
  fills: state.fills.filter((one) => one.fill !== fill)
})

type Of<Type extends VaultEvent["type"]> = Extract<VaultEvent, { readonly type: Type }>

const entryWritten = (state: VaultValue, event: Of<"vault.entry_written">, at: number): VaultValue => {
  const { entry, uid, kind, label, origins, limits, source, unconfirmed, sha256, replaced } = event
  const fields = { id: entry, uid, kind, label, origins, limits, source, unconfirmed, sha256 }
  const value: EntryValue = { ...fields, created_at: at, updated_at: at, last_used_at: null, uses: 0, days: [] }
  const others = state.entries.filter(({ id }) => id !== replaced?.entry)
  return { ...state, last: { ...state.last, entry }, entries: [...others, value] }
}

const fillOpened = (state: VaultValue, event: Of<"vault.fill_opened">): VaultValue => {
  const { fill, entry, action, origin, day, minor, place, expires_at } = event
  const value: FillValue = { fill, entry, action, origin, day, minor, place, expires_at, status: "pending" }
  return countedFill({ ...state, last: { ...state.last, fill }, fills: [...state.fills, value] }, value, 1)
}

const fillEnded = (state: VaultValue, { fill, status }: Of<"vault.fill_ended">, at: number): VaultValue => {
  const found = state.fills.find((one) => one.fill === fill)
  if (found === undefined) return state
  const again = found.status === "expired" && status === "done" ? countedFill(state, found, 1) : state
  const closed = withoutFill(again, fill)
  if (status !== "done") return closed
  return changed(closed, found.entry, (one) => ({
    ...one,
    uses: one.uses + 1,
    last_used_at: at,
    // Its website has accepted what was signed up.
    unconfirmed: one.unconfirmed && found.action !== "signup"
  }))
}

/** Those whose late results nobody waits for any more are forgotten on the way. */
const fillsExpired = (state: VaultValue, { fills }: Of<"vault.fills_expired">, at: number): VaultValue => {
  const uncounted = state.fills
    .filter(({ fill, status }) => fills.includes(fill) && status === "pending")
    .reduce((now, one) => countedFill(now, one, -1), state)
  const marked = uncounted.fills.map((one): FillValue =>
    fills.includes(one.fill) ? { ...one, status: "expired" } : one
  )
  const { late_seconds, late_max } = VAULT_SERVICE_LIMITS
  const late = marked.filter((one) => one.status === "expired" && one.expires_at > at - late_seconds * 1000)
  return { ...uncounted, fills: [...late.slice(-late_max), ...marked.filter(({ status }) => status === "pending")] }
}

const ofVault = (state: VaultValue, event: VaultEvent, at: number): VaultValue => {
  switch (event.type) {
    case "vault.created":
      return begun(event.uid, at, state.last)
    case "vault.key_published":
      return { ...state, status: "active", public_key: event.public_key }
    case "vault.entry_written":
      return entryWritten(state, event, at)
    case "vault.entry_changed":
      return changed(state, event.entry, (one) => ({
        ...one,
        origins: event.origins,
        limits: event.limits,
        updated_at: at
      }))
    case "vault.entry_deleted":
      return { ...state, entries: state.entries.filter(({ id }) => id !== event.entry) }
    case "vault.source_created": {
      const { source: id, label, kinds, hash } = event
      const value = { id, label, kinds, hash, created_at: at }
      return { ...state, last: { ...state.last, source: id }, sources: [...state.sources, value] }
    }
    case "vault.source_revoked":
      return { ...state, sources: state.sources.filter(({ id }) => id !== event.source) }
    case "vault.service_admitted": {
      const { place, hash } = event
      const others = state.services.filter((one) => one.place !== place)
      return { ...state, services: [...others, { place, hash, ephemeral: null }] }
    }
    case "vault.key_loaded":
      return {
        ...state,
        services: state.services.map((one) =>
          one.place === event.place ? { ...one, ephemeral: event.ephemeral } : one
        )
      }
    case "vault.fill_opened":
      return fillOpened(state, event)
    case "vault.fill_refused":
      return state
    case "vault.fill_ended":
      return fillEnded(state, event, at)
    case "vault.fills_expired":
      return fillsExpired(state, event, at)
    case "vault.revoked":
      return { ...begun(state.uid, state.created_at, state.last), status: "revoked", revoked_at: at }
  }
}

export const evolveVault = (state: VaultState, event: VaultEvent, { at }: Pick<AnswerContext, "at">): VaultState => {
  if (state !== null) return ofVault(state, event, at)
  return event.type === "vault.created" ? begun(event.uid, at, NONE_YET) : null
}
