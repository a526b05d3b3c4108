/**
 * The users of the bus (ops/deploy/nats/roles.conf) against a real server: each may do what its role needs, and what
 * another role lives by it may not. That they may do what they need is also seen by every test of a whole system.
 */
import { jetstreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ensureStreams } from "../../actors/log/streams.ts"
import { addressFor, drawPasswords } from "../../ops/launcher/bus-users.ts"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { startNats } from "../../ops/launcher/nats.ts"
import { BUS_ROLES, busRoleOf, type BusRole, mayAsk } from "../../schemas/bus/roles.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { buckets, consumers, streams, subjects } from "../../schemas/subjects.ts"
import { testFolder } from "../harness/index.ts"

const passwords = drawPasswords()
let url: string
let stop: () => Promise<unknown>
const open: Array<NatsConnection> = []

beforeAll(async () => {
  const binary = await findNatsServer({ env: process.env, dataDir: ".hub", progress: () => undefined })
  const server = await startNats({ binary, dataDir: await testFolder("users"), passwords })
  url = server.url
  stop = () => server.stop()
  await ensureStreams(await connectAs("operator"), LIMITS, 1)
})
afterAll(async () => {
  await Promise.all(open.map((nats) => nats.close()))
  await stop()
})
async function connectAs(role: BusRole, password = passwords[role]): Promise<NatsConnection> {
  const address = url.replace("nats://", `nats://${role}:${password}@`)
  const nats = await connect({ ...(busServers(address, role) ?? { servers: [] }), reconnect: false })
  open.push(nats)
  return nats
}

/** What the server refused of these, by the errors that it sends; a ping behind them is answered after those. */
async function refusedOf(role: BusRole, act: (nats: NatsConnection) => void): Promise<ReadonlySet<string>> {
  const nats = await connectAs(role)
  const refused = new Set<string>()
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError) refused.add(status.error.subject)
    }
  })()
  act(nats)
  await nats.flush()
  await nats.flush()
  return refused
}

const ALL_STREAMS = [...Object.values(streams), `KV_${buckets.leases}`]
const OF_STREAM = "CREATE UPDATE DELETE PURGE INFO SNAPSHOT RESTORE MSG.GET MSG.DELETE LEADER.STEPDOWN".split(" ")
const FRAMES = ["edge", "actors", "queries", "webhooks", "operator"].map((role) => subjects.node("s", role))

/** What only those tell who have the keys of accounts. */
const OF_PEOPLE = [subjects.query("people"), subjects.query("owner_words"), subjects.query("mail_summaries")]

const MAIL_PIECE = subjects.mailPiece("1", "1", "text", "0")
const MAIL_PIECE_READ = `$JS.API.DIRECT.GET.${streams.mail}.${MAIL_PIECE}`

