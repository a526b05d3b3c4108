/** The vault of an agent; declared in schemas/vault/operations.ts. */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { vaultTokenOf } from "../../schemas/vault/token.ts"
import { vaultOperations } from "../../schemas/vault/operations.ts"
import { custom, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kind.ts"
import { Sealer } from "../log/seal.ts"
import { type Ciphertexts, ciphertextsOf } from "./ciphertexts.ts"
import {
  decideChangeEntry,
  decideCreate,
  decideCreateSource,
  decideDeleteEntry,
  decideDeleteSource,
  decideEnd,
  decidePublishKey,
  decideRevoke,
  decideWriteEntry,
  type DrawnToken,
  serviceOf,
  sourceOf
} from "./decide.ts"
import { decideAdmitService, decideEndFill, decideExpire, decideFill, decideLoadKey } from "./decide-fills.ts"
import { evolveVault } from "./evolve.ts"
import { shownLimits } from "./policy.ts"
import { entryRecord, sourceRecord, toSeal, vaultRecord } from "./record.ts"
import { EXPIRED, NO_ENTRY, NO_FILL, NO_VAULT, TOKEN_INVALID } from "./refusals.ts"
import { type EntryValue, type VaultActor, VaultEvent, VaultState } from "./state.ts"

const fold: Fold<VaultActor> = {
  kind: "vault",
  state: VaultState,
  initial: null,
  events: VaultEvent,
  evolve: evolveVault
}

const entryOf = (state: VaultState, entry: number): EntryValue | null =>
  state?.entries.find(({ id }) => id === entry) ?? null

const TOKEN_BYTES = 32
const tokenOf = (agent: string): string => `source of ${agent}`

const drawn = (sealer: Sealer, agent: string): DrawnToken => {
  const token = vaultTokenOf("source", agent, randomBytes(TOKEN_BYTES).toString("base64url"))
  return { hash: createHash("sha256").update(token).digest("hex"), sealed: sealer.seal(token, tokenOf(agent)) }
}

const GONE = unavailable("The vault's store has lost this entry. Tell the operator.")

/** A fill that is pending, with its ciphertext: nothing else is ever handed out. */
const opened = (
  ciphertexts: Ciphertexts,
  state: VaultState,
  { hash, fill }: { readonly hash: string; readonly fill: number },
  { id, at }: { readonly id: string; readonly at: number }
) =>
  Effect.gen(function* () {
    const service = serviceOf(state, hash)
    if (state === null || service === null) return yield* Effect.fail(TOKEN_INVALID.refused)
    const found = state.fills.find((one) => one.fill === fill && one.place === service.place)
    if (found === undefined) return yield* Effect.fail(NO_FILL.refused)
    if (found.status !== "pending" || found.expires_at <= at) return yield* Effect.fail(EXPIRED.refused)
    const entry = entryOf(state, found.entry)
    if (entry === null) return yield* Effect.fail(NO_ENTRY.refused)
    const ciphertext = yield* ciphertexts.read(id, state.uid, entry.sha256)
    if (ciphertext === null) return yield* Effect.fail(GONE)
    const { uid, kind, origins, limits } = entry
    return {
      fill_id: fill,
      vault: state.uid,
      entry: { uid, kind, origins, limits: shownLimits(limits) },
      ciphertext,
      expires_at: new Date(found.expires_at).toISOString()
    }
  })

export const vaultKind = kind(fold, vaultOperations, ({ nats, manager, seed, config: { limits } }) => {
  const sealer = new Sealer(seed, "hub vault sources")
  const ciphertexts = ciphertextsOf(nats, manager)
  const bounds = limits.vault
  const fillBounds = { ...limits.vault, ...limits.service.vault }

  return {
    onTimer: "vault.timer",
    operations: {
      "vault.look": read((state) => (state === null ? NO_VAULT : { data: vaultRecord(state) })),
      "vault.create": write({
        prepare: () => Effect.sync(() => randomUUID()),
        decide: (state, _input, { facts }) => decideCreate(state, facts),
        answer: (state) => vaultRecord(existing(state))
      }),
      "vault.publish_key": write({ decide: decidePublishKey, answer: () => null }),
      "vault.entries": read((state, { page, per_page }) => {
        if (state === null) return NO_VAULT
        const newest = state.entries.toReversed()
        const items = newest.slice((page - 1) * per_page, page * per_page).map(entryRecord)
        return { data: { items, total: newest.length } }
      }),
      "vault.entry": read((state, { entry }) => {
        const found = entryOf(state, entry)
        return found === null ? NO_ENTRY : { data: entryRecord(found) }
      }),
      "vault.write_entry": write({
        // What is refused anyway is not stored first.
        prepare: (state, input, { id }): Effect.Effect<string, Refusal> => {
          const first = decideWriteEntry(state, input, "", bounds)
          if ("refused" in first) return Effect.fail(first.refused)
          return ciphertexts.keep(id, existing(state).uid, input.ciphertext)
        },
        decide: (state, input, { facts }) => decideWriteEntry(state, input, facts, bounds),
        answer: (state, { entry }) => entryRecord(existing(entryOf(state, entry)))
      }),
      "vault.change_entry": write({
        decide: (state, input) => decideChangeEntry(state, input, bounds),
        answer: () => null
      }),
      "vault.delete_entry": write({ decide: decideDeleteEntry, answer: () => null, projected: true }),
      "vault.sources": read((state) =>
        state === null ? NO_VAULT : { data: state.sources.toReversed().map(sourceRecord) }
      ),
      "vault.create_source": write({
        prepare: (_state, _input, { id }) => Effect.sync(() => drawn(sealer, id)),
        decide: (state, input, { facts }) => decideCreateSource(state, input, facts, bounds),
        answer: (state, { source, sealed }, { id }) => ({
          ...sourceRecord(existing(existing(state).sources.find((one) => one.id === source) ?? null)),
          token: sealer.open(sealed, tokenOf(id))
        })
      }),
      "vault.delete_source": write({ decide: decideDeleteSource, answer: () => null }),
      "vault.by_token": read((state, { type, hash }) => {
        const source = type === "source" ? sourceOf(state, hash) : null
        const known = type === "source" ? source !== null : serviceOf(state, hash) !== null
        return state === null || !known ? TOKEN_INVALID : { data: toSeal(state, source) }
      }),
      "vault.fillable": read((state, { hash, origin, kind: wanted }) => {
        if (state === null || serviceOf(state, hash) === null) return TOKEN_INVALID
        const fits = (one: EntryValue): boolean =>
          (wanted === null || one.kind === wanted) &&
          (origin === null || one.kind === "profile" || one.origins.includes(origin) || isForAll(one))
        const found = state.entries.filter(fits)
        return { data: found.map(({ id, uid, kind: of, label, origins }) => ({ id, uid, kind: of, label, origins })) }
      }),
      "vault.admit_service": write({
        decide: (state, input) => decideAdmitService(state, input, fillBounds),
        answer: () => null
      }),
      "vault.load_key": write({
        decide: decideLoadKey,
        answer: (state, { place }) => ({ uid: existing(state).uid, place })
      }),
      "vault.fill": write({
        decide: (state, input, context) => decideFill(state, input, context, fillBounds),
        answer: (_state, { fill }) => ({ fill })
      }),
      "vault.opened": custom((state, input, context) => opened(ciphertexts, state, input, context)),
      "vault.end_fill": write({
        decide: (state, input, context) => decideEndFill(state, input, context),
        answer: (_state, { fill, status, late }) => ({ fill_id: fill, status, late })
      }),
      "vault.revoke": write({
        decide: (state) => decideRevoke(state, "agent"),
        answer: (state) => ({
          revoked: true as const,
          revoked_at: new Date(existing(state).revoked_at ?? 0).toISOString()
        })
      }),
      "vault.end": write({ decide: decideEnd, answer: () => null }),
      "vault.erase": custom((state, { uid, sha256 }, { id }) =>
        // Another entry may have been written with the very same bytes.
        sha256 !== null && state?.entries.some((one) => one.sha256 === sha256) === true
          ? Effect.succeed(null)
          : Effect.as(ciphertexts.erase(id, uid, sha256), null)
      ),
      "vault.timer": write({
        decide: (state, fired, context) => decideExpire(state, fired, context),
        answer: () => null
      })
    }
  }
})

/** A card without shops is for any. */
const isForAll = ({ kind: of, origins }: EntryValue): boolean => of === "card" && origins.length === 0
