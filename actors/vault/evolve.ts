/** Folds the events of a vault (state.ts). */
import type { AnswerContext } from "../engine/definition.ts"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import { aboutOf, endedUsed } from "./alerts.ts"
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
  fills: [],
  deleted: [],
  alerts: [],
  ended: [],
  cards_from: null
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

/** `sign`: 1 if the fill counts from now on, -1 if it does not count any more. */
const countedFill = (state: VaultValue, { entry, day, minor }: FillValue, sign: 1 | -1): VaultValue =>
  changed(state, entry, (one) => ({ ...one, days: counted(one.days, day, sign * (minor ?? 0), sign) }))

const withoutFill = (state: VaultValue, fill: number): VaultValue => ({
  ...state,
  fills: state.fills.filter((one) => one.fill !== fill)
})

type Of<Type extends VaultEvent["type"]> = Extract<VaultEvent, { readonly type: Type }>

const entryWritten = (state: VaultValue, event: Of<"vault.entry_written">, at: number): VaultValue => {
  const { entry, uid, kind, origins, limits, source, unconfirmed, sha256, replaced } = event
  // Older releases took a profile's label.
  const label = kind === "profile" ? null : event.label
  const fields = { id: entry, uid, kind, label, origins, limits, source, unconfirmed, sha256 }
  const before = state.deleted.find((one) => one.uid === uid)
  const former = before === undefined || before.consent === null ? null : before
  const value: EntryValue = {
    ...fields,
    created_at: at,
    updated_at: at,
    last_used_at: null,
    uses: 0,
    days: before?.days ?? [],
    consent: null,
    ...(former?.consent ? { former: { consent: former.consent, created_at: former.created_at } } : {})
  }
  const left = replaced === null ? state : without(state, replaced.entry, at)
  const deleted = left.deleted.filter((one) => one.uid !== uid)
  return { ...state, last: { ...state.last, entry }, entries: [...left.entries, value], deleted }
}

/** Deleted entries that are still remembered, because their boxes may be written again. */
export const rememberedOf = ({ deleted }: VaultValue, at: number): VaultValue["deleted"] =>
  deleted.filter(({ deleted_at }) => deleted_at > at - VAULT_SERVICE_LIMITS.deleted_seconds * 1000)

/** True for an entry that the vault remembers after its deletion. */
export const isRemembered = ({ limits, days, consent, former }: EntryValue): boolean =>
  (limits !== null && days.length > 0) || consent !== null || former !== undefined

/**
 * Removes an entry. It is remembered if it has totals or needed consent, because its sealed box may exist elsewhere. If
 * the box is written again, the totals of its days continue, and the same people may consent. This holds even if the
 * entry needed no consent in between. None is forgotten before its time: a vault that remembers too many accepts no new
 * entry (decide.ts).
 */
const without = (state: VaultValue, entry: number, at: number): VaultValue => {
  const gone = state.entries.filter((one) => one.id === entry && isRemembered(one))
  const kept = gone.map(({ uid, days, consent, created_at, former }) => ({
    uid,
    days,
    ...(consent === null && former !== undefined ? former : { consent, created_at }),
    deleted_at: at
  }))
  return {
    ...state,
    entries: state.entries.filter(({ id }) => id !== entry),
    deleted: [...rememberedOf(state, at), ...kept]
  }
}

const consentOf = ({ above, owners }: Of<"vault.consent_required">): EntryValue["consent"] =>
  owners === undefined ? { above } : { above, owners }

const fillOpened = (state: VaultValue, event: Of<"vault.fill_opened">): VaultValue => {
  const { fill, entry, action, origin, day, minor, place, expires_at } = event
  const value: FillValue = {
    fill,
    entry,
    action,
    origin,
    day,
    minor,
    place,
    expires_at,
    status: "pending",
    consented: false,
    rounds: 0
  }
  return countedFill({ ...state, last: { ...state.last, fill }, fills: [...state.fills, value] }, value, 1)
}

const changedFill = (state: VaultValue, fill: number, change: Partial<FillValue>): VaultValue => ({
  ...state,
  fills: state.fills.map((one) => (one.fill === fill ? { ...one, ...change } : one))
})

const HAS_ENDED: ReadonlySet<FillValue["status"]> = new Set(["expired", "declined", "unanswered"])

