/** Checks an answer of the hub about one agent, member by member. A malformed member is refused. */
import { VERIFY_REASONS } from "../../../schemas/identity/reasons.ts"
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"
import { AGENT_NUMBER_PATTERN } from "../../../schemas/signing/identity.ts"
import { decodeText } from "./base64.ts"
import { BOUNDS } from "./bounds.ts"
import { HANDLE, type Identity, MODERATIONS, NO_KEYS, STATUSES } from "./identity.ts"
import { type AgentFields, MESSAGES, type Reason, type Verdict } from "./verdict.ts"

type Members = Readonly<Record<string, unknown>>

const members = (value: unknown): Members => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("the answer has the wrong form")
  return value as Members
}

const dataOf = (answer: unknown): Members => {
  const { ok, data } = members(answer)
  if (ok !== true) throw new Error("the answer has the wrong form")
  return members(data)
}

const expect = <A>(value: unknown, holds: (value: unknown) => boolean): A => {
  if (!holds(value)) throw new Error("the answer has the wrong form")
  return value as A
}

const isText =
  (max: number) =>
  (value: unknown): boolean =>
    typeof value === "string" && value.length <= max
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value)
const isUrl = (value: unknown): boolean =>
  isText(BOUNDS.urlChars)(value) && /^https?:\/\/[\x21-\x7e]+$/.test(value as string)
const among =
  (list: ReadonlyArray<unknown>) =>
  (value: unknown): boolean =>
    list.includes(value)
const orNull =
  (holds: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || holds(value)

const fieldsOf = (data: Members, absent: boolean): AgentFields => {
  const or = absent ? orNull : (holds: (value: unknown) => boolean) => holds
  return {
    handle: expect(
      data["handle"],
      or((value) => typeof value === "string" && HANDLE.test(value))
    ),
    name: expect(data["name"], or(isText(BOUNDS.nameChars))),
    trust: expect(data["trust"], or(isNumber)),
    reputation: expect(data["reputation"], or(isNumber)),
    status: expect(data["status"], or(among(STATUSES))),
    moderation: expect(data["moderation"], among(MODERATIONS)),
    profile_url: expect(data["profile_url"], orNull(isUrl)),
    id_url: expect(data["id_url"], or(isUrl))
  }
}

const keyOf = (value: unknown): Uint8Array => {
  const key = typeof value === "string" ? decodeText(value, PUBLIC_KEY_BYTES) : null
  if (key === null) throw new Error("the answer has a key that is none")
  return key
}

export const identityOf = (answer: unknown, number: string): Identity => {
  const data = dataOf(answer)
  if (data["id"] !== number) throw new Error("the answer is about another agent")
  const fields = fieldsOf(data, false)
  if (fields.status === "retired") return { fields, key: null, retiredKeys: NO_KEYS }
  const retired = expect<ReadonlyArray<unknown>>(data["keys"], Array.isArray)
    .map(members)
    .filter((key) => key["status"] === "retired")
    .map((key) => ({ bytes: keyOf(key["public_key"]), at: Date.parse(String(key["retired_at"])) }))
    .toSorted((one, other) => other.at - one.at)
  const newest = retired.slice(0, BOUNDS.retiredKeysPerAgent).map(({ bytes }) => bytes)
  return { fields, key: keyOf(data["public_key"]), retiredKeys: () => newest }
}

/** Checks the hub's own verdict, member by member. Throws if it is malformed. */
export const verdictOf = (answer: unknown): Verdict => {
  const data = dataOf(answer)
  const valid = expect<boolean>(data["valid"], among([true, false]))
  const reason = expect<Reason | null>(data["reason"], valid ? among([null]) : among(VERIFY_REASONS))
  const id = expect<string | null>(
    data["id"],
    (value) => (value === null && !valid) || (typeof value === "string" && AGENT_NUMBER_PATTERN.test(value))
  )
  const fields = fieldsOf(data, !valid)
  if (valid && fields.status !== "active") throw new Error("the answer contradicts itself")
  return {
    valid,
    reason,
    scheme: data["scheme"] === "web-bot-auth" ? "web-bot-auth" : "hub-id",
    id,
    ...fields,
    ...(reason === null ? {} : { message: MESSAGES[reason] }),
    ...(data["announced"] === true ? { announced: true } : {}),
    ...(data["signature_ok"] === true ? { signature_ok: true } : {})
  }
}
