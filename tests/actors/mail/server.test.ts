/** What strangers do to a server of SMTP: bounds, smuggling, relaying (RFC 5321; contract 20). */
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as tlsConnect } from "node:tls"
import type { Clock } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import type { Incoming } from "../../../actors/mail/inbound/delivery.ts"
import type { Recipient } from "../../../actors/mail/inbound/recipient.ts"
import { MailServer, type Receiving } from "../../../actors/mail/inbound/server.ts"
import { UnknownRecipients } from "../../../actors/mail/inbound/unknown-recipients.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { waitFor } from "../../harness/index.ts"
import { machineClock, setTimer, type TimerClock } from "../../../schemas/runtime/clock.ts"
import { LEAVING_MAX } from "../../../schemas/runtime/places.ts"
import { authority } from "../../support/certificates.ts"

const BOUNDS = {
  ...LIMITS.service.mail,
  connections_per_client_max: 3,
  recipients_max: 4,
  message_max_bytes: 4096,
  held_max_bytes: 12_000
}

const DOMAIN = "mail.hub.example"
const open: Array<() => Promise<void>> = []
afterEach(async () => {
  // Clients first: a server waits for them.
  for (const end of open.splice(0).toReversed()) await end()
})

const started = async (
  more: Partial<Receiving> = {},
  bounds: Readonly<Partial<Record<keyof typeof BOUNDS, number>>> = {},
  tls: { readonly cert: string; readonly key: string } | null = null,
  clock: Clock.Clock = machineClock
) => {
  const taken: Array<Incoming> = []
  const recipient = (address: string): Promise<Recipient> =>
    Promise.resolve(
      address.startsWith("ada") && address.endsWith(`@${DOMAIN}`)
        ? { type: "mailbox", mailbox: address.length, address }
        : { type: "nobody" }
    )
  const receiving: Receiving = {
    recipient,
    hasRoom: () => Promise.resolve(true),
    deliver: (incoming) => {
      taken.push(incoming)
      return Promise.resolve(true)
    },
    ownAddress: () => null,
    returned: () => Promise.resolve("refused"),
    ...more
  }
  const server = new MailServer(clock, receiving, { domain: DOMAIN, tls }, { ...BOUNDS, ...bounds })
  const port = await server.listen(0, "127.0.0.1")
  open.push(() => server.close())
  return { port, taken }
}

/** A client that says what it likes. */
class Line {
  readonly socket: Socket
  private text = ""
  constructor(port: number, from = "127.0.0.1") {
    this.socket = connect({ port, host: "127.0.0.1", localAddress: from })
    this.socket.on("data", (data: Buffer) => (this.text += data.toString("latin1")))
    this.socket.on("error", () => undefined)
    open.push(() => Promise.resolve(void this.socket.destroy()))
  }

  /** The next whole answer. */
  async answer(): Promise<string> {
    const found = await waitFor(() => {
      const [whole] = /^(?:\d{3}-[^\n]*\n)*\d{3}[ \r][^\n]*\n/.exec(this.text) ?? []
      return whole ?? (this.socket.destroyed ? "closed" : null)
    })
    this.text = this.text.slice(found.length)
    return found.trim()
  }

  async say(text: string): Promise<string> {
    this.socket.write(`${text}\r\n`, "latin1")
    return this.answer()
  }
}

const greeted = async (port: number, from?: string): Promise<Line> => {
  const line = new Line(port, from)
  expect(await line.answer()).toMatch(/^220 mail\.hub\.example/)
  expect(await line.say("EHLO client.example")).toMatch(/^250/)
  return line
}

const ready = async (port: number, from?: string): Promise<Line> => {
  const line = await greeted(port, from)
  expect(await line.say("MAIL FROM:<a@example.com>")).toMatch(/^250/)
  expect(await line.say(`RCPT TO:<ada@${DOMAIN}>`)).toMatch(/^250/)
  expect(await line.say("DATA")).toMatch(/^354/)
  return line
}

const FEW = BOUNDS.connections_per_client_max