/** True while owners are asked less often because of this fill. */
const silences = ({ status, expires_at }: FillValue, at: number): boolean => status !== "expired" && expires_at > at

/**
 * Forgets ended fills whose late results are no longer expected, and those beyond `late_max`. Fills that still limit
 * how often owners are asked are forgotten last.
 */
const forgotten = (state: VaultValue, at: number): VaultValue => {
  const { late_seconds, late_max } = VAULT_SERVICE_LIMITS
  const over = state.fills.filter((one) => HAS_ENDED.has(one.status) && one.expires_at > at - late_seconds * 1000)
  const inOrder = [...over.filter((one) => !silences(one, at)), ...over.filter((one) => silences(one, at))]
  const open = state.fills.filter(({ status }) => !HAS_ENDED.has(status))
  return { ...state, fills: [...inOrder.slice(-late_max), ...open] }
}

const fillDeclined = (state: VaultValue, { fill, until }: Of<"vault.consent_declined">, at: number): VaultValue => {
  const found = state.fills.find((one) => one.fill === fill)
  if (found === undefined) return state
  const declined = { status: "declined", expires_at: until } as const
  return forgotten(changedFill(countedFill(state, found, -1), fill, declined), at)
}

const alerted = (state: VaultValue, event: Of<"vault.alerted">, at: number): VaultValue => {
  const about = aboutOf(event)
  const { alert_seconds, alerts_max } = VAULT_SERVICE_LIMITS
  const isNew = (one: { readonly at: number }): boolean => Math.abs(at - one.at) < alert_seconds * 1000
  const others = state.alerts.filter((one) => one.about !== about && isNew(one)).slice(1 - alerts_max)
  const used = event.hash === undefined ? {} : { ended_used: endedUsed(state, event.hash, at) }
  return { ...state, alerts: [...others, { about, at }], ...used }
}

const usedOf = ({ ended_used }: VaultValue): Pick<VaultValue, "ended_used"> =>
  ended_used === undefined ? {} : { ended_used }

const endedTokens = (state: VaultValue, hashes: ReadonlyArray<string>): VaultValue["ended"] =>
  [...state.ended, ...hashes].slice(-VAULT_SERVICE_LIMITS.ended_tokens_max)

const withoutService = (state: VaultValue, place: string): VaultValue => {
  const ended = state.services.filter((one) => one.place === place).map(({ hash }) => hash)
  const services = state.services.filter((one) => one.place !== place)
  return { ...state, services, ended: endedTokens(state, ended) }
}

/** True if the website took the account by a fill that was done (contract 22). */
const isAccepted = ({ action }: FillValue, { accepted }: Of<"vault.fill_ended">): boolean =>
  action === "signup" ? accepted !== false : action === "login" && accepted === true

const fillEnded = (state: VaultValue, event: Of<"vault.fill_ended">, at: number): VaultValue => {
  const { fill, status } = event
  const found = state.fills.find((one) => one.fill === fill)
  if (found === undefined) return state
  // The request was withdrawn and does not count, but the owners have been asked.
  if (found.status === "asked")
    return forgotten(changedFill(countedFill(state, found, -1), fill, { status: "unanswered" }), at)
  // An expired fill counts again if it turns out to have succeeded.
  const again = found.status === "expired" && status === "done" ? countedFill(state, found, 1) : state
  const closed = withoutFill(again, fill)
  if (status !== "done") return closed
  return changed(closed, found.entry, (one) => ({
    ...one,
    uses: one.uses + 1,
    last_used_at: at,
    unconfirmed: one.unconfirmed && !isAccepted(found, event)
  }))
}

const OVER: Readonly<Partial<Record<FillValue["status"], FillValue["status"]>>> = {
  pending: "expired",
  asked: "unanswered"
}

const fillsExpired = (state: VaultValue, { fills }: Of<"vault.fills_expired">, at: number): VaultValue => {
  const over = state.fills.filter(({ fill, status }) => fills.includes(fill) && OVER[status] !== undefined)
  const uncounted = over.reduce((now, one) => countedFill(now, one, -1), state)
  const marked = over.reduce(
    (now, { fill, status }) => changedFill(now, fill, { status: OVER[status] ?? status }),
    uncounted
  )
  return forgotten(marked, at)
}

