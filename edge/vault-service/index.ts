/** Endpoints for tokens of a vault, which sources and fill services have (spec 4.12; contract 9, 17). */
import { Effect } from "effect"
import { ReportCaptcha } from "../../schemas/captcha/api.ts"
import { CAPTCHA_LIMITS } from "../../schemas/captcha/limits.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { invalidField } from "../../schemas/errors.ts"
import { FillResult, LoadKey, OpenFill, RelayCaptcha } from "../../schemas/vault/fields.ts"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import { ENTRY_KINDS, type EntryKind } from "../../schemas/vault/records.ts"
import { VaultServiceApi } from "../../schemas/vault-service/api.ts"
import { captchaTaking, type Whose, type Captchas } from "../captcha/index.ts"
import { OwnerWaits, type Notifications } from "../notification/index.ts"
import { textsIn } from "../content/texts.ts"
import { admittedHolding, numberOf, WRITE_MIN_BYTES } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataParts, dataValue, type Response } from "../http/respond.ts"
import { NOBODY } from "../../schemas/secret/owner.ts"
import { withoutOwnerSecrets } from "../content/secrets.ts"
import { holding } from "../vault/index.ts"
import type { EdgeParts } from "../kit/parts.ts"

type Parts = EdgeParts & { readonly captchas: Captchas; readonly notifications: Notifications }

const decodeLoad = bodyDecoder(LoadKey)
const decodeFill = bodyDecoder(OpenFill)
const decodeResult = bodyDecoder(FillResult)
const decodeRelay = bodyDecoder(RelayCaptcha)
const decodeReport = bodyDecoder(ReportCaptcha)

const ACCEPTED = 202
const { entries_told_max: TOLD_MAX } = VAULT_SERVICE_LIMITS
const { captcha_wait_max_seconds: WAIT_MAX_SECONDS } = CAPTCHA_LIMITS

const isKind = (text: string): text is EntryKind => ENTRY_KINDS.some((kind) => kind === text)

/** This answer is not stored under an Idempotency-Key, because no copy may contain a ciphertext or a key. */
const unkept = (data: unknown, status = 200): Response => ({ ...dataParts(Buffer.from(JSON.stringify(data))), status })

/** Failures that a repetition may avoid. */
const AGAIN: ReadonlySet<string> = new Set(["unavailable", "overloaded", "internal_error"])

type OpenedVault = Operations["vault.opened"]["output"]

const isAsked = (opened: OpenedVault): boolean => "consent" in opened
const openedAnswer = (opened: OpenedVault): Response => unkept(opened, isAsked(opened) ? ACCEPTED : 200)

const waitOf = (call: Call, { wait_seconds }: { readonly wait_seconds?: string }): number =>
  call.method === "HEAD" ? 0 : clamped(wait_seconds, 0, WAIT_MAX_SECONDS, 0)

/** A fill service sees captchas of fills only. */
const filling = (call: Call): Whose => ({ agent: holding(call).agent, ofFill: true })

/** Bytes that a fill adds to the log over its life. */
const FILL_BYTES = 2 * WRITE_MIN_BYTES

