/** Identities: verification for websites, and the keys of agents (spec 4.4, 4.5, 4.7; contract 5). */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { NewKey, SignedRequest } from "../../schemas/identity/operations.ts"
import { aboveMax, invalidField, type Refusal } from "../../schemas/errors.ts"
import {
  IdentityApi,
  Attest,
  Recover,
  RotateKey,
  SetDirectorySignature,
  SetRecovery,
  VerifyRequest
} from "../../schemas/identity/api.ts"
import { KEY_DIRECTORY_TYPE } from "../../schemas/identity/directory.ts"
import { PUBLIC_KEY_BYTES } from "../../schemas/signing/ed25519.ts"
import { decodeBase64, encodeBase64 } from "../../schemas/signing/key.ts"
import { VerifyKeys } from "../auth/keys.ts"
import { signatureHolds } from "../../schemas/signing/verify.ts"
import { readPublicKey } from "../auth/public-key.ts"
import { agentOf, holderOf } from "../bus/agent.ts"
import type { Call } from "../http/call.ts"
import { bodyDecoder, memberNames } from "../http/json.ts"
import { drawnOf } from "../http/limits.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { namedBy, type Refused, refuse } from "../http/refused.ts"
import { dataBytes, dataValue, plain } from "../http/respond.ts"
import { checkDirectorySignature } from "./key-directory.ts"
import { agentNumbered, identityRecord } from "./pages.ts"
import { own } from "../bus/own.ts"
import { parse } from "../bus/bus.ts"
import { routesOf } from "../http/handlers.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { Identities } from "./identities.ts"

type Parts = EdgeParts & { readonly identities: Identities }

const decodeReport = bodyDecoder(VerifyRequest)
const decodeRotation = bodyDecoder(RotateKey)
const decodeRecover = bodyDecoder(Recover)
const decodeRecovery = bodyDecoder(SetRecovery)
const decodeDirectorySignature = bodyDecoder(SetDirectorySignature)
const decodeAttest = bodyDecoder(Attest)

/** A request that changes a key is published as its proof, so it may hold nothing else. */
const KEY_REQUEST_MAX_BYTES = 2048
const PROOF_MAX_CHARS = 128

/** The sender must be known or counted before. */
const newKeyOf = (field: string, text: string): Effect.Effect<string, Refused> =>
  Effect.suspend(() => {
    const key = readPublicKey(text)
    if (text !== text.trim()) return refuse(invalidField(field, `${field} must not have spaces around it.`))
    return key.ok ? Effect.succeed(encodeBase64(key.bytes)) : refuse(invalidField(field, `${field} ${key.problem}.`))
  })

const tooLong: Refusal = aboveMax(
  "body",
  `The body must be at most ${KEY_REQUEST_MAX_BYTES} bytes: it is published as the proof of the new key.`,
  KEY_REQUEST_MAX_BYTES
)

/**
 * The request in the form in which it is published. It must be short and have exactly these members, each once, so that
 * all parsers read the same.
 */
const publishable = (call: Call, members: ReadonlyArray<string>): Effect.Effect<SignedRequest, Refused> => {
  const { ticket } = call
  if (ticket === null) return Effect.die(new Error("A key change was let in without a signature"))
  if (call.body.length > KEY_REQUEST_MAX_BYTES) return Effect.fail(refuse(tooLong))
  const names = memberNames(call.body)
  const stray = names.find((name, index) => !members.includes(name) || names.indexOf(name) !== index)
  if (stray !== undefined) {
    return Effect.fail(
      refuse(
        invalidField(
          members.includes(stray) ? stray : "body",
          `The body is published as a proof: it must hold ${members.join(", ")}, each once, and nothing else.`
        )
      )
    )
  }
  return Effect.succeed({
    public_key: ticket.publicKey,
    string_to_sign: ticket.signed.string_to_sign,
    signature: encodeBase64(ticket.signed.signature),
    body: call.body.toString("utf8")
  })
}

/** The proof is published as it was sent. */
const proofOf = (text: string): Effect.Effect<string, Refused> =>
  text.length > PROOF_MAX_CHARS || /\s/.test(text)
    ? Effect.fail(refuse(invalidField("proof", "proof must be base64 of the 64 bytes of an Ed25519 signature.")))
    : Effect.succeed(text)

const keyChange = (
  call: Call,
  body: { readonly new_public_key: string; readonly proof: string },
  members: ReadonlyArray<string>
): Effect.Effect<NewKey, Refused> =>
  Effect.gen(function* () {
    const request = yield* publishable(call, members)
    const proof = yield* proofOf(body.proof)
    return { new_public_key: yield* newKeyOf("new_public_key", body.new_public_key), proof, request }
  })

