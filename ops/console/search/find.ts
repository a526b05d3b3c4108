/**
 * Finds pages for a text that an operator pastes. It finds actors that the log has. Ids of requests and commands lead
 * to their stories unchecked.
 */
import { HANDLE_PATTERN } from "../../../schemas/agent/fields.ts"
import { HUMAN_ID, normalEmail } from "../../../schemas/human/fields.ts"
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"
import { decodeBase64, hubIdOf } from "../../../schemas/signing/key.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { KINDS } from "../../../actors/process/kinds.ts"
import type { Service } from "../../cli/connection.ts"
import { Fault } from "../../cli/fault.ts"
import { hubIdOfReference, idOfReference } from "../../cli/references.ts"
import { isLogless, kindOf } from "../../replay/fold.ts"
import { bounded } from "../../status/cluster.ts"
import { actorPath, explainPath } from "../paths.ts"

export interface Hit {
  /** The actor's name, such as `agent/hx…`. */
  readonly name: string
  readonly to: string
}

const EDGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.\d+)?$/
/** The form of a command's id that nothing else has. */
const COMMAND_ID = /^(?:operator-\w{1,32}-[0-9a-f]{24}$|react\.)/
/** The form of other command ids. Other ids may have it too. */
const MAYBE_COMMAND = /^(?:timer-|[0-9a-f]{24,64}$)/
const SEQ = /^#\d{1,15}$/
const MAIL = /^em_\d+(-\d+)?$/i
/** A text that can be one token of a subject. */
const TOKEN = /^[^\s.*>/]{1,128}$/
const LOGGED = KINDS.filter((kind) => !isLogless(kind)).map(({ fold }) => fold.kind)

const story = (id: string): Hit => ({ name: `request ${id}`, to: explainPath(id) })

const held = async ({ log }: Service, kind: string, id: string): Promise<ReadonlyArray<Hit>> =>
  (await log.lastSeq(subjects.event(kind, id))) > 0 ? [{ name: `${kind}/${id}`, to: actorPath(kind, id) }] : []

/** Finds an actor by kind and reference. Empty if there is no such actor. */
const named = async (service: Service, kind: string, reference: string): Promise<ReadonlyArray<Hit>> => {
  try {
    return await held(service, kind, await idOfReference(service, kind, reference))
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

const agentOf = async (service: Service, reference: string): Promise<ReadonlyArray<Hit>> => {
  try {
    return await held(service, "agent", await hubIdOfReference(service, reference))
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

/**
 * Finds a person by address. Only the address's own actor knows its account, so the result is empty if it does not
 * answer.
 */
const personAt = async (service: Service, address: string): Promise<ReadonlyArray<Hit>> => {
  const email = normalEmail(address)
  if (email === null) return []
  const found = await bounded(service.command("credential.whose", "operators", { email }))
  const human = found?.human ?? null
  return human === null ? [] : held(service, "human", human)
}

const anywhere = async (service: Service, id: string): Promise<ReadonlyArray<Hit>> =>
  (await Promise.all(LOGGED.map((kind) => held(service, kind, id)))).flat()

const first = async (...tries: ReadonlyArray<() => Promise<ReadonlyArray<Hit>>>): Promise<ReadonlyArray<Hit>> => {
  for (const one of tries) {
    const hits = await one()
    if (hits.length > 0) return hits
  }
  return []
}

export const found = async (service: Service, text: string): Promise<ReadonlyArray<Hit>> => {
  const words = text.replace(/^@/, "")
  if (SEQ.test(words) || EDGE_ID.test(words) || COMMAND_ID.test(words)) return [story(words)]
  const [kind = "", ...rest] = words.split("/")
  if (rest.length > 0 && kindOf(kind) !== undefined) {
    const reference = rest.join("/")
    if (LOGGED.includes(kind)) return named(service, kind, reference)
    return []
  }
  if (words.includes("@"))
    return first(
      () => named(service, "mailbox", words),
      () => personAt(service, words),
      () => named(service, "mail_address", words)
    )
  const mail = MAIL.exec(words)
  if (mail !== null) return named(service, mail[1] === undefined ? "mail" : "mail_sending", words)
  if (HUMAN_ID.test(words)) return held(service, "human", words)
  if (words.includes(".")) return named(service, "mail_domain", words)
  const key = decodeBase64(words, PUBLIC_KEY_BYTES)
  if (key !== null) return agentOf(service, hubIdOf(key))
  return first(
    () => (HANDLE_PATTERN.test(words) ? agentOf(service, words) : Promise.resolve([])),
    () => (TOKEN.test(words) ? anywhere(service, words) : Promise.resolve([])),
    () => Promise.resolve(MAYBE_COMMAND.test(words) ? [story(words)] : [])
  )
}
