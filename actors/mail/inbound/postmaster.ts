/**
 * Mail to `postmaster@` of each served domain (RFC 5321 4.5.1; contract 22). It is forwarded to the address that the
 * operator names, or kept for the operator to read. No agent gets it.
 *
 * Invariants
 *  - A message is forwarded before it is answered, as an attachment of our own message without a return path. So
 *    nothing bounces, and there is no queue. A message with our keyed mark has come back from there, and is kept.
 *  - A message that cannot be forwarded, or perhaps was not, is kept for a limited number of days, sealed under
 *    HUB_MAIL_KEY. If forwarding only fails for the moment, the sender has to try again instead. The key of a kept
 *    message is stored last: a message with a key is complete, one without was interrupted and is stored again.
 *  - The same bytes are the same message. A process that took them does not take them again on the same day, unless the
 *    day's attempts are used up.
 *  - Strangers can neither fill the disk nor open connections without end: the attempts of a day, the size of a message
 *    and the sum of all kept messages are limited. At a limit, the oldest message of the network with the most messages
 *    makes room for a network with fewer. So nobody can block the postmaster's mailbox for others.
 */
import { createHash, randomBytes } from "node:crypto"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import { BLOB_PIECE_BYTES } from "../../../schemas/blob/operations.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { MailSettings } from "../../../schemas/mail/settings.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { networkOf } from "../../../schemas/network.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { newKey, sealBytes } from "../../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { storeDurably } from "../../log/durable.ts"
import type { MailKeys } from "../keys.ts"
import { signed } from "../outbound/sign.ts"
import type { Outcome, Transport } from "../outbound/transport.ts"

const TIMEOUT_MS = 5000
const DAY_MS = 86_400_000
const BOUNDARY_BYTES = 18
const MARKED = /^x-hub-postmaster: ([0-9a-f]{64}) ([0-9a-f]{64})$/
const HEAD_MAX_BYTES = 65_536
const NOT_TAKEN = unavailable("Mail to the postmaster cannot be taken at the moment.")
const TOO_MUCH = unavailable("There was too much mail to the postmaster today.")

export const sealedKeyPurpose = (id: string): string => `mail to the postmaster ${id}`

/**
 * Resolves to whether the message was taken. Fails if its sender has to try again. `ip`: the client, if it came by
 * SMTP.
 */
export type Postmaster = (raw: Buffer, ip?: string) => Effect.Effect<boolean, Refusal>

interface Parts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly ask: Asking
  readonly keys: MailKeys
  readonly settings: MailSettings
  readonly world: Transport
  readonly bounds: Limits["limits"]["email"]["postmaster"]
}

const NETWORK_CHARS = 16

/** The keyed hash under which a network's messages are counted, because its address is not stored. */
const networkMark = (keys: MailKeys, ip: string | undefined): string => {
  const { client, wide } = networkOf(ip ?? "")
  return keys.service.mark(wide ?? client, "network that writes to the postmaster").slice(0, NETWORK_CHARS)
}

/**
 * Returns the network with the most messages, whose oldest makes room for one of `network`. `null` if `network` would
 * then have more itself, so that two networks never replace each other's messages in turn.
 */
const yieldingTo = (network: string, counted: Iterable<readonly [string, number]>): string | null => {
  const counts = new Map<string, number>()
  for (const [of, count] of counted) counts.set(of, (counts.get(of) ?? 0) + count)
  const [heaviest] = [...counts].toSorted(([, one], [, other]) => other - one)
  return heaviest !== undefined && heaviest[1] - (counts.get(network) ?? 0) > 1 ? heaviest[0] : null
}

const markOf = (keys: MailKeys, id: string): string => keys.service.mark(id, "forward to the postmaster")

/** True for our own forwarded message on its way back. */
const isReturned = (raw: Buffer, keys: MailKeys): boolean => {
  const head = raw.subarray(0, HEAD_MAX_BYTES).toString("latin1")
  const end = head.search(/\r?\n\r?\n/)
  const lines = (end === -1 ? head : head.slice(0, end)).toLowerCase().split("\n")
  return lines.some((line) => {
    const [, id = "", mark] = MARKED.exec(line.trim()) ?? []
    return mark !== undefined && mark === markOf(keys, id)
  })
}

