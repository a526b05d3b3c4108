/**
 * The subjects, streams, buckets and consumers of the bus, by the function that builds each. The services build `hub.`
 * subjects only here; ops/deploy/nats/roles.conf repeats them. Addresses of the server's own API (`$JS`, `$KV`) are
 * also written where they are used. `schemas/contract/subjects.txt` is the committed snapshot of this list.
 *
 *  - `hub.node.<session>.<role>`: command frames to one actor node (request-reply in batches), by the asker's role
 *    (bus/roles.ts)
 *  - `hub.ping.<session>`: asks whether a node is alive
 *  - `hub.drain.<session>`: the operator tells a node to give its shards back and to end
 *  - `$SRV.FIGURES`: the operators' console asks every process for its figures (runtime/metrics/figures.ts)
 *  - `hub.reply.<role>.<asker>.<session>`: reply frames back to one asker; a "no responders" on it names the session
 *  - `hub.qry.<view>`: queries, which one process of a queue group answers
 *  - `hub.evt.<kind>.<id>`: the log: one subject an actor, one message a commit
 *  - `hub.nonce`: used nonces, in batches, kept a little longer than they are refused
 *  - `hub.proof`: nonces of proofs of identity, in the same form
 *  - `hub.verified.<agent>.<h>`: the number of times that a website had the agent verified; only the newest count is
 *    kept
 *  - `hub.seen.<agent>`: when an agent was last seen; only the newest is kept
 *  - `hub.limit.<bucket>.<key>`: long rate-limit windows; only the newest is kept
 *  - `hub.idem.<agent>.<key>`: first answers under an Idempotency-Key, kept for their time to live
 *  - `hub.idemnew.<owner>.<key>`: the same for owners that are not established (idempotency/share.ts)
 *  - `hub.timer.set.…`: a scheduled message; at its time it is republished on `hub.timer.fire.…`
 *  - `hub.counter.<name>`: counters that never give a number twice
 *  - `hub.reaction.<set>`: the checkpoint of each set of reactions
 *  - `hub.aside.<set>.<why>.<place>`: commands of a set of reactions that could not be carried out in order
 *  - `hub.people.<human>`: the key that a person's data is sealed under, itself sealed; erased with the account
 *  - `hub.blob.<sha256>.<n>`: a piece of a file or of data, written once (blob/operations.ts)
 *  - `hub.mailkey.<mailbox>`: the key that a mailbox's mail is sealed under, itself sealed; erased with the mailbox
 *  - `hub.mail.<mailbox>.<mail>.<part>.<n>`: a piece of a message's text or attachment, sealed; kept for its time to
 *    live
 *  - `hub.vault.<agent>.<vault>.<sha256>`: a ciphertext of a vault; erased with its entry, or with the vault
 *  - `hub.vaultkey.<vault>`: a vault's private key, sealed under HUB_VAULT_KEY, for the keeper
 *  - `hub.vaulttoken.<agent>.<place>`: the keeper's data on a fill service's token
 *  - `hub.keeper.<view>`: queries that the keeper alone hears and answers
 *  - `hub.projected`: watermarks of the read models, announced after each transaction
 *  - `hub.notified.<agent>`: a hint to edges with a held request of the agent: the id of its newest notification, or
 *    nothing if its account changed. A lost hint delays the answer by LIMITS.notifications.look_ms.
 *  - `hub.refused`: an operator asks every edge for a refused request, by its id (bus/refused.ts)
 *  - `hub.console.link`: the operator asks the console for a one-time link
 *  - `hub.audit`: a line for each private thing that an operator opened in the console
 *  - `hub.restore`: nothing is published on it; the stream that marks an unfinished restore needs a subject
 *  - `hub.suspect`: an asker got "no responders" from a session; all actor nodes ping that session at once
 */