test("the place of a session that went over to TLS, or left while it did, is free when it has closed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "smtp-"))
  open.push(() => rm(folder, { recursive: true }))
  const { cert, key } = authority("Test").issue({ names: [DOMAIN] })
  const tls = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }
  await Promise.all([writeFile(tls.cert, cert), writeFile(tls.key, key)])
  const { port } = await started({}, {}, tls)
  for (let session = 0; session < 2 * FEW; session++) {
    const line = await waitFor(async () => {
      const next = new Line(port)
      return (await next.answer()).startsWith("220") ? next : null
    })
    expect(await line.say("EHLO client.example")).toContain("STARTTLS")
    expect(await line.say("STARTTLS")).toMatch(/^220/)
    if (session % 2 === 0) {
      line.socket.removeAllListeners("data")
      const secured = tlsConnect({ socket: line.socket, ca: cert, rejectUnauthorized: false })
      await once(secured, "secureConnect")
      secured.resume().end("QUIT\r\n")
      await once(secured, "close")
    }
    line.socket.destroy()
  }
})

test("a client that leaves behind whole messages counts until they are judged", async () => {
  const judged: Array<() => void> = []
  const deliver = () => new Promise<boolean>((resolve) => judged.push(() => resolve(true)))
  const { port } = await started({ deliver })
  for (let sent = 0; sent < FEW; sent++) {
    const line = await ready(port)
    line.socket.write("Subject: x\r\n\r\nx\r\n.\r\n")
    await waitFor(() => judged.length === sent + 1)
    line.socket.resetAndDestroy()
  }
  expect(await new Line(port).answer()).toMatch(/^421/)
  for (const end of judged) end()
  await waitFor(async () => (await new Line(port).answer()).startsWith("220"), { describe: "a free place" })
})

test("nothing is relayed, whatever an address pretends", async () => {
  const { port, taken } = await started()
  const line = await greeted(port)
  await line.say("MAIL FROM:<a@example.com>")
  for (const to of [
    "victim@example.com",
    `victim%example.com@${DOMAIN}`,
    `"victim@example.com"@${DOMAIN}`,
    `@${DOMAIN}:victim@example.com`,
    `ada@${DOMAIN}@example.com`,
    `ada@${DOMAIN}.example.com`,
    "ada",
    ""
  ])
    expect([to, (await line.say(`RCPT TO:<${to}>`)).slice(0, 1)]).toEqual([to, "5"])
  expect(await line.say("DATA")).toMatch(/^503/)
  expect(taken).toHaveLength(0)
})

test.each([
  ["\\n.\\n", "\n.\n"],
  ["\\r\\n.\\n", "\r\n.\n"],
  ["\\n.\\r\\n", "\n.\r\n"],
  ["\\r.\\r", "\r.\r"]
])("no message is smuggled behind %s", async (_name, end) => {
  const { port, taken } = await started()
  const line = await ready(port)
  const smuggled = `MAIL FROM:<admin@bank.example>\r\nRCPT TO:<ada@${DOMAIN}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx`
  line.socket.write(`Subject: one\r\n\r\nx${end}${smuggled}\r\n.\r\n`)
  expect(await line.answer()).toMatch(/^250/)
  expect(await line.say("NOOP")).toMatch(/^250/)
  expect(taken.map(({ sender }) => sender)).toEqual(["a@example.com"])
})

test("a message over its bound is refused, told ahead or not, and the next one is taken", async () => {
  const { port, taken } = await started()
  const told = await greeted(port)
  expect(await told.say("MAIL FROM:<a@example.com> SIZE=5000")).toMatch(/^552/)
  const line = await ready(port)
  line.socket.write(`Subject: x\r\n\r\n${"x".repeat(5000)}\r\n.\r\n`)
  expect(await line.answer()).toMatch(/^552/)
  await line.say("MAIL FROM:<a@example.com>")
  await line.say(`RCPT TO:<ada@${DOMAIN}>`)
  await line.say("DATA")
  line.socket.write("Subject: x\r\n\r\nx\r\n.\r\n")
  expect(await line.answer()).toMatch(/^250/)
  expect(taken).toHaveLength(1)
})

test("what all messages hold together is bounded: one more comes again, and once there is room it is taken", async () => {
  let release: (taken: boolean) => void = () => undefined
  const held = new Promise<boolean>((resolve) => (release = resolve))
  const { port } = await started({ deliver: () => held })
  const [first, second] = [await ready(port), await ready(port)]
  first.socket.write(`${"x".repeat(3500)}\r\n.\r\n`)
  second.socket.write(`${"y".repeat(3500)}\r\n.\r\n`)
  const refused = await Promise.race([first.answer(), second.answer()])
  expect(refused).toMatch(/^451/)
  release(true)
  const again = await ready(port)
  again.socket.write(`${"z".repeat(3500)}\r\n.\r\n`)
  expect(await again.answer()).toMatch(/^250/)
})