export const routes = ({ bus, notifications, captchas, config: { hub } }: Parts) => {
  const waits = new OwnerWaits(bus, notifications.forOwners, hub.limits)

  const openedNow = (call: Call, fill: number): Effect.Effect<OpenedVault, Refused> =>
    Effect.suspend(() => {
      const { agent: actor, hash } = holding(call)
      return bus.read(call, { actor, op: "vault.opened", input: { hash, fill } })
    })

  return routesOf(VaultServiceApi, {
    getVaultToSeal: (call) =>
      Effect.suspend(() => {
        const { agent: actor, vault } = holding(call)
        const author = bus.read(call, { actor, op: "content.author", input: null })
        return Effect.map(author, (agent) => dataValue({ ...vault, agent }))
      }),
    loadVaultKey: (call) =>
      Effect.gen(function* () {
        const { ephemeral_public_key } = yield* decodeLoad(call)
        const { agent, token } = holding(call)
        return unkept(yield* bus.query(call, "keeper_key", { agent, token, ephemeral_public_key }))
      }),
    listFillable: (call, { query }) =>
      Effect.gen(function* () {
        const { agent: actor, hash } = holding(call)
        const { origin = null, kind = null } = query
        if (kind !== null && !isKind(kind))
          return yield* refuse(invalidField("kind", `kind must be one of ${ENTRY_KINDS.join(", ")}.`))
        const ask = (after: number) =>
          bus.read(call, { actor, op: "vault.fillable", input: { hash, origin, kind, after } })
        const entries = [...(yield* ask(0))]
        // Several answers may be needed. An actor of the previous release sends all entries in its first one.
        for (let told = entries.length; told === TOLD_MAX;) {
          const last = entries.at(-1)?.id ?? 0
          const more = (yield* ask(last)).filter(({ id }) => id > last)
          entries.push(...more)
          told = more.length
        }
        return dataValue(entries)
      }),
    openFill: (call) =>
      Effect.gen(function* () {
        const wanted = yield* decodeFill(call)
        const { agent: actor, hash } = holding(call)
        // Refused fills add to the log too. The end of a fill is counted with its beginning.
        if (call.remake === null) yield* admittedHolding(bus, call, actor, { log: FILL_BYTES + call.body.length })
        // A repeated request with the same Idempotency-Key means the same fill. The vault itself remembers only its
        // newest commands.
        const fill =
          call.remake === null
            ? (yield* bus.read(call, { actor, op: "vault.fill", input: { hash, wanted } })).fill
            : Number(call.remake)
        return { ...openedAnswer(yield* openedNow(call, fill)), remake: String(fill) }
      }),
    awaitFill: (call, { params, query }) =>
      Effect.gen(function* () {
        const fill = yield* numberOf("fill", params.id)
        // A final refusal ends the wait too.
        const look = Effect.catch(openedNow(call, fill), (failed) =>
          AGAIN.has(failed.refusal.code) ? Effect.fail(failed) : Effect.succeed(failed)
        )
        const { found } = yield* waits.hold(call, {
          agent: holding(call).agent,
          purpose: "consent",
          waitSeconds: waitOf(call, query),
          look,
          isThere: (opened) => "refusal" in opened || !isAsked(opened)
        })
        if ("refusal" in found) return yield* Effect.fail(found)
        // The fill gives out a secret, so the agent must still be in good standing.
        if (!isAsked(found)) yield* admittedHolding(bus, call, holding(call).agent, { log: 0 })
        return openedAnswer(found)
      }),
    endFill: (call, { params }) =>
      Effect.gen(function* () {
        const { status, code = null, accepted } = yield* decodeResult(call)
        const fill = yield* numberOf("fill", params.id)
        const { agent: actor, hash } = holding(call)
        const input = { hash, fill, status, code, ...(accepted === undefined ? {} : { accepted }) }
        return dataValue(yield* bus.read(call, { actor, op: "vault.end_fill", input }))
      }),
    relayCaptcha: (call) =>
      Effect.gen(function* () {
        const { fill_id: fill, round, ...sent } = yield* decodeRelay(call)
        const { agent: actor, hash } = holding(call)
        const { context = null } = sent
        yield* withoutOwnerSecrets([...textsIn({ context })], NOBODY)
        // Checked before anything is stored.
        if (!call.again) yield* bus.read(call, { actor, op: "captcha.may_send", input: null })
        yield* admittedHolding(bus, call, actor, captchaTaking(sent))
        return yield* captchas.handed(call, sent, {
          whose: filling(call),
          fill,
          // An invalid picture is refused first, so that it does not use up one of the fill's rounds.
          begin: (input) =>
            Effect.gen(function* () {
              const { origin } = yield* bus.read(call, { actor, op: "vault.relay", input: { hash, fill, round } })
              const begun = yield* bus.read(call, { actor, op: "captcha.send", input: { ...input, origin } })
              return { ...begun, origin }
            })
        })
      }),
    getFillCaptcha: (call, { params, query }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("captcha", params.id)
        return dataValue(yield* captchas.held(call, filling(call), id, waitOf(call, query)))
      }),
    cancelFillCaptcha: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("captcha", params.id)
        return dataValue(yield* captchas.cancelled(call, filling(call), id))
      }),
    reportFillCaptcha: (call, { params }) =>
      Effect.gen(function* () {
        const { result } = yield* decodeReport(call)
        const id = yield* numberOf("captcha", params.id)
        return yield* captchas.reported(call, filling(call), id, result)
      })
  })
}
