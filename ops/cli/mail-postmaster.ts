/**
 * `hub mail postmaster [<id>]` and `hub mail forget <id>|all`: lists, shows and deletes mail to postmaster@ that is not
 * forwarded to anybody (actors/mail/inbound/postmaster.ts).
 */
import { lastMessage } from "../../actors/log/last-message.ts"
import { postmasterKeys, sealedKeyPurpose } from "../../actors/mail/inbound/postmaster.ts"
import { MailKeys } from "../../actors/mail/keys.ts"
import { mailKey } from "../../actors/process/server-key.ts"
import { readConfig } from "../../schemas/config.ts"
import { openBytes } from "../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Arguments } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const TIMEOUT_MS = 10_000
const ID = /^[0-9a-f]{64}$/

const keysOf = ({ nats }: Service): MailKeys => {
  const config = readConfig(process.env)
  if (!config.ok) throw new Fault(config.problem)
  const key = mailKey(config.config, process.env)
  if (!key.ok) throw new Fault(key.problem)
  return new MailKeys(nats, key.seed)
}

const messageOf = async (service: Service, id: string): Promise<string> => {
  const at = (subject: string) => lastMessage(service.nats, streams.mail, subject, TIMEOUT_MS)
  const box = ID.test(id) ? await at(subjects.postmasterKey(id)) : null
  if (box === null) throw new Fault("there is no such message: hub mail postmaster lists them")
  const key = keysOf(service).service.open(new TextDecoder().decode(box.data), sealedKeyPurpose(id))
  const pieces: Array<Uint8Array> = []
  for (let piece = 0; ; piece++) {
    const found = await at(subjects.postmasterPiece(id, String(piece)))
    if (found === null) break
    pieces.push(found.data)
  }
  return Buffer.from(openBytes(Buffer.concat(pieces), key)).toString("utf8")
}

/** Deletes one message, or all of them. */
export const forgetPostmasterMail = async (service: Service, { positionals }: Arguments): Promise<unknown> => {
  const [id = ""] = positionals
  if (id !== "all" && !ID.test(id)) throw new Fault("name a message of hub mail postmaster, or all")
  const filter = subjects.postmasterMessage(id === "all" ? "*" : id)
  await service.manager.streams.purge(streams.mail, { filter })
  return "it is gone"
}

export const postmasterMail = async (service: Service, { values, positionals }: Arguments): Promise<unknown> => {
  const [id] = positionals
  if (id !== undefined) return messageOf(service, id)
  const ids = await postmasterKeys(service.manager)
  if (values.json === true) return { messages: ids }
  return [...ids, `${ids.length} messages to postmaster@ are kept`].join("\n")
}