test("one client that holds all it can leaves room for others", async () => {
  const { port, taken } = await started()
  const greedy = [await ready(port), await ready(port), await ready(port)]
  for (const { socket } of greedy) socket.write("x".repeat(3900))
  // Who holds too much is told so only at the end of the message, which never comes.
  const other = await ready(port, "127.0.0.2")
  other.socket.write(`${"y".repeat(3500)}\r\n.\r\n`)
  expect(await other.answer()).toMatch(/^250/)
  expect(taken).toHaveLength(1)
})

test("a message whose lines begin with dots is taken as it is, and not in any number of pieces", async () => {
  const { port, taken } = await started({}, { message_max_bytes: 100_000, held_max_bytes: 1_000_000, pieces_max: 1000 })
  const dots = (lines: number): string => `Subject: x\r\n${"\r\n..".repeat(lines)}\r\n.\r\n`
  const line = await ready(port)
  line.socket.write(dots(500))
  expect(await line.answer()).toMatch(/^250/)
  expect(taken.map(({ raw }) => raw.toString())).toEqual([`Subject: x\r\n${"\r\n.".repeat(500)}\r\n`])
  const greedy = await ready(port)
  greedy.socket.write(dots(5000))
  expect(await greedy.answer()).toMatch(/^554 5\.3\.4/)
  expect(await greedy.answer()).toBe("closed")
  expect(taken).toHaveLength(1)
})

test("what a message takes of the memory counts, and not its bytes alone", async () => {
  const { port } = await started({}, { message_max_bytes: 100_000, held_max_bytes: 100_000, pieces_max: 10_000 })
  const line = await ready(port)
  line.socket.write(`Subject: x\r\n${"\r\n..".repeat(2000)}\r\n.\r\n`)
  expect(await line.answer()).toMatch(/^451/)
})

test("connections of one client and recipients of one message are bounded", async () => {
  const { port } = await started()
  const lines = [await greeted(port), await greeted(port), await greeted(port)]
  expect(await new Line(port).answer()).toMatch(/^421/)
  const [line] = lines
  await line?.say("MAIL FROM:<a@example.com>")
  for (let n = 0; n < BOUNDS.recipients_max; n++) expect(await line?.say(`RCPT TO:<ada${n}@${DOMAIN}>`)).toMatch(/^250/)
  expect(await line?.say(`RCPT TO:<ada9@${DOMAIN}>`)).toMatch(/^452/)
  line?.socket.destroy()
  const next = await waitFor(async () => {
    const one = new Line(port)
    return (await one.answer()).startsWith("220") ? one : null
  })
  expect(await next.say("EHLO x")).toMatch(/^250/)
})

describe("recipients without a mailbox", () => {
  const MOST = 5
  const counting = async (passed: () => bigint = () => 0n) => {
    const clock: Clock.Clock = Object.assign(Object.create(machineClock), {
      [setTimer]: () => () => undefined,
      monotonicTimeNanosUnsafe: passed
    })
    const looked: Array<string> = []
    const recipient = (address: string): Promise<Recipient> => {
      looked.push(address)
      return Promise.resolve(address.startsWith("ada") ? { type: "mailbox", mailbox: 7, address } : { type: "nobody" })
    }
    const bounds = { unknown_recipients_per_client_max: MOST, recipients_max: 50 }
    return { looked, ...(await started({ recipient }, bounds, null, clock)) }
  }

  const begun = async (port: number, from?: string): Promise<Line> => {
    const line = await greeted(port, from)
    expect(await line.say("MAIL FROM:<a@example.com>")).toMatch(/^250/)
    return line
  }

  test("are bounded for one client, over all its connections, and others are not hurt", async () => {
    const { port, looked, taken } = await counting()
    const first = await begun(port)
    for (let n = 1; n < MOST; n++) expect(await first.say(`RCPT TO:<x${n}@${DOMAIN}>`)).toMatch(/^550/)
    const second = await begun(port)
    expect(await second.say(`RCPT TO:<x${MOST}@${DOMAIN}>`)).toMatch(/^550/)
    first.socket.write(Array.from({ length: 20 }, (_, n) => `RCPT TO:<y${n}@${DOMAIN}>\r\n`).join(""))
    expect(await first.answer()).toMatch(/^421 4\.7\.1/)
    expect(await first.answer()).toBe("closed")
    const third = await begun(port)
    expect(await third.say(`RCPT TO:<z@${DOMAIN}>`)).toMatch(/^421 4\.7\.1/)
    expect(looked).toHaveLength(MOST)
    expect(await sends(await ready(port, "127.0.0.2"))).toMatch(/^250/)
    expect(taken).toHaveLength(1)
  })

  test("count alone: a sender with many mailboxes is not stopped", async () => {
    const { port, taken } = await counting()
    const line = await begun(port)
    for (let n = 0; n < 4 * MOST; n++) expect(await line.say(`RCPT TO:<ada${n}@${DOMAIN}>`)).toMatch(/^250/)
    for (let n = 1; n < MOST; n++) expect(await line.say(`RCPT TO:<x${n}@${DOMAIN}>`)).toMatch(/^550/)
    expect(await line.say(`RCPT TO:<ada@${DOMAIN}>`)).toMatch(/^250/)
    expect(await line.say("DATA")).toMatch(/^354/)
    expect(await sends(line)).toMatch(/^250/)
    expect(taken).toHaveLength(1)
  })

  test("are forgotten after a minute", async () => {
    let passed = 0n
    const { port } = await counting(() => passed)
    const line = await begun(port)
    for (let n = 0; n < MOST; n++) expect(await line.say(`RCPT TO:<x${n}@${DOMAIN}>`)).toMatch(/^550/)
    expect(await line.say(`RCPT TO:<ada@${DOMAIN}>`)).toMatch(/^421/)
    passed = 60_000_000_000n
    expect(await sends(await ready(port))).toMatch(/^250/)
  })
})

