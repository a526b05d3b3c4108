/**
 * Ends what lost its key or ciphertext while the backup was made. Those that were erased after the cut of the log are not
 * in the backup, although the log's copy still names them. So a vault whose private key is gone is revoked, and a
 * mailbox without its key is closed. An entry without its ciphertext is deleted, even if it was only written again. A
 * vault or a mailbox gets its key before the log names it as open. People whose keys are gone stay as they are.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import { type NatsConnection, nuid } from "@nats-io/transport-node"
import { MisshapenEvent } from "../../actors/engine/events.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import type { OpenArchive } from "../../actors/log/archive/open.ts"
import type { EventLog, EventShape } from "../../actors/log/commit.ts"
import { lastMessage } from "../../actors/log/last-message.ts"
import type { MailAddress, MailAddressEvent } from "../../actors/mail/address/actor.ts"
import { addressId } from "../../actors/mail/address/id.ts"
import type { MailboxEvent, MailboxState } from "../../actors/mail/box/state.ts"
import type { MailerEvent } from "../../actors/mail/mailer/state.ts"
import type { VaultEvent, VaultState } from "../../actors/vault/state.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { Fault } from "../cli/fault.ts"
import { historyOf, kindOf, stateAt } from "../replay/fold.ts"

const TIMEOUT_MS = 60_000
/** Actors that are looked at in parallel. */
const ABREAST = 100

export interface ErasedParts {
  readonly log: EventLog
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly older: OpenArchive | null
  /** Unix ms. */
  readonly at: number
}

/** The ids of all actors of a kind, those in the archive included. */
export const idsOf = async (
  kind: string,
  { manager, older }: Pick<ErasedParts, "manager" | "older">
): Promise<ReadonlyArray<string>> => {
  const { state } = await manager.streams.info(streams.events, { subjects_filter: subjects.eventsOf(kind) })
  const all = new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split(".").at(-1) ?? ""))
  if (older !== null) for await (const ids of older.index.idsOf(kind)) for (const id of ids) all.add(id)
  return [...all]
}

/** The state of an actor; `null` if a newer release has written to it, which no node of this one serves. */
const stateOf = async <State>({ log }: Pick<ErasedParts, "log">, kind: string, id: string): Promise<State | null> => {
  const fold = kindOf(kind)?.fold
  if (fold === undefined) throw new Error(`there is no kind ${kind}`)
  try {
    return ((await stateAt(historyOf(log, kind, id), fold, id, null))?.state ?? null) as State | null
  } catch (error) {
    if (error instanceof UnknownEvent || error instanceof MisshapenEvent) return null
    throw error
  }
}

const hasKey = async ({ nats }: Pick<ErasedParts, "nats">, stream: string, subject: string): Promise<boolean> => {
  const found = await lastMessage(nats, stream, subject, TIMEOUT_MS)
  return found !== null && found.data.length > 0
}

/** The events that end the vault, or those of its entries whose ciphertexts are gone. */
export const endedInVault = async (parts: ErasedParts, agent: string): Promise<ReadonlyArray<VaultEvent>> => {
  const state = await stateOf<NonNullable<VaultState>>(parts, "vault", agent)
  if (state === null || state.status !== "active") return []
  const { uid, entries } = state
  if (!(await hasKey(parts, streams.vaultKeys, subjects.vaultKey(uid))))
    return [{ type: "vault.revoked", v: 1, uid, by: "service" }]
  if (entries.length === 0) return []
  const held = await parts.manager.streams.info(streams.vault, { subjects_filter: subjects.vaultOf(agent, uid) })
  const ciphertexts = new Set(Object.keys(held.state.subjects ?? {}))
  return entries
    .filter(({ sha256 }) => !ciphertexts.has(subjects.vaultBox(agent, uid, sha256)))
    .map(({ id, kind, sha256 }) => ({
      type: "vault.entry_deleted",
      v: 1,
      entry: id,
      kind,
      vault: uid,
      sha256,
      by: "service"
    }))
}

/** Closes mailboxes whose keys are gone. Resolves to the number of commits. */
export const closeErasedMailboxes = async (parts: ErasedParts): Promise<number> => {
  const ids = await idsOf("mailbox", parts)
  let commits = 0
  for (let from = 0; from < ids.length; from += ABREAST) {
    const some = ids.slice(from, from + ABREAST)
    const keys = await Promise.all(some.map((id) => hasKey(parts, streams.mailKeys, subjects.mailKey(id))))
    const keyless = some.filter((_id, index) => keys[index] === false)
    const boxes = await Promise.all(
      keyless.map(async (id) => ({ id, box: await stateOf<NonNullable<MailboxState>>(parts, "mailbox", id) }))
    )
    // One after the other, because each commit also changes the mailer of an agent that may have several.
    for (const { id, box } of boxes)
      if (box !== null && box.status === "active") commits += await closeMailbox(parts, id, box)
  }
  return commits
}

const closeMailbox = async (
  parts: ErasedParts,
  id: string,
  { agent, local_part, domain }: NonNullable<MailboxState>
): Promise<number> => {
  const place = addressId(`${local_part}@${domain}`)
  const address = await stateOf<NonNullable<MailAddress>>(parts, "mail_address", place)
  const isCustom = address?.custom === true ? { custom: true as const } : {}
  const left: MailAddressEvent = { type: "mail_address.left", v: 1, agent, ...isCustom }
  const closed: ReadonlyArray<MailboxEvent> = [
    { type: "mailbox.closed", v: 1, agent },
    { type: "mailbox.erased", v: 1 }
  ]
  const listed: MailerEvent = { type: "mailer.mailbox_closed", v: 1, mailbox: Number(id) }
  await parts.manager.streams.purge(streams.mail, { filter: subjects.mailOf(id) })
  return committed(parts, [
    [subjects.event("mailer", agent), [listed]],
    [subjects.event("mailbox", id), closed],
    ...(address?.mailbox === Number(id) ? [[subjects.event("mail_address", place), [left]] as const] : [])
  ])
}

/** Resolves to the number of commits. */
const committed = async (
  { log, at }: ErasedParts,
  all: ReadonlyArray<readonly [subject: string, events: ReadonlyArray<EventShape>]>
): Promise<number> => {
  const id = nuid.next()
  const group = await Promise.all(
    all.map(async ([subject, events]) => ({
      subject,
      expected: await log.lastSeq(subject),
      commit: { v: 1 as const, id, op: "hub.restore", at, events }
    }))
  )
  const result = await log.append(group)
  if (!result.ok) throw new Fault(`${streams.events} took no end of a mailbox: ${result.reason}`)
  return group.length
}