export const subjects = {
  node: (session: string, role: string) => `hub.node.${session}.${role}`,
  nodePing: (session: string) => `hub.ping.${session}`,
  nodeDrain: (session: string) => `hub.drain.${session}`,
  figures: "$SRV.FIGURES",
  suspect: "hub.suspect",
  consoleLink: "hub.console.link",
  audit: "hub.audit",
  reply: (role: string, asker: string) => `hub.reply.${role}.${asker}`,
  query: (view: string, host = "any") => {
    if (view.startsWith("host_")) return `hub.host.${host}.${view}`
    return view.startsWith("keeper_") ? `hub.keeper.${view}` : `hub.qry.${view}`
  },
  compartmentChanged: (host: string, compartment: string) => `hub.compartment.${host}.${compartment}`,
  compartmentsChanged: (host: string) => `hub.compartment.${host}.*`,
  event: (kind: string, id: string) => `hub.evt.${kind}.${id}`,
  events: "hub.evt.>",
  eventsOf: (kind: string) => `hub.evt.${kind}.*`,
  deliveries: "hub.evt.delivery.*",
  sendings: "hub.evt.mail_sending.*",
  mailNotices: "hub.evt.mail_notice.*",
  nonce: "hub.nonce",
  proof: "hub.proof",
  verified: (agent: string, host: string) => `hub.verified.${agent}.${host}`,
  verifiedOf: (agent: string) => `hub.verified.${agent}.*`,
  verifiedAll: "hub.verified.>",
  seen: (agent: string) => `hub.seen.${agent}`,
  seenAll: "hub.seen.*",
  limit: (bucket: string, key: string) => `hub.limit.${bucket}.${key}`,
  limitsAll: "hub.limit.>",
  idempotency: (agent: string, key: string) => `hub.idem.${agent}.${key}`,
  idempotencyAll: "hub.idem.>",
  newcomersIdempotency: (owner: string, key: string) => `hub.idemnew.${owner}.${key}`,
  newcomersIdempotencyAll: "hub.idemnew.>",
  timerSet: (kind: string, id: string, name: string, at: string) => `hub.timer.set.${kind}.${id}.${name}.${at}`,
  timerSets: "hub.timer.set.>",
  timerFire: (kind: string, id: string, name: string, at: string) => `hub.timer.fire.${kind}.${id}.${name}.${at}`,
  timerFires: "hub.timer.fire.>",
  counter: (name: string) => `hub.counter.${name}`,
  counters: "hub.counter.*",
  reactionMark: (set: string) => `hub.reaction.${set}`,
  reactionMarks: "hub.reaction.*",
  aside: (set: string, why: "parked" | "fault" | "*", place: string) => `hub.aside.${set}.${why}.${place}`,
  asideAll: "hub.aside.*.*.*",
  accountKey: (human: string) => `hub.people.${human}`,
  accountKeys: "hub.people.*",
  blob: (sha256: string, piece: string) => `hub.blob.${sha256}.${piece}`,
  blobOf: (sha256: string) => `hub.blob.${sha256}.*`,
  blobs: "hub.blob.*.*",
  mailKey: (mailbox: string) => `hub.mailkey.${mailbox}`,
  mailKeys: "hub.mailkey.*",
  mailPiece: (mailbox: string, mail: string, part: string, piece: string) =>
    `hub.mail.${mailbox}.${mail}.${part}.${piece}`,
  mailMessage: (mailbox: string, mail: string) => `hub.mail.${mailbox}.${mail}.>`,
  mailOf: (mailbox: string) => `hub.mail.${mailbox}.>`,
  postmasterPiece: (id: string, piece: string) => `hub.mail.postmaster.${id}.raw.${piece}`,
  postmasterMessage: (id: string) => `hub.mail.postmaster.${id}.>`,
  /** `at` is the time of storing in Unix ms. */
  postmasterNetwork: (id: string, network: string, at: number) => `hub.mail.postmaster.${id}.of.${network}-${at}`,
  postmasterNetworks: "hub.mail.postmaster.*.of.*",
  postmasterKey: (id: string) => `hub.mail.postmaster.${id}.key.0`,
  mail: "hub.mail.*.*.*.*",
  vaultBox: (agent: string, uid: string, sha256: string) => `hub.vault.${agent}.${uid}.${sha256}`,
  vaultOf: (agent: string, uid: string) => `hub.vault.${agent}.${uid}.*`,
  vault: "hub.vault.*.*.*",
  vaultKey: (uid: string) => `hub.vaultkey.${uid}`,
  vaultKeys: "hub.vaultkey.*",
  vaultToken: (agent: string, place: string) => `hub.vaulttoken.${agent}.${place}`,
  vaultTokens: "hub.vaulttoken.*.*",
  vaults: "hub.evt.vault.*",
  projected: "hub.projected",
  notified: (agent: string) => `hub.notified.${agent}`,
  refused: "hub.refused",
  restore: "hub.restore"
} as const

export const streams = {
  events: "HUB_EVENTS",
  nonces: "HUB_NONCES",
  proofs: "HUB_PROOFS",
  verified: "HUB_VERIFIED",
  seen: "HUB_SEEN",
  limits: "HUB_LIMITS",
  idempotency: "HUB_IDEMPOTENCY",
  newcomersIdempotency: "HUB_IDEMPOTENCY_NEW",
  timers: "HUB_TIMERS",
  counters: "HUB_COUNTERS",
  reactions: "HUB_REACTIONS",
  aside: "HUB_ASIDE",
  blobs: "HUB_BLOBS",
  people: "HUB_PEOPLE",
  mail: "HUB_MAIL",
  mailKeys: "HUB_MAIL_KEYS",
  vault: "HUB_VAULT",
  vaultKeys: "HUB_VAULT_KEYS",
  audit: "HUB_AUDIT"
} as const

/**
 * The stream that exists during an unfinished restore. It is not one of `streams`, because a complete service does not
 * have it.
 */
export const restoreMark = "HUB_RESTORE"

/** The counters. Each gives numbers that are never given twice. */
export const COUNTERS = [
  "agent",
  "notification",
  "post",
  "thread",
  "reply",
  "message",
  "report",
  "sponsorship",
  "owner_message",
  "captcha",
  "mailbox",
  "mail"
] as const
export type CounterName = (typeof COUNTERS)[number]

export const buckets = {
  /** Keys `node.<session>` (a beat with a time to live) and `shard.<n>` (the session that owns it). */
  leases: "hub_leases"
} as const

/** Durable consumers only. A consumer that follows a stream for one process has no fixed name. */
export const consumers = {
  timers: "timers",
  webhooks: "webhooks",
  outbound: "outbound",
  mailNotices: "mail_notices",
  keeper: "keeper"
} as const

export const queueGroups = { queries: "queries" } as const

/** The number of shards of a cluster's actors. Fixed for the life of a cluster. */
export const SHARD_COUNT = 64

/**
 * The shard of an actor: FNV-1a of its id alone. So actors of different kinds with the same id are served by the same
 * node, such as an agent and the key that it registered with.
 */
export const shardOf = (id: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index++) {
    hash ^= id.charCodeAt(index)
    hash = Math.imul(hash, 0x01000193)
  }
  // A final mix, because FNV's low bits alone spread short, similar ids badly.
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x7feb352d)
  hash ^= hash >>> 15
  return (hash >>> 0) % SHARD_COUNT
}
