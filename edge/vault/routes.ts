/** An agent's vault, for the agent itself (spec 4.12). Tokens are served by edge/vault-service/. */
import { Effect } from "effect"
import { invalidField, notFound, refusal } from "../../schemas/errors.ts"
import { VaultApi as api } from "../../schemas/vault/api.ts"
import {
  ChangeEntry,
  ciphertextProblem,
  isUuid,
  CreateSource,
  RevokeVault,
  WriteEntry
} from "../../schemas/vault/fields.ts"
import { admitted, admittedHolding, changeIn, numberOf, textsChecked, WRITE_MIN_BYTES } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeWrite = bodyDecoder(WriteEntry)
const decodeChange = bodyDecoder(ChangeEntry)
const decodeSource = bodyDecoder(CreateSource)
const decodeRevoke = bodyDecoder(RevokeVault)

const CREATED = 201
const NO_FIELDS = Buffer.from("{}")
const unconfirmed = refusal("confirmation_required", "Revoking a vault needs `confirm`: `revoke`.", {
  field: "confirm"
})

export const vaultRoutes = ({ bus, config: { hub } }: EdgeParts) => {
  const own = (call: Call) => Effect.map(signer(bus, call), ({ id }) => id)
  const writing = (call: Call): Effect.Effect<string, Refused> =>
    Effect.map(admitted(bus, call, { log: WRITE_MIN_BYTES + call.body.length }), ({ agent }) => agent)

  /**
   * Admits the agent to what takes rights away: it ends a token, an entry or the vault. This counts no log bytes, so that
   * nobody who used up the day's bytes prevents it. Each changes something at most once.
   */
  const ending = (call: Call): Effect.Effect<string, Refused> =>
    Effect.map(admitted(bus, call, { log: 0 }), ({ agent }) => agent)

  /** Admits the writer of an entry. Returns the writer and the vault's agent. */
  const writer = (call: Call) =>
    Effect.gen(function* () {
      const { holder } = call
      if (holder === null) return { actor: yield* writing(call), by: { type: "agent" } as const }
      const { agent: actor, type, hash } = holder
      yield* admittedHolding(bus, call, actor, { log: WRITE_MIN_BYTES + call.body.length })
      return { actor, by: { type, hash } }
    })

  return routesOf(api, {
    createVault: (call) =>
      Effect.gen(function* () {
        const actor = yield* writing(call)
        return dataValue(yield* bus.read(call, { actor, op: "vault.create", input: null }), CREATED)
      }),
    getVault: (call) =>
      Effect.gen(function* () {
        return dataValue(yield* bus.read(call, { actor: yield* own(call), op: "vault.look", input: null }))
      }),
    listVaultEntries: (call, { query }) =>
      Effect.gen(function* () {
        const page = pageOf(query, hub.limits)
        const found = yield* bus.read(call, { actor: yield* own(call), op: "vault.entries", input: page })
        return dataValue(found.items, 200, pageMeta(page, found.total))
      }),
    writeVaultEntry: (call) =>
      Effect.gen(function* () {
        const {
          uid,
          kind,
          label = null,
          origins = [],
          limits = null,
          consent = null,
          ...rest
        } = yield* decodeWrite(call)
        const { ciphertext, unconfirmed: isNew = false } = rest
        yield* textsChecked(call, { label })
        if (!isUuid(uid)) return yield* refuse(invalidField("uid", "uid must be a UUID of version 4, in lower case."))
        const problem = ciphertextProblem(ciphertext)
        if (problem !== null) return yield* refuse(refusal("ciphertext_invalid", problem, { field: "ciphertext" }))
        const { actor, by } = yield* writer(call)
        const input = { by, uid, kind, label, origins, limits, consent, unconfirmed: isNew, ciphertext }
        const entry = yield* bus.read(call, { actor, op: "vault.write_entry", input })
        return dataValue(by.type === "source" ? { id: entry.id, uid: entry.uid } : entry, CREATED)
      }),
    getVaultEntry: (call, { params }) =>
      Effect.gen(function* () {
        const entry = yield* numberOf("entry", params.id)
        return dataValue(yield* bus.read(call, { actor: yield* own(call), op: "vault.entry", input: { entry } }))
      }),
    changeVaultEntry: (call, { params }) =>
      Effect.gen(function* () {
        yield* changeIn(call, ["origins", "limits"], ["uid", "kind", "label", "ciphertext"])
        const wanted = yield* decodeChange(call)
        const entry = yield* numberOf("entry", params.id)
        const actor = yield* writing(call)
        const { origins = null, limits = null } = wanted
        yield* bus.ask(call, { actor, op: "vault.change_entry", input: { entry, origins, limits } })
        return dataValue(yield* bus.read(call, { actor, op: "vault.entry", input: { entry } }))
      }),
    deleteVaultEntry: (call, { params }) =>
      Effect.gen(function* () {
        const entry = yield* numberOf("entry", params.id)
        const actor = yield* ending(call)
        yield* bus.ask(call, { actor, op: "vault.delete_entry", input: { entry, by: "agent" } })
        return dataValue({ deleted: true, id: entry })
      }),
    listVaultSources: (call, { query }) =>
      Effect.gen(function* () {
        const page = pageOf(query, hub.limits)
        const all = yield* bus.read(call, { actor: yield* own(call), op: "vault.sources", input: null })
        const shown = all.slice((page.page - 1) * page.per_page, page.page * page.per_page)
        return dataValue(shown, 200, pageMeta(page, all.length))
      }),
    createVaultSource: (call) =>
      Effect.gen(function* () {
        const { label, kinds } = yield* decodeSource(call)
        yield* textsChecked(call, { label })
        const actor = yield* writing(call)
        const made = yield* bus.read(call, { actor, op: "vault.create_source", input: { label, kinds } })
        return dataValue(made, CREATED)
      }),
    getVaultSource: (call, { params }) =>
      Effect.gen(function* () {
        const source = yield* numberOf("source", params.id)
        const all = yield* bus.read(call, { actor: yield* own(call), op: "vault.sources", input: null })
        const found = all.find(({ id }) => id === source)
        return found === undefined ? yield* refuse(notFound("source")) : dataValue(found)
      }),
    deleteVaultSource: (call, { params }) =>
      Effect.gen(function* () {
        const source = yield* numberOf("source", params.id)
        const actor = yield* ending(call)
        yield* bus.ask(call, { actor, op: "vault.delete_source", input: { source } })
        return dataValue({ deleted: true, id: source })
      }),
    listVaultLog: (call, { query }) =>
      Effect.gen(function* () {
        const agent = yield* own(call)
        const page = pageOf(query, hub.limits)
        const found = yield* bus.query(call, "vault_log", { agent, ...page })
        return dataValue(found.items, 200, pageMeta(page, found.total))
      }),
    revokeVault: (call) =>
      Effect.gen(function* () {
        const { confirm } = yield* decodeRevoke(call, call.body.length === 0 ? NO_FIELDS : call.body)
        if (confirm !== "revoke") return yield* refuse(unconfirmed)
        const actor = yield* ending(call)
        return dataValue(yield* bus.read(call, { actor, op: "vault.revoke", input: null }))
      })
  })
}