export const identityRoutes = ({ bus, limits, identities, config: { hub } }: Parts) => {
  const { directory, judge } = identities
  const keys = new VerifyKeys()
  return routesOf(IdentityApi, {
    verify: (call) =>
      Effect.gen(function* () {
        yield* drawnOf(limits, "id_verify", call)
        const report = yield* decodeReport(call)
        return dataBytes(yield* judge(call, report))
      }),
    directory: (call, { query: { since } }) => directory.answer(call, drawnOf(limits, "id_directory", call), since),
    getIdentity: (call, { params }) => identityRecord(bus, identities, call, params.number),
    keyDirectory: (call, { params }) =>
      Effect.gen(function* () {
        const actor = yield* agentNumbered(identities, call, params.number)
        const { keys: current, signature } = yield* bus.read(call, { actor, op: "identity.keys", input: null })
        if (signature !== null)
          Object.assign(call.headers, { signature: signature.signature, "signature-input": signature.signature_input })
        return plain(JSON.stringify({ keys: current }), KEY_DIRECTORY_TYPE)
      }),
    listMyVerifications: (call, { query }) =>
      Effect.gen(function* () {
        const page = pageOf(query, hub.limits)
        const found = parse<Operations["identity.hosts"]["output"]>(yield* own(bus, call, "identity.hosts", page))
        return dataValue(found.items, 200, pageMeta(page, found.total))
      }),
    getDirectorySignature: (call) =>
      Effect.map(own(bus, call, "identity.directory_signature", null), (kept) => dataBytes(kept)),
    setDirectorySignature: (call) =>
      Effect.gen(function* () {
        const given = yield* decodeDirectorySignature(call)
        const publicKey = call.ticket?.publicKey ?? ""
        const { key } = keys.of(
          publicKey,
          decodeBase64(publicKey, PUBLIC_KEY_BYTES) ?? new Uint8Array(PUBLIC_KEY_BYTES)
        )
        const expires = checkDirectorySignature(given, {
          publicKey,
          hosts: hub.hosts,
          now: call.startedAt,
          holds: (text, signature) => signatureHolds(key, text, signature)
        })
        if (typeof expires !== "number") return yield* refuse(expires)
        return dataBytes(
          yield* own(bus, call, "identity.sign_directory", {
            signature: given.signature,
            signature_input: given.signature_input,
            expires_at: expires,
            public_key: publicKey
          })
        )
      }),
    deleteDirectorySignature: (call) =>
      Effect.map(own(bus, call, "identity.unsign_directory", null), (kept) => dataBytes(kept)),
    rotateKey: (call) =>
      Effect.gen(function* () {
        const body = yield* decodeRotation(call)
        yield* call.known
        const change = yield* keyChange(call, body, ["new_public_key", "proof"])
        return dataBytes(yield* own(bus, call, "identity.rotate", change))
      }),
    getRecovery: (call) => Effect.map(own(bus, call, "identity.recovery", null), (recovery) => dataBytes(recovery)),
    setRecovery: (call) =>
      Effect.gen(function* () {
        const body = yield* decodeRecovery(call)
        yield* call.known
        const recovery_public_key = yield* newKeyOf("recovery_public_key", body.recovery_public_key)
        const proof = yield* proofOf(body.proof)
        const request = yield* publishable(call, ["recovery_public_key", "proof"])
        return dataBytes(yield* own(bus, call, "identity.set_recovery", { recovery_public_key, proof, request }))
      }),
    deleteRecovery: (call) =>
      Effect.map(own(bus, call, "identity.unset_recovery", null), (recovery) => dataBytes(recovery)),
    cancelRecovery: (call) =>
      Effect.map(own(bus, call, "identity.cancel_recovery", null), (recovery) => dataBytes(recovery)),
    recover: (call) =>
      Effect.gen(function* () {
        yield* drawnOf(limits, "recover", call)
        const body = yield* decodeRecover(call)
        const change = yield* keyChange(call, body, ["agent", "new_public_key", "proof"])
        // No agent has the recovery key, so the key's own actor records the nonce, as in registration.
        yield* bus.askSigned(call, { actor: call.ticket?.hubId ?? "", op: "agent.admit_key", input: null })
        const actor = yield* agentOf(bus, call, body.agent).pipe(namedBy("agent"))
        return dataBytes(yield* bus.ask(call, { actor, op: "identity.recover", input: change }), 202)
      }),
    createVerifyChallenge: (call, { params }) =>
      Effect.gen(function* () {
        const actor = yield* holderOf(bus, call, params.ref)
        return dataBytes(yield* bus.ask(call, { actor, op: "identity.challenge", input: null }))
      }),
    attest: (call, { params }) =>
      Effect.gen(function* () {
        const body = yield* decodeAttest(call)
        const actor = yield* holderOf(bus, call, params.ref)
        return dataBytes(yield* bus.ask(call, { actor, op: "identity.attest", input: body }))
      })
  })
}