/** Every place of the bus, by every function that makes one, and what nats-server offers beside. */
const PLACES: ReadonlyArray<string> = [
  ...FRAMES,
  subjects.nodePing("s"),
  subjects.suspect,
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
  subjects.timerSet("agent", "a", "n", "1"),
  subjects.timerFire("agent", "a", "n", "1"),
  subjects.counter("agents"),
  subjects.counter("mail"),
  subjects.node("s", "mail"),
  subjects.mailKey("1"),
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
  ...["CREATE", "INFO", "DELETE", "MSG.NEXT", "PAUSE", "UNPIN", "RESET"].map(
    (verb) => `$JS.API.CONSUMER.${verb}.${streams.events}.${consumers.webhooks}`
  ),
  `$JS.API.CONSUMER.CREATE.${streams.events}.${consumers.webhooks}.${subjects.events}`,
  `$JS.ACK.${streams.events}.${consumers.webhooks}.1.1.1.1.1`,
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
const MAY_PUBLISH: Readonly<Record<Exclude<BusRole, "operator">, (place: string) => boolean>> = {
  edge: (place) =>
    [
      subjects.node("s", "edge"),
      subjects.query("agents"),
      ...OF_PEOPLE,
      subjects.suspect,
      subjects.blob("s", "0"),
      `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob("s", "0")}`,
      MAIL_PIECE_READ,
      ...LEASES
    ].includes(place),
  queries: (place) => ["_INBOX.edge.x", ...OF_PEOPLE, `$JS.API.STREAM.INFO.KV_${buckets.leases}`].includes(place),
  webhooks: (place) =>
    [
      subjects.node("s", "webhooks"),
      subjects.suspect,
      ...LEASES,
      `$JS.API.CONSUMER.INFO.${streams.events}.${consumers.webhooks}`,
      `$JS.API.CONSUMER.MSG.NEXT.${streams.events}.${consumers.webhooks}`,
      `$JS.ACK.${streams.events}.${consumers.webhooks}.1.1.1.1.1`
    ].includes(place),
  mail: (place) =>
    [
      subjects.node("s", "mail"),
      subjects.suspect,
      MAIL_PIECE,
      subjects.counter("mail"),
      ...LEASES,
      `$JS.API.STREAM.INFO.${streams.mail}`,
      `$JS.API.STREAM.PURGE.${streams.mail}`,
      `$JS.API.STREAM.MSG.GET.${streams.mailKeys}`
    ].includes(place),
  actors: (place) => {
    if (place.startsWith("hub.node.")) return place === subjects.node("s", "actors")
    if (/^hub\.(timer\.fire|blob|mail)\./.test(place)) return false
    if (place.startsWith("_INBOX.")) return place === "_INBOX.edge.x"
    if (place.startsWith("$JS.API.CONSUMER.") && place.includes(`.${streams.events}.${consumers.webhooks}`))
      return /\.(INFO|MSG\.NEXT)\./.test(place)
    if (place.startsWith("$JS.API.STREAM.PURGE."))
      return [streams.verified, streams.aside, streams.blobs, streams.mail].some((stream) =>
        place.endsWith(`.${stream}`)
      )
    // The keys of accounts that are deleted, and of mailboxes that are closed.
    if (place.startsWith("$JS.API.STREAM.MSG.DELETE."))
      return [streams.people, streams.mailKeys].some((stream) => place.endsWith(`.${stream}`))
    if (place.startsWith("$JS.API."))
      return /^\$JS\.API\.(INFO$|STREAM\.(INFO|MSG\.GET)\.|DIRECT\.GET\.|CONSUMER\.(CREATE|INFO|MSG\.NEXT|DELETE)\.)/.test(
        place
      )
    return !place.startsWith("$SYS")
  }
}

const LISTENED: ReadonlyArray<string> = [
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
  subjects.suspect,
  subjects.projected,
  subjects.notified("*"),
  subjects.query("agents"),
  subjects.query("*"),
  `${subjects.reply("edge", "e")}.*`,
  `${subjects.reply("webhooks", "w")}.*`,
  `${subjects.reply("actors", "a")}.*`,
  `${subjects.reply("mail", "m")}.*`,
  "_INBOX.mail.*",
  `$KV.${buckets.leases}.>`,
  subjects.timerFires,
  subjects.idempotencyAll,
  subjects.limitsAll
]

const MAY_LISTEN: Readonly<Record<Exclude<BusRole, "operator">, ReadonlyArray<string>>> = {
  edge: [
    "_INBOX.edge.*",
    "$SRV.>",
    subjects.notified("*"),
    `${subjects.reply("edge", "e")}.*`,
    `$KV.${buckets.leases}.>`
  ],
  queries: ["_INBOX.queries.*", "$SRV.>", subjects.query("agents"), subjects.query("*")],
  webhooks: ["_INBOX.webhooks.*", "$SRV.>", `${subjects.reply("webhooks", "w")}.*`, `$KV.${buckets.leases}.>`],
  mail: ["_INBOX.mail.*", "$SRV.>", `${subjects.reply("mail", "m")}.*`, `$KV.${buckets.leases}.>`],
  actors: [
    "_INBOX.actors.*",
    "$SRV.>",
    subjects.node("*", "*"),
    subjects.node("s", "edge"),
    "hub.ping.*",
    subjects.suspect,
    subjects.projected,
    subjects.query("agents"),
    subjects.query("*"),
    `${subjects.reply("actors", "a")}.*`,
    `$KV.${buckets.leases}.>`
  ]
}

describe.each(Object.keys(MAY_PUBLISH) as Array<keyof typeof MAY_PUBLISH>)("the user %s", (role) => {
  test("may publish what it lives by, and nothing else of all there is", async () => {
    const refused = await refusedOf(role, (nats) => {
      for (const place of PLACES) nats.publish(place, "")
    })
    expect(PLACES.filter((place) => !refused.has(place)).toSorted()).toEqual(
      PLACES.filter(MAY_PUBLISH[role]).toSorted()
    )
  })

  test("may listen to what it lives by, and nothing else of all there is", async () => {
    const refused = await refusedOf(role, (nats) => {
      for (const place of LISTENED) nats.subscribe(place, { callback: () => undefined })
    })
    expect(LISTENED.filter((place) => !refused.has(place)).toSorted()).toEqual(MAY_LISTEN[role].toSorted())
  })

  test("cannot make its consumer, nor any other, see more than the operator has given it", async () => {
    const before = (await operatorsView()).config
    const filter = JSON.stringify({
      stream_name: streams.events,
      config: { ...before, filter_subject: subjects.events },
      action: "update"
    })
    await (
      await connectAs(role)
    )
      .request(`$JS.API.CONSUMER.CREATE.${streams.events}.${consumers.webhooks}.${subjects.events}`, filter, {
        timeout: 500
      })
      .catch(() => undefined)
    expect((await operatorsView()).config).toEqual(before)
  })
})

const operatorsView = async () =>
  (await jetstreamManager(await connectAs("operator"))).consumers.info(streams.events, consumers.webhooks)

test("nobody is anonymous", async () => {
  await expect(connect({ servers: url, reconnect: false })).rejects.toThrow(/authorization/i)
})

test("a wrong password opens nothing", async () => {
  await expect(connectAs("edge", passwords.actors)).rejects.toThrow(/authorization/i)
})

test("each process connects as the user of its role", () => {
  const userOf = (...[node, roles]: [node: "edge" | "actor", roles?: string]) =>
    new URL(addressFor(node, roles, "nats://127.0.0.1:1", passwords)).username
  expect(userOf("edge")).toBe("edge")
  expect(userOf("edge", "queries")).toBe("edge")
  expect([userOf("actor"), userOf("actor", "actors"), userOf("actor", "queries, webhooks")]).toEqual([
    "actors",
    "actors",
    "actors"
  ])
  expect([userOf("actor", "queries"), userOf("actor", "webhooks")]).toEqual(["queries", "webhooks"])
  expect(BUS_ROLES.every((role) => /^p[0-9a-f]{36}$/.test(passwords[role]))).toBe(true)
  expect(busRoleOf([])).toBe("actors")
})

describe("what an asker's role may ask of a node", () => {
  test.each([
    ["edge", "agent.me", true],
    ["edge", "webhook.sign", false],
    ["edge", "agent.ban", false],
    ["edge", "category.seed", false],
    ["edge", "engine.refresh", false],
    ["edge", "constructor", false],
    ["webhooks", "webhook.sign", true],
    ["webhooks", "agent.me", false],
    ["webhooks", "agent.ban", false],
    ["actors", "engine.refresh", true],
    ["operator", "agent.ban", true],
    ["queries", "agent.me", false],
    ["", "agent.me", false]
  ])("%s, %s: %s", (role, op, allowed) => {
    expect(mayAsk(role, op)).toBe(allowed)
  })
})
