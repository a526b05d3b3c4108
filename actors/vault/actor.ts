/** The actor of an agent's vault. Its operations are declared in schemas/vault/operations.ts. */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import { vaultTokenOf } from "../../schemas/vault/token.ts"
import { vaultOperations } from "../../schemas/vault/operations.ts"
import { custom, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { accountRuns } from "../kit/account.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Sealer } from "../log/seal.ts"
import type { ActorServices } from "../engine/services.ts"
import { ciphertextsOf } from "./ciphertexts.ts"
import { consentersNow, ownersOf } from "./consenters.ts"
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
  entryOf,
  serviceOf,
  sourceOf,
  type WriteFacts
} from "./decide.ts"
import { asksIn, decideConsent, decideRelay } from "./decide-consent.ts"
import { decideEndFill, decideFill, decideLoadKey, decideMisused } from "./decide-fills.ts"
import { evolveVault } from "./evolve.ts"
import { decideExpire, EXPIRE_TIMER } from "./open-fills.ts"
import { opened, ownersToAsk } from "./opened.ts"
import { entryRecord, sourceRecord, toSeal, vaultRecord } from "./record.ts"
import { NO_ENTRY, NO_FILL, NO_VAULT, TOKEN_INVALID } from "./refusals.ts"
import { admissionFacts, decideAdmitService, decideCheckService, presentRunAt } from "./services.ts"
import { type EntryValue, type VaultActor, VaultEvent, VaultState } from "./state.ts"

const fold: Fold<VaultActor> = {
  kind: "vault",
  state: VaultState,
  initial: null,
  events: VaultEvent,
  evolve: evolveVault
}

const TOKEN_BYTES = 32
const { entries_told_max: TOLD_MAX } = VAULT_SERVICE_LIMITS
const tokenOf = (agent: string): string => `source of ${agent}`

const drawn = (sealer: Sealer, agent: string): DrawnToken => {
  const token = vaultTokenOf("source", agent, randomBytes(TOKEN_BYTES).toString("base64url"))
  return { hash: createHash("sha256").update(token).digest("hex"), sealed: sealer.seal(token, tokenOf(agent)) }
}

/** Leaves out sources from before a restore, because the agent may have ended them since the backup. */
const seenSince = (state: VaultState, restoredAt: number): VaultState =>
  state === null ? null : { ...state, sources: state.sources.filter(({ created_at }) => created_at > restoredAt) }

