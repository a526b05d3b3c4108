/** Every place of the bus, and what each of its users may do there. */
import type { BusRole } from "../../schemas/bus/roles.ts"
import { buckets, consumers, streams, subjects } from "../../schemas/subjects.ts"

const ALL_STREAMS = [...Object.values(streams), `KV_${buckets.leases}`]
const OF_STREAM = "CREATE UPDATE DELETE PURGE INFO SNAPSHOT RESTORE MSG.GET MSG.DELETE LEADER.STEPDOWN".split(" ")
const FRAMES = ["edge", "actors", "queries", "webhooks", "keeper", "runtime", "operator"].map((role) =>
  subjects.node("s", role)
)

/** What only those tell who have the keys of accounts. */
const OF_PEOPLE = [subjects.query("people"), subjects.query("owner_words"), subjects.query("mail_summaries")]

const MAIL_PIECE = subjects.mailPiece("1", "1", "text", "0")
const MAIL_PIECE_READ = `$JS.API.DIRECT.GET.${streams.mail}.${MAIL_PIECE}`

/** Consumers of the log whose messages are worked off, each by the role that it is for. */
const WORKED_OFF = [consumers.webhooks, consumers.mailNotices, consumers.outbound, consumers.keeper]

const workedOff = (durable: string): ReadonlyArray<string> => [
  `$JS.API.CONSUMER.INFO.${streams.events}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${streams.events}.${durable}`,
  `$JS.ACK.${streams.events}.${durable}.1.1.1.1.1`
]