const wrapped = (
  raw: Buffer,
  domain: string,
  to: string,
  { id, mark, at }: { readonly id: string; readonly mark: string; readonly at: number }
): Buffer => {
  const boundary = randomBytes(BOUNDARY_BYTES).toString("hex")
  const head = [
    `From: Postmaster <postmaster@${domain}>`,
    `To: ${to}`,
    `Subject: Mail to postmaster@${domain}`,
    `Message-ID: <postmaster.${id}@${domain}>`,
    `Date: ${new Date(at).toUTCString().replace("GMT", "+0000")}`,
    `Auto-Submitted: auto-generated`,
    `X-Hub-Postmaster: ${id} ${mark}`,
    `MIME-Version: 1.0`,
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    ``,
    `--${boundary}`,
    `Content-Type: text/plain; charset=utf-8`,
    ``,
    `Somebody wrote to postmaster@${domain}. The message is attached.`,
    ``,
    `--${boundary}`,
    `Content-Type: message/rfc822`,
    `Content-Transfer-Encoding: 8bit`,
    `Content-Disposition: attachment; filename="message.eml"`,
    ``,
    ``
  ]
  return Buffer.concat([Buffer.from(head.join("\r\n")), raw, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

/** The ids of all messages that are stored completely, which are those with a key. */
export const postmasterKeys = async (manager: JetStreamManager): Promise<ReadonlyArray<string>> => {
  const { state } = await manager.streams.info(streams.mail, { subjects_filter: subjects.postmasterKey("*") })
  return Object.keys(state.subjects ?? {}).map((subject) => subject.split(".")[3] ?? "")
}

export const postmasterBy = ({ nats, manager, ask, keys, settings, world, bounds }: Parts): Postmaster => {
  const { domain, postmaster } = settings
  const { per_day, message_max_bytes, kept_max, kept_seconds } = bounds
  /** The day's attempts by the ids of their messages: Unix ms, and whether the message was taken. */
  const today = new Map<string, { at: number; attempts: number; taken: boolean; network: string }>()

  const forwarded = (raw: Buffer, to: string, id: string, at: number): Effect.Effect<Outcome, Refusal> =>
    Effect.gen(function* () {
      const from = `postmaster@${domain}`
      const bytes = wrapped(raw, domain, to, { id, mark: markOf(keys, id), at })
      const whole = world.signs ? yield* signed(ask, bytes, { id: `postmaster-${id}`, domain, at }) : bytes
      const outgoing = { id, from, envelopeFrom: "", to, message: id, recipients: [to], bytes: whole }
      return yield* world.send(outgoing, Effect.never)
    })

  /**
   * Deletes the oldest message of the network with the most kept messages. False if this network would then have more
   * itself.
   */
  const madeRoom = async (network: string, all: ReadonlySet<string>): Promise<boolean> => {
    const { state } = await manager.streams.info(streams.mail, { subjects_filter: subjects.postmasterNetworks })
    const marked = Object.keys(state.subjects ?? {}).map((subject) => {
      const [, , , id = "", , of = ""] = subject.split(".")
      const [mark = "", at] = of.split("-")
      return { id, mark, at: Number(at) }
    })
    // A message without a key was interrupted, and does not count.
    const whole = marked.filter(({ id }) => all.has(id))
    const heaviest = yieldingTo(
      network,
      whole.map(({ mark }) => [mark, 1] as const)
    )
    const [oldest] = whole.filter(({ mark }) => mark === heaviest).toSorted((one, other) => one.at - other.at)
    if (oldest === undefined) return false
    await manager.streams.purge(streams.mail, { filter: subjects.postmasterMessage(oldest.id) })
    return true
  }

  const kept = (raw: Buffer, id: string, network: string, at: number): Effect.Effect<void, Refusal> =>
    Effect.tryPromise({
      try: async () => {
        const all = await postmasterKeys(manager)
        if (all.includes(id)) return true
        if (all.length >= kept_max && !(await madeRoom(network, new Set(all)))) return false
        await manager.streams.purge(streams.mail, { filter: subjects.postmasterMessage(id) })
        const options = { timeout: TIMEOUT_MS, keepSeconds: kept_seconds }
        await storeDurably(nats, subjects.postmasterNetwork(id, network, at), Buffer.alloc(0), options)
        const key = newKey()
        const sealed = sealBytes(raw, key)
        for (let piece = 0, from = 0; from < sealed.length; piece++, from += BLOB_PIECE_BYTES) {
          const bytes = sealed.subarray(from, from + BLOB_PIECE_BYTES)
          await storeDurably(nats, subjects.postmasterPiece(id, String(piece)), bytes, options)
        }
        const box = Buffer.from(keys.service.seal(key, sealedKeyPurpose(id)))
        await storeDurably(nats, subjects.postmasterKey(id), box, options)
        return true
      },
      catch: (error) => {
        logNow("error", "mail", { error })
        return NOT_TAKEN
      }
    }).pipe(Effect.flatMap((room) => (room ? Effect.void : Effect.fail(TOO_MUCH))))

  /** False if the attempts of the day are used up, and no network has so many that it gives one to this network. */
  const begins = (id: string, at: number, network: string): boolean => {
    for (const [known, one] of today) if (one.at <= at - DAY_MS) today.delete(known)
    const attempts = [...today.values()].reduce((sum, one) => sum + one.attempts, 0)
    if (attempts >= per_day) {
      const heaviest = yieldingTo(
        network,
        [...today.values()].map((one) => [one.network, one.attempts] as const)
      )
      const oldest = [...today].find(([, one]) => one.network === heaviest)
      if (oldest === undefined) return false
      today.delete(oldest[0])
    }
    const before = today.get(id)
    today.set(id, { at, attempts: (before?.attempts ?? 0) + 1, taken: false, network })
    return true
  }

  return (raw, ip) =>
    Effect.gen(function* () {
      if (raw.length > message_max_bytes) return false
      const at = yield* Clock.currentTimeMillis
      const id = createHash("sha256").update(raw).digest("hex")
      if (today.get(id)?.taken === true) return true
      const network = networkMark(keys, ip)
      if (!begins(id, at, network)) return yield* Effect.fail(TOO_MUCH)
      const isForwarded = postmaster !== null && !isReturned(raw, keys)
      const outcome = isForwarded ? yield* forwarded(raw, postmaster, id, at) : null
      if (outcome?.type === "passing") return yield* Effect.fail(NOT_TAKEN)
      if (outcome?.type !== "sent") {
        if (outcome !== null) logNow("warn", "mail", { postmaster: "not surely forwarded, so it is kept" })
        yield* kept(raw, id, network, at)
      }
      today.set(id, { at, attempts: today.get(id)?.attempts ?? 1, taken: true, network })
      return true
    })
}