export const vaultKind = kind(fold, vaultOperations, ({ nats, seed, config: { limits } }) => {
  const sealer = new Sealer(seed, "hub vault sources")
  const ciphertexts = ciphertextsOf(nats)
  const { later_owner_seconds } = limits.limits.owner
  const bounds = { ...limits.vault, later_owner_seconds }
  const fillBounds = { ...bounds, ...limits.service.vault }
  const relayBounds = { ...bounds, captcha_seconds: limits.limits.owner.captcha_seconds }

  return {
    onTimer: { [EXPIRE_TIMER]: "vault.timer" },
    seenSince,
    operations: {
      "vault.look": read((state) => (state === null ? NO_VAULT : { data: vaultRecord(state) })),
      "vault.create": write({
        prepare: (_state, _input, context) => Effect.map(accountRuns(context, context.id), () => randomUUID()),
        decide: (state, _input, { facts }) => decideCreate(state, facts),
        answer: (state) => vaultRecord(existing(state)),
        projected: true
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
        // The ciphertext of a refused entry is not stored.
        prepare: (state, input, context): Effect.Effect<WriteFacts, Refusal, ActorServices> =>
          Effect.gen(function* () {
            const owners = input.consent === null ? [] : yield* ownersOf(context)
            const first = decideWriteEntry(state, input, { at: context.at, facts: { sha256: "", owners } }, fillBounds)
            if ("refused" in first) return yield* Effect.fail(first.refused)
            const sha256 = yield* ciphertexts.keep(context.id, existing(state).uid, input.ciphertext)
            return { sha256, owners }
          }),
        decide: (state, input, context) => decideWriteEntry(state, input, context, fillBounds),
        answer: (state, { entry }) => entryRecord(existing(entryOf(state, entry))),
        projected: true
      }),
      "vault.change_entry": write({
        decide: (state, input) => decideChangeEntry(state, input, bounds),
        answer: () => null,
        projected: true
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
        }),
        projected: true
      }),
      "vault.delete_source": write({ decide: decideDeleteSource, answer: () => null, projected: true }),
      "vault.by_token": read((state, { type, hash }) => {
        const source = type === "source" ? sourceOf(state, hash) : null
        const known = type === "source" ? source !== null : serviceOf(state, hash) !== null
        return state === null || !known ? TOKEN_INVALID : { data: toSeal(state, source) }
      }),
      "vault.fillable": read((state, { hash, origin, kind: wanted, after = 0 }) => {
        if (state === null || serviceOf(state, hash) === null) return TOKEN_INVALID
        const fits = (one: EntryValue): boolean =>
          one.id > after &&
          (wanted === null || one.kind === wanted) &&
          (origin === null || one.kind === "profile" || one.origins.includes(origin) || isForAll(one))
        const found = state.entries.filter(fits).slice(0, TOLD_MAX)
        return { data: found.map(({ id, uid, kind: of, label, origins }) => ({ id, uid, kind: of, label, origins })) }
      }),
      "vault.admit_service": write({
        prepare: (state, input, context) => admissionFacts(state, input, context, fillBounds),
        decide: (state, input, context) => decideAdmitService(state, input, context, fillBounds),
        answer: () => null
      }),
      "vault.check_service": write({
        prepare: (state, { place }, context) => presentRunAt(state, place, context),
        decide: decideCheckService,
        answer: () => null
      }),
      "vault.load_key": write({
        decide: (state, input, context) => decideLoadKey(state, input, context, fillBounds),
        answer: (state, { place }) => ({ uid: existing(state).uid, place }),
        projected: true
      }),
      "vault.fill": write({
        prepare: (state, input, context) => ownersToAsk(decideFill, fillBounds, state, input, context),
        decide: (state, input, context) => decideFill(state, input, context, fillBounds),
        answer: (_state, { fill }) => ({ fill }),
        projected: true
      }),
      "vault.opened": custom((state, input, context) => opened(ciphertexts, state, input, context)),
      "vault.end_fill": write({
        decide: (state, input, context) => decideEndFill(state, input, context, fillBounds),
        answer: (_state, { fill, status, late }) => ({ fill_id: fill, status, late }),
        projected: true
      }),
      "vault.asked": custom((state, { human, fill }, context) =>
        Effect.gen(function* () {
          const owners = yield* ownersOf(context)
          const asks = state === null ? [] : asksIn(state, { human, at: context.at, owners }, bounds)
          const found = asks.find(({ fill_id }) => fill_id === fill)
          return found ?? (yield* Effect.fail(NO_FILL.refused))
        })
      ),
      "vault.consent": write({
        prepare: (_state, _input, context) => ownersOf(context),
        decide: (state, input, context) => decideConsent(state, input, context, bounds),
        answer: () => null,
        projected: true
      }),
      "vault.owned": custom((state, { human, before }, context) =>
        Effect.gen(function* () {
          const owners = yield* ownersOf(context)
          if (!owners.some((one) => one.human === human)) return yield* Effect.fail(NO_FILL.refused)
          if (state === null) return null
          const older = state.entries.filter(({ id }) => before === null || id < before)
          const newest = older.slice(-TOLD_MAX).toReversed()
          const { at } = context
          return {
            vault: vaultRecord(state),
            entries: newest.map(entryRecord),
            asked: asksIn(state, { human, at, owners }, bounds),
            consenters: newest
              .filter(({ consent }) => consent !== null)
              .map((entry) => ({ entry: entry.id, humans: consentersNow(entry, owners, at, bounds) }))
          }
        })
      ),
      "vault.relay": write({
        decide: (state, input, context) => decideRelay(state, input, context, relayBounds),
        answer: (_state, { origin }) => ({ origin }),
        projected: true
      }),
      "vault.misused": write({
        decide: (state, input, context) => decideMisused(state, input, context, fillBounds),
        answer: () => null
      }),
      "vault.revoke": write({
        decide: (state) => decideRevoke(state, "agent"),
        answer: (state) => ({
          revoked: true as const,
          revoked_at: new Date(existing(state).revoked_at ?? 0).toISOString()
        }),
        projected: true
      }),
      "vault.end": write({ decide: decideEnd, answer: () => null }),
      /** Reactions ask this after the commit that ends the use of the ciphertext. */
      "vault.erase": write({
        prepare: (state, { uid, sha256 }, { id }) =>
          // Another entry may have the same ciphertext.
          sha256 !== null && state?.entries.some((one) => one.sha256 === sha256) === true
            ? Effect.succeed(null)
            : Effect.as(ciphertexts.erase(id, uid, sha256), null),
        decide: () => ({ events: [] }),
        answer: () => null
      }),
      "vault.timer": write({
        decide: (state, fired, context) => decideExpire(state, fired, context),
        answer: () => null
      })
    }
  }
})

/** True for a card without origins, which may be filled at any shop. */
const isForAll = ({ kind: of, origins }: EntryValue): boolean => of === "card" && origins.length === 0