test("recipients without a mailbox count for an IPv6 /64, and for the /48 around it", () => {
  const bounds = { unknown_recipients_per_client_max: 3, unknown_recipients_per_wide_max: 5 }
  const unknown = new UnknownRecipients(machineClock, bounds)
  const taken = (address: string): boolean => {
    const isOver = unknown.isOver(address)
    if (!isOver) unknown.add(address)
    return !isOver
  }
  const fourOf = (prefix: string) => [1, 2, 3, 4].map((n) => taken(`${prefix}::${n}`))
  expect(fourOf("2001:db8:1:1")).toEqual([true, true, true, false])
  expect(fourOf("2001:db8:1:2")).toEqual([true, true, false, false])
  expect(fourOf("2001:db8:2:1")).toEqual([true, true, true, false])
  expect([1, 2, 3, 4].map(() => taken("::ffff:192.0.2.7"))).toEqual([true, true, true, false])
  expect(taken("192.0.2.7")).toBe(false)
})

/** Sends one message on a line that is ready for it. */
const sends = async (line: Line): Promise<string> => {
  line.socket.write("Subject: x\r\n\r\nx\r\n.\r\n")
  return line.answer()
}

test.each([
  ["of other networks", ["127.1.0.1", "127.2.0.1", "127.3.0.1"]],
  ["of one /24", ["127.1.0.1", "127.1.0.2", "127.1.0.3"]]
])("clients %s that hold all connections lose one to a client that comes", async (_name, addresses) => {
  const { port, taken } = await started({}, { connections_max: 6, connections_per_client_max: 2 })
  const held: Array<Line> = []
  for (const address of [...addresses, ...addresses]) held.push(await greeted(port, address))
  expect(await sends(await ready(port, "127.9.0.1"))).toMatch(/^250/)
  expect(taken).toHaveLength(1)
  // The one that made no progress for the longest time, and no other.
  expect(await held[0]?.answer()).toMatch(/^421 4\.3\.2/)
  for (const line of held.slice(1)) expect(await line.say("NOOP")).toMatch(/^250/)
})

test("clients that all hold one connection lose the idlest one, and one that has its share gets no more", async () => {
  const { port } = await started({}, { connections_max: 3 })
  const first = await greeted(port, "127.1.0.1")
  const second = await greeted(port, "127.2.0.1")
  await greeted(port, "127.3.0.1")
  expect(await first.say("MAIL FROM:<a@example.com>")).toMatch(/^250/)
  const next = await greeted(port, "127.4.0.1")
  expect(await second.answer()).toMatch(/^421 4\.3\.2/)
  expect(await new Line(port, "127.4.0.1").answer()).toMatch(/^421 4\.3\.2/)
  expect(await next.say("NOOP")).toMatch(/^250/)
  expect(await first.say("NOOP")).toMatch(/^250/)
})

/** Its timers never fire. */
const idleClock: TimerClock = Object.assign(Object.create(machineClock), { [setTimer]: () => () => undefined })