/** Every place of the bus, by every function that makes one, and what nats-server offers beside. */
export const PLACES: ReadonlyArray<string> = [
  ...FRAMES,
  subjects.nodePing("s"),
  subjects.suspect,
  subjects.refused,
  subjects.reply("edge", "e"),
  subjects.reply("webhooks", "w"),
  subjects.query("agents"),
  ...OF_PEOPLE,
  subjects.event("agent", "a"),
  subjects.event("delivery", "1"),
  subjects.nonce,
  subjects.proof,
  subjects.verified("a", "h"),
  subjects.seen("a"),
  subjects.limit("ip", "x"),
  subjects.idempotency("a", "k"),
  subjects.newcomersIdempotency("a", "k"),
  subjects.timerSet("agent", "a", "n", "1"),
  subjects.timerFire("agent", "a", "n", "1"),
  subjects.counter("agents"),
  subjects.counter("mail"),
  subjects.node("s", "mail"),
  subjects.mailKey("1"),
  subjects.vaultBox("a", "v", "s"),
  subjects.vaultKey("v"),
  subjects.vaultToken("a", "p"),
  subjects.query("keeper_key"),
  subjects.query("keeper_health"),
  subjects.query("keeper_issue"),
  subjects.query("keeper_issue_inside"),
  subjects.query("host_logs", "h"),
  subjects.compartmentChanged("h", "c"),
  MAIL_PIECE,
  MAIL_PIECE_READ,
  subjects.blob("s", "0"),
  `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob("s", "0")}`,
  subjects.projected,
  subjects.notified("a"),
  `$KV.${buckets.leases}.shard.1`,
  "_INBOX.edge.x",
  "_INBOX.actors.x",
  "_INBOX.queries.x",
  "_INBOX.webhooks.x",
  ...ALL_STREAMS.flatMap((stream) => [
    ...OF_STREAM.map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.mine`,
    `$JS.API.CONSUMER.CREATE.${stream}.mine.${subjects.events}`,
    `$JS.API.CONSUMER.LIST.${stream}`,
    `$JS.API.CONSUMER.NAMES.${stream}`
  ]),
  ...WORKED_OFF.flatMap((durable) => [
    ...["CREATE", "INFO", "DELETE", "MSG.NEXT", "PAUSE", "UNPIN", "RESET"].map(
      (verb) => `$JS.API.CONSUMER.${verb}.${streams.events}.${durable}`
    ),
    `$JS.API.CONSUMER.CREATE.${streams.events}.${durable}.${subjects.events}`,
    `$JS.ACK.${streams.events}.${durable}.1.1.1.1.1`
  ]),
  `$JS.ACK.${streams.timers}.${consumers.timers}.1.1.1.1.1`,
  "$JS.API.STREAM.CREATE.MINE",
  "$JS.API.STREAM.LIST",
  "$JS.API.STREAM.NAMES",
  "$JS.API.ACCOUNT.PURGE.$G",
  "$JS.API.INFO",
  "$SYS.REQ.SERVER.PING"
]

const LEASES = [`$JS.API.STREAM.INFO.KV_${buckets.leases}`, `$JS.API.DIRECT.GET.KV_${buckets.leases}`]

/** All that each role may publish of these places: everything else is refused. */
export const MAY_PUBLISH: Readonly<Record<Exclude<BusRole, "operator">, (place: string) => boolean>> = {
  edge: (place) =>
    [
      subjects.node("s", "edge"),
      subjects.query("agents"),
      ...OF_PEOPLE,
      subjects.suspect,
      subjects.blob("s", "0"),
      `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob("s", "0")}`,
      MAIL_PIECE_READ,
      subjects.query("keeper_key"),
      subjects.query("keeper_health"),
      subjects.query("host_logs", "h"),
      ...LEASES
    ].includes(place),
  keeper: (place) =>
    [
      subjects.node("s", "keeper"),
      subjects.suspect,
      subjects.vaultKey("v"),
      subjects.vaultToken("a", "p"),
      ...LEASES,
      `$JS.API.STREAM.MSG.GET.${streams.vaultKeys}`,
      `$JS.API.STREAM.MSG.DELETE.${streams.vaultKeys}`,
      ...workedOff(consumers.keeper)
    ].includes(place),
  runtime: (place) =>
    [
      subjects.node("s", "runtime"),
      subjects.suspect,
      subjects.query("keeper_issue_inside"),
      `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob("s", "0")}`,
      ...LEASES
    ].includes(place),
  queries: (place) => ["_INBOX.edge.x", ...OF_PEOPLE, `$JS.API.STREAM.INFO.KV_${buckets.leases}`].includes(place),
  webhooks: (place) =>
    [subjects.node("s", "webhooks"), subjects.suspect, ...LEASES, ...workedOff(consumers.webhooks)].includes(place),
  mail: (place) =>
    [
      subjects.node("s", "mail"),
      subjects.suspect,
      MAIL_PIECE,
      subjects.counter("mail"),
      ...LEASES,
      "$JS.API.INFO",
      `$JS.API.STREAM.INFO.${streams.mail}`,
      `$JS.API.STREAM.PURGE.${streams.mail}`,
      `$JS.API.STREAM.MSG.GET.${streams.mailKeys}`,
      `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob("s", "0")}`,
      ...workedOff(consumers.outbound),
      ...workedOff(consumers.mailNotices)
    ].includes(place),
  actors: (place) => {
    if (place.startsWith("hub.node.")) return place === subjects.node("s", "actors")
    if (/^hub\.(timer\.fire|blob|mail|vaultkey|vaulttoken|keeper|host)\./.test(place)) return false
    // An operator alone asks for refused requests.
    if (place === subjects.refused) return false
    // Of the keys of vaults nothing at all.
    if (place.startsWith("$JS.API.") && place.includes(streams.vaultKeys)) return false
    if (place.startsWith("_INBOX.")) return place === "_INBOX.edge.x"
    if (
      place.startsWith("$JS.API.CONSUMER.") &&
      WORKED_OFF.some((durable) => place.includes(`.${streams.events}.${durable}`))
    )
      return /\.(INFO|MSG\.NEXT)\./.test(place)
    if (place.startsWith("$JS.API.STREAM.PURGE."))
      return [streams.events, streams.verified, streams.aside, streams.blobs, streams.mail].some((stream) =>
        place.endsWith(`.${stream}`)
      )
    // Keys of deleted accounts and closed mailboxes, and ciphertexts of deleted entries: the server overwrites their bytes.
    if (place.startsWith("$JS.API.STREAM.MSG.DELETE."))
      return [streams.people, streams.mailKeys, streams.vault].some((stream) => place.endsWith(`.${stream}`))
    // The archiver waits for all durable consumers of the log.
    if (place === `$JS.API.CONSUMER.LIST.${streams.events}`) return true
    if (place.startsWith("$JS.API."))
      return /^\$JS\.API\.(INFO$|STREAM\.(INFO|MSG\.GET)\.|DIRECT\.GET\.|CONSUMER\.(CREATE|INFO|MSG\.NEXT|DELETE)\.)/.test(
        place
      )
    return !place.startsWith("$SYS")
  }
}

export const LISTENED: ReadonlyArray<string> = [
  ">",
  "hub.>",
  "_INBOX.>",
  "_INBOX.edge.*",
  "_INBOX.actors.*",
  "_INBOX.queries.*",
  "_INBOX.webhooks.*",
  "$JS.API.>",
  "$JS.EVENT.>",
  "$SRV.>",
  subjects.events,
  subjects.event("agent", "a"),
  subjects.nonce,
  subjects.node("*", "*"),
  subjects.node("s", "edge"),
  "hub.ping.*",
  subjects.nodeDrain("*"),
  subjects.suspect,
  subjects.projected,
  subjects.notified("*"),
  subjects.refused,
  subjects.query("agents"),
  subjects.query("*"),
  subjects.query("keeper_key"),
  `${subjects.reply("keeper", "k")}.*`,
  "_INBOX.keeper.*",
  `${subjects.reply("edge", "e")}.*`,
  `${subjects.reply("webhooks", "w")}.*`,
  `${subjects.reply("actors", "a")}.*`,
  `${subjects.reply("mail", "m")}.*`,
  "_INBOX.mail.*",
  subjects.query("host_logs", "h"),
  subjects.compartmentsChanged("h"),
  `${subjects.reply("runtime", "r")}.*`,
  "_INBOX.runtime.*",
  `$KV.${buckets.leases}.>`,
  subjects.timerFires,
  subjects.idempotencyAll,
  subjects.newcomersIdempotencyAll,
  subjects.limitsAll
]

export const MAY_LISTEN: Readonly<Record<Exclude<BusRole, "operator">, ReadonlyArray<string>>> = {
  edge: [
    "_INBOX.edge.*",
    "$SRV.>",
    subjects.notified("*"),
    subjects.refused,
    `${subjects.reply("edge", "e")}.*`,
    `$KV.${buckets.leases}.>`
  ],
  queries: ["_INBOX.queries.*", "$SRV.>", subjects.query("agents"), subjects.query("*")],
  webhooks: ["_INBOX.webhooks.*", "$SRV.>", `${subjects.reply("webhooks", "w")}.*`, `$KV.${buckets.leases}.>`],
  keeper: [
    "_INBOX.keeper.*",
    "$SRV.>",
    subjects.query("keeper_key"),
    `${subjects.reply("keeper", "k")}.*`,
    `$KV.${buckets.leases}.>`
  ],
  runtime: [
    "_INBOX.runtime.*",
    "$SRV.>",
    subjects.query("host_logs", "h"),
    subjects.compartmentsChanged("h"),
    `${subjects.reply("runtime", "r")}.*`,
    `$KV.${buckets.leases}.>`
  ],
  mail: ["_INBOX.mail.*", "$SRV.>", `${subjects.reply("mail", "m")}.*`, `$KV.${buckets.leases}.>`],
  actors: [
    "_INBOX.actors.*",
    "$SRV.>",
    subjects.node("*", "*"),
    subjects.node("s", "edge"),
    "hub.ping.*",
    subjects.nodeDrain("*"),
    subjects.suspect,
    subjects.projected,
    subjects.query("agents"),
    subjects.query("*"),
    `${subjects.reply("actors", "a")}.*`,
    `$KV.${buckets.leases}.>`
  ]
}
