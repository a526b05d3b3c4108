/**
 * Replaces the key by a new one: with the old key, or with the recovery key if the old one is lost.
 *
 * Both use the same proof: the new key's signature over hub id, current key and new key. So nobody can set a key that
 * they do not own, and no proof fits another change. If the answer to a rotation is lost, the old key may get
 * `key_retired`; a request with the new key then shows if it was this rotation. Both keys must be kept until one of
 * them is known to be valid.
 */
import { recoveryString } from "../../../schemas/signing/recovery.ts"
import { rotationString } from "../../../schemas/signing/rotation.ts"
import type { DataOf } from "./calls.ts"
import { clientError, isHubError } from "./errors.ts"
import { AgentKey, readPublicKey } from "./key.ts"
import type { Send } from "./registration.ts"
import { isUnknownOutcome } from "./transport.ts"

type Me = DataOf<"GET", "/me">
type Record = DataOf<"GET", "/id/:number">
export type Rotated = DataOf<"POST", "/me/key">
export type Recovery = DataOf<"GET", "/me/recovery">
export type Scheduled = DataOf<"POST", "/recover">

const NOT_CURRENT = ["key_unknown", "key_retired"]

/** The key among these that the service accepts now; `null` if it accepts none. Other errors are thrown. */
export const currentKey = async (send: Send, keys: ReadonlyArray<AgentKey>): Promise<AgentKey | null> => {
  for (const key of keys) {
    try {
      await send("GET", "/me", key)
      return key
    } catch (error) {
      if (!isHubError(error, ...NOT_CURRENT)) throw error
    }
  }
  return null
}

/** The time of the rotation to this key, from the identity record. */
const rotatedAt = async (send: Send, number: string, publicKey: string): Promise<string> => {
  const record = (await send("GET", `/id/${encodeURIComponent(number)}`, null)).data as Record
  return record.keys.find((key) => key.public_key === publicKey)?.from ?? record.created_at
}

/** Reconstructs the lost answer if the new key is valid for the same agent; `null` if it is not. */
const doneBefore = async (send: Send, before: Me, newKey: AgentKey): Promise<Rotated | null> => {
  try {
    const me = (await send("GET", "/me", newKey)).data as Me
    if (me.id !== before.id) return null
    const rotated_at = await rotatedAt(send, me.hx_id, newKey.publicKey)
    return {
      id: me.hx_id,
      hub_id: me.id,
      old_public_key: before.public_key,
      new_public_key: newKey.publicKey,
      rotated_at
    }
  } catch (error) {
    if (isHubError(error, ...NOT_CURRENT)) return null
    throw error
  }
}

export const rotate = async (send: Send, oldKey: AgentKey, newKey: AgentKey): Promise<Rotated> => {
  const me = (await send("GET", "/me", oldKey)).data as Me
  const proof = await newKey.sign(
    rotationString({ hubId: me.id, currentPublicKey: me.public_key, newPublicKey: newKey.publicKey })
  )
  try {
    return (await send("POST", "/me/key", oldKey, { body: { new_public_key: newKey.publicKey, proof } }))
      .data as Rotated
  } catch (error) {
    if (!isHubError(error, "key_retired", "key_unavailable") && !isUnknownOutcome(error)) throw error
    const done = await doneBefore(send, me, newKey).catch(() => null)
    if (done === null) throw error
    return done
  }
}

export interface RecoverOptions {
  /** The agent's handle, hub id or number. */
  readonly agent: string
  readonly recoveryKey: AgentKey
  readonly newKey: AgentKey
  /** The agent's current key in base64. It is looked up if it is omitted. */
  readonly currentPublicKey?: string
}

const AGENT_NUMBER = /^HX-\d{6,15}$/

const currentOf = async (
  send: Send,
  agent: string
): Promise<{ readonly hubId: string; readonly publicKey: string | null }> => {
  const ref = encodeURIComponent(agent)
  if (AGENT_NUMBER.test(agent)) {
    const { hub_id, public_key } = (await send("GET", `/id/${ref}`, null)).data as Record
    return { hubId: hub_id, publicKey: public_key }
  }
  const { id, public_key } = (await send("GET", `/agents/${ref}`, null)).data as DataOf<"GET", "/agents/:ref">
  return { hubId: id, publicKey: public_key }
}

export const recover = async (
  send: Send,
  { agent, recoveryKey, newKey, currentPublicKey }: RecoverOptions
): Promise<Scheduled> => {
  const found = await currentOf(send, agent)
  const current = currentPublicKey === undefined ? found.publicKey : readPublicKey("currentPublicKey", currentPublicKey)
  if (current === null)
    throw clientError("invalid_argument", `${agent} has no key any more`, { details: { field: "agent" } })
  const proof = await newKey.sign(
    rotationString({ hubId: found.hubId, currentPublicKey: current, newPublicKey: newKey.publicKey })
  )
  return (
    await send("POST", "/recover", recoveryKey, {
      body: { agent: found.hubId, new_public_key: newKey.publicKey, proof }
    })
  ).data as Scheduled
}

/** A recovery key that is stored elsewhere, with its signature made there (see `RecoveryCalls.toSign`). */
export interface ProvenKey {
  readonly publicKey: string
  /** The signature in base64. */
  readonly proof: string
}

export interface RecoveryCalls {
  /** Enables recovery, or changes its key. Only the key's public half and a signature are sent. */
  readonly set: (recoveryKey: AgentKey | ProvenKey) => Promise<Recovery>
  /** The string that a key must sign to become this agent's recovery key. It changes with the agent's own key. */
  readonly toSign: (publicKey: string) => Promise<string>
  readonly get: () => Promise<Recovery>
  /** Disables recovery and cancels a recovery under way. */
  readonly delete: () => Promise<Recovery>
  readonly cancel: () => Promise<Recovery>
}

export const recoveryCalls = (send: Send, key: () => AgentKey): RecoveryCalls => {
  const call = async (method: string, target: string, body?: unknown) =>
    (await send(method, target, key(), body === undefined ? {} : { body })).data as Recovery
  const toSign = async (recoveryPublicKey: string): Promise<string> => {
    const { id, public_key } = (await send("GET", "/me", key())).data as Me
    return recoveryString({ hubId: id, currentPublicKey: public_key, recoveryPublicKey })
  }
  return {
    set: async (recoveryKey) => {
      const recovery_public_key = readPublicKey("recoveryKey", recoveryKey.publicKey)
      const proof =
        recoveryKey instanceof AgentKey ? await recoveryKey.sign(await toSign(recovery_public_key)) : recoveryKey.proof
      return call("PUT", "/me/recovery", { recovery_public_key, proof })
    },
    toSign: (publicKey) => toSign(readPublicKey("publicKey", publicKey)),
    get: () => call("GET", "/me/recovery"),
    delete: () => call("DELETE", "/me/recovery"),
    cancel: () => call("POST", "/me/recovery/cancel")
  }
}