test("of connections that lose their place only so many get time to read why", async () => {
  const { port } = await started({}, { connections_max: 1 }, null, idleClock)
  const lines: Array<Line> = []
  for (let n = 0; n <= LEAVING_MAX + 3; n++) lines.push(await greeted(port, `127.${n + 1}.0.1`))
  const said = await Promise.all(lines.slice(0, -1).map((line) => line.answer()))
  expect(said.filter((answer) => answer.startsWith("421 4.3.2"))).toHaveLength(LEAVING_MAX)
  expect(said.filter((answer) => answer === "closed")).toHaveLength(3)
  expect(await lines.at(-1)?.say("NOOP")).toMatch(/^250/)
})

test("a message that came to its end is answered, however many want its place", async () => {
  let release: (taken: boolean) => void = () => undefined
  const held = new Promise<boolean>((resolve) => (release = resolve))
  let delivering = 0
  const deliver = () => {
    delivering++
    return held
  }
  const { port } = await started({ deliver }, { connections_max: 2 })
  const lines = [await ready(port, "127.1.0.1"), await ready(port, "127.2.0.1")]
  const answers = lines.map((line) => sends(line))
  await waitFor(() => (delivering === 2 ? true : null))
  expect(await new Line(port, "127.3.0.1").answer()).toMatch(/^421 4\.3\.2/)
  release(true)
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^250/)
  expect(await new Line(port, "127.3.0.1").answer()).toMatch(/^220/)
})

test("connections that say nothing before their greeting count", async () => {
  const { port } = await started({}, { connections_max: 8, connections_per_client_max: 4 })
  const silent = Array.from({ length: 40 }, () => new Line(port, "127.1.0.1"))
  const other = await greeted(port, "127.2.0.1")
  expect(await other.say("NOOP")).toMatch(/^250/)
  const first = await Promise.all(silent.map((line) => line.answer()))
  expect(first.filter((answer) => answer.startsWith("220"))).toHaveLength(4)
})

test("half a message gives its bytes to a client that holds less", async () => {
  const { port, taken } = await started({}, { held_max_bytes: 20_000 })
  const greedy = []
  for (let n = 1; n <= 5; n++) greedy.push(await ready(port, `127.${n}.0.1`))
  for (const { socket } of greedy) socket.write(`${"x".repeat(3800)}\r\n`)
  const other = await ready(port, "127.9.0.1")
  other.socket.write(`${"y".repeat(3000)}\r\n.\r\n`)
  expect(await other.answer()).toMatch(/^250/)
  expect(taken).toHaveLength(1)
  const ended = await Promise.race(greedy.map((line) => line.answer()))
  expect(ended).toMatch(/^421 4\.3\.2/)
})

test("full, unknown and faulty are told apart, and none loses a message", async () => {
  const answers: Readonly<Record<string, Recipient>> = { full: { type: "full" }, unknown: { type: "unknown" } }
  const { port } = await started({
    recipient: (address) => {
      const [local = ""] = address.split("@")
      return local === "faulty"
        ? Promise.reject(new Error("broken"))
        : Promise.resolve(answers[local] ?? { type: "nobody" })
    }
  })
  const line = await greeted(port)
  await line.say("MAIL FROM:<>")
  expect(await line.say(`RCPT TO:<full@${DOMAIN}>`)).toMatch(/^452/)
  expect(await line.say(`RCPT TO:<unknown@${DOMAIN}>`)).toMatch(/^451/)
  expect(await line.say(`RCPT TO:<faulty@${DOMAIN}>`)).toMatch(/^451/)
  expect(await line.say(`RCPT TO:<nobody@${DOMAIN}>`)).toMatch(/^550/)
})

test("a message that is not taken, and a server without room, keep it with its sender", async () => {
  const refusing = await started({ deliver: () => Promise.resolve(false) })
  const line = await ready(refusing.port)
  line.socket.write("x\r\n.\r\n")
  expect(await line.answer()).toMatch(/^451/)
  const full = await started({ hasRoom: () => Promise.resolve(false) })
  const other = await greeted(full.port)
  expect(await other.say("MAIL FROM:<a@example.com>")).toMatch(/^452/)
  let room = true
  const filling = await started({ hasRoom: () => Promise.resolve(room) })
  const last = await ready(filling.port)
  room = false
  last.socket.write("x\r\n.\r\n")
  expect(await last.answer()).toMatch(/^452/)
})