/** Ends the open fills, and skips this many numbers. */
const anew = (state: VaultValue, skipped: number, at: number): VaultValue => {
  const { entry, source, fill } = state.last
  const fills = state.fills.map((one) => one.fill)
  const ended = fillsExpired(state, { type: "vault.fills_expired", v: 1, fills }, at)
  return { ...ended, last: { entry: entry + skipped, source: source + skipped, fill: fill + skipped } }
}

const ofVault = (state: VaultValue, event: VaultEvent, at: number): VaultValue => {
  switch (event.type) {
    case "vault.created":
      return { ...begun(event.uid, at, state.last), alerts: state.alerts, ended: state.ended, ...usedOf(state) }
    case "vault.key_published":
      return { ...state, status: "active", public_key: event.public_key }
    case "vault.entry_written":
      return entryWritten(state, event, at)
    case "vault.consent_required":
      return changed(state, event.entry, (one) => ({ ...one, consent: consentOf(event) }))
    case "vault.entry_changed":
      return changed(state, event.entry, (one) => ({
        ...one,
        origins: event.origins,
        limits: event.limits,
        updated_at: at
      }))
    case "vault.entry_deleted":
      return without(state, event.entry, at)
    case "vault.source_created": {
      const { source: id, label, kinds, hash } = event
      const value = { id, label, kinds, hash, created_at: at }
      return { ...state, last: { ...state.last, source: id }, sources: [...state.sources, value] }
    }
    case "vault.source_revoked": {
      const ended = state.sources.filter(({ id }) => id === event.source).map(({ hash }) => hash)
      const sources = state.sources.filter(({ id }) => id !== event.source)
      return { ...state, sources, ended: endedTokens(state, ended) }
    }
    case "vault.service_admitted": {
      const { place, hash, order, run } = event
      const others = withoutService(state, place)
      const more = { ...(order === undefined ? {} : { order }), ...(run === undefined ? {} : { run }) }
      return { ...others, services: [...others.services, { place, hash, ephemeral: null, ...more }] }
    }
    case "vault.service_ended": {
      const left = withoutService(state, event.place)
      if (event.stopping !== true) return left
      const hashes = state.services.filter((one) => one.place === event.place).map(({ hash }) => ({ hash, at }))
      return { ...left, stopping: [...(state.stopping ?? []), ...hashes].slice(-VAULT_SERVICE_LIMITS.tokens_max) }
    }
    case "vault.key_loaded":
      return {
        ...state,
        services: state.services.map((one) =>
          one.place === event.place ? { ...one, ephemeral: event.ephemeral } : one
        )
      }
    case "vault.restored": {
      const hashes = state.services.map(({ hash }) => hash)
      const left = { ...state, services: [], ended: endedTokens(state, hashes), cards_from: event.cards_from }
      return event.skipped === undefined ? left : anew(left, event.skipped, at)
    }
    case "vault.fill_opened":
      return fillOpened(state, event)
    case "vault.consent_asked":
      return changedFill(state, event.fill, { status: "asked", expires_at: event.expires_at })
    case "vault.consent_given":
      return changedFill(state, event.fill, { status: "pending", consented: true, expires_at: event.expires_at })
    case "vault.consent_declined":
      return fillDeclined(state, event, at)
    case "vault.captcha_relayed":
      return changedFill(state, event.fill, { rounds: event.round, expires_at: event.expires_at })
    case "vault.alerted":
      return alerted(state, event, at)
    case "vault.fill_refused":
      return state
    case "vault.fill_ended":
      return fillEnded(state, event, at)
    case "vault.fills_expired":
      return fillsExpired(state, event, at)
    case "vault.revoked": {
      const hashes = [...state.sources, ...state.services].map(({ hash }) => hash)
      const { uid, created_at, last, alerts } = state
      const ended = endedTokens(state, hashes)
      return { ...begun(uid, created_at, last), status: "revoked", revoked_at: at, alerts, ended, ...usedOf(state) }
    }
  }
}

export const evolveVault = (state: VaultState, event: VaultEvent, { at }: Pick<AnswerContext, "at">): VaultState => {
  if (state !== null) return ofVault(state, event, at)
  return event.type === "vault.created" ? begun(event.uid, at, NONE_YET) : null
}