/** Says something all the while, so that the line is never idle. */
const trickling = (line: Line, what: string): void => {
  const timer = setInterval(() => line.socket.write(what), 10)
  line.socket.on("close", () => clearInterval(timer))
}

test("whoever trickles holds no place for ever: not in a session, and not in a message", async () => {
  const short = await started({}, { session_ms: 500 })
  const talker = new Line(short.port)
  expect(await talker.answer()).toMatch(/^220/)
  trickling(talker, "N")
  expect(await talker.answer()).toMatch(/^421 4\.4\.2 This session/)
  expect(await talker.answer()).toBe("closed")
  const slow = await started({}, { data_ms: 300 })
  const sender = await ready(slow.port)
  trickling(sender, "x")
  expect(await sender.answer()).toMatch(/^421 4\.4\.2 This message/)
  expect(await sender.answer()).toBe("closed")
  expect(slow.taken).toHaveLength(0)
  const next = await ready(slow.port)
  next.socket.write("x\r\n.\r\n")
  expect(await next.answer()).toMatch(/^250/)
})

test("whoever says nothing that brings a message nearer holds no place", async () => {
  const { port, taken } = await started({}, { idle_ms: 400 })
  const line = await greeted(port)
  trickling(line, "NOOP\r\n")
  const words = await waitFor(async () => {
    const answer = await line.answer()
    return answer.startsWith("250") ? null : answer
  })
  expect(words).toMatch(/^421 4\.4\.2 No message/)
  const again = await greeted(port)
  for (let n = 0; n < 3; n++) {
    await again.say("MAIL FROM:<a@example.com>")
    await again.say(`RCPT TO:<ada@${DOMAIN}>`)
    await again.say("DATA")
    again.socket.write("x\r\n.\r\n")
    expect(await again.answer()).toMatch(/^250/)
  }
  expect(taken).toHaveLength(3)
})

test("a session says so much and no more", async () => {
  const { port } = await started({}, { commands_max: 5 })
  const line = await greeted(port)
  for (let n = 0; n < 4; n++) expect(await line.say("NOOP")).toMatch(/^250/)
  expect(await line.say("NOOP")).toMatch(/^421 4\.7\.0/)
  expect(await line.answer()).toBe("closed")
})

test("words of chance, endless lines and a hang-up in the middle leave the server standing", async () => {
  const { port, taken } = await started()
  const odd = await greeted(port)
  for (const text of ["\0\0\0", "HELO", "AUTH PLAIN AGEAYg==", "STARTTLS", "VRFY ada", "EXPN all", "é".repeat(400)])
    expect(await odd.say(text)).toMatch(/^[25]\d\d|^closed/)
  const endless = await greeted(port)
  endless.socket.write("x".repeat(1_000_000))
  const gone = await ready(port)
  gone.socket.write("Subject: half")
  gone.socket.destroy()
  endless.socket.destroy()
  odd.socket.destroy()
  const line = await waitFor(async () => {
    const one = new Line(port)
    return (await one.answer()).startsWith("220") ? one : null
  })
  expect(await line.say("EHLO x")).toMatch(/^250/)
  expect(taken).toHaveLength(0)
})

test("who sends is known, however long the address is", async () => {
  const { port, taken } = await started()
  const line = await greeted(port)
  const sender = `bounces+${"x".repeat(80)}@news.example.com`
  await line.say(`MAIL FROM:<${sender}>`)
  await line.say(`RCPT TO:<ada@${DOMAIN}>`)
  await line.say("DATA")
  line.socket.write("x\r\n.\r\n")
  expect(await line.answer()).toMatch(/^250/)
  expect(taken.map((one) => one.sender)).toEqual([sender])
})

test("one connection may bring several messages, each for its own recipients", async () => {
  const { port, taken } = await started()
  const line = await greeted(port)
  for (const [to, tag] of [
    ["ada", "a"],
    ["ada2", "b"]
  ]) {
    await line.say("MAIL FROM:<a@example.com>")
    expect(await line.say(`RCPT TO:<${to}+${tag}@${DOMAIN}>`)).toMatch(/^250/)
    await line.say("DATA")
    line.socket.write("x\r\n.\r\n")
    expect(await line.answer()).toMatch(/^250/)
  }
  expect(taken.map(({ to }) => to.map(({ address, tags }) => [address, tags]))).toEqual([
    [[`ada@${DOMAIN}`, ["a"]]],
    [[`ada2@${DOMAIN}`, ["b"]]]
  ])
})
