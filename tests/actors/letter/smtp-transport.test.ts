/** Letters by SMTP, against a real server: what each of its answers, silences and ends comes to. */
import { createServer, type Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { type Clock, Deferred, Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Transport } from "../../../actors/kit/mailing/transport.ts"
import { smtpTransport } from "../../../actors/kit/mailing/smtp-transport.ts"
import type { MailServer } from "../../../schemas/letter/settings.ts"
import { selfSigned } from "../../fanout/certificate.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { standingClock, onClock, waitFor } from "../../harness/index.ts"
import { type Behaviour, mailServer, type MailServerControl, refusal } from "../../support/mail-server.ts"
import { openScope } from "../../support/scope.ts"
import { message, sending, TO } from "./letters.ts"

const TIMEOUT_MS = 60_000
const IDLE_MS = 10_000

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const started = async (behaviour: Behaviour = {}): Promise<MailServerControl> => {
  const server = await mailServer(behaviour)
  ends.push(server.stop)
  return server
}

const to = async (
  port: number,
  more: Partial<MailServer> = {},
  clock: Clock.Clock = machineClock
): Promise<Transport> => {
  const scope = openScope()
  ends.push(scope.close)
  const server: MailServer = { host: "127.0.0.1", port, tls: "offered", login: null, ...more }
  const settings = { letter_timeout_ms: TIMEOUT_MS, letters_at_once: 4, idle_ms: IDLE_MS, name: "hub.example" }
  const transport = await scope.make(onClock(clock)(smtpTransport(server, settings)))
  return { ...transport, send: (letter, hurry) => onClock(clock)(transport.send(letter, hurry)) }
}

/** A server of a few lines, for what a real one never does. `says`: to each line; `null`: silence. */
const talking = async (says: (line: string, socket: Socket) => string | null): Promise<number> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.write("220 here\r\n")
    let rest = ""
    socket.on("data", (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\r\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const answer = says(line, socket)
        if (answer !== null) socket.write(`${answer}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const polite = (line: string): string | null => {
  if (line.startsWith("EHLO")) return "250 here"
  if (line === "DATA") return "354 go on"
  return /^(MAIL|RCPT|RSET|NOOP)/.test(line) ? "250 fine" : null
}

test("it is taken once, whole, from whom and to whom it says", async () => {
  const server = await started()
  const letter = await message()
  const outcome = await sending(await to(server.port), letter)
  expect(outcome).toEqual({ type: "sent", message_id: `${letter.id}@hub.example` })
  expect(server.taken).toMatchObject([{ from: "no-reply@hub.example", to: [TO], secure: false }])
  expect(server.taken[0]?.text).toBe(Buffer.from(letter.bytes).toString("latin1"))
})

test("one connection is kept for the next letter, and no longer than for a moment", async () => {
  let closed = 0
  const server = await started({ options: { onClose: () => void closed++ } })
  const clock = standingClock()
  const transport = await to(server.port, {}, clock)
  for (let turn = 0; turn < 3; turn++) await sending(transport, await message())
  expect([server.taken.length, server.connections()]).toEqual([3, 1])
  clock.move(IDLE_MS)
  await waitFor(() => closed === 1)
  await sending(transport, await message())
  expect(server.connections()).toBe(2)
})

test("a connection that was kept and is gone says nothing of the server", async () => {
  const open = new Set<Socket>()
  let mails = 0
  let bodies = 0
  const port = await talking((line, socket) => {
    open.add(socket)
    if (line.startsWith("MAIL") && ++mails === 2) {
      socket.destroy()
      return null
    }
    if (line === ".") bodies++
    return line === "." ? "250 taken" : polite(line)
  })
  const transport = await to(port)
  expect(await sending(transport, await message())).toMatchObject({ type: "sent" })
  expect(await sending(transport, await message())).toMatchObject({ type: "sent" })
  expect([open.size, mails, bodies]).toEqual([2, 3, 2])
})

test.each([
  ["a connection, for now", { onConnect: (_s, done) => done(refusal(421)) }, "passing"],
  ["a connection, for good", { onConnect: (_s, done) => done(refusal(554)) }, "passing"],
  ["the sender, for good", { onMailFrom: (_a, _s, done) => done(refusal(550)) }, "final"],
  ["the recipient, for now", { onRcptTo: (_a, _s, done) => done(refusal(451)) }, "passing"],
  ["the recipient, for good", { onRcptTo: (_a, _s, done) => done(refusal(550, `${TO} is unknown`)) }, "final"],
  ["the message, for now", { data: () => refusal(452) }, "passing"],
  ["the message, for good", { data: () => refusal(554, `${TO} will not have it`) }, "final"]
] satisfies ReadonlyArray<readonly [string, Behaviour, string]>)(
  "a server that refuses %s",
  async (_, behaviour, type) => {
    const server = await started(behaviour)
    const outcome = await sending(await to(server.port), await message())
    expect(outcome).toMatchObject({ type, reason: expect.stringMatching(/\(\d{3}\)$/) })
    // Its own words may be anybody's.
    expect(JSON.stringify(outcome)).not.toMatch(/ada|unknown|will not/)
    expect(server.taken).toEqual([])
  }
)

test("after a refusal the next letter goes its way", async () => {
  const server = await started({ data: (nth) => (nth === 1 ? refusal(554) : null) })
  const transport = await to(server.port)
  expect(await sending(transport, await message())).toMatchObject({ type: "final" })
  expect(await sending(transport, await message())).toMatchObject({ type: "sent" })
})

test("nobody listens", async () => {
  const server = await mailServer()
  await server.stop()
  expect(await sending(await to(server.port), await message())).toEqual({ type: "passing", reason: "no connection" })
})

test.each([
  ["nothing at all", "EHLO", "passing"],
  ["nothing to a recipient", "RCPT", "passing"],
  ["nothing to DATA", "DATA", "passing"],
  ["nothing to the message", ".", "unknown"]
])("a server that says %s is waited for in time", async (_, silent, type) => {
  let reached = false
  const port = await talking((line) => {
    if (!line.startsWith(silent)) return polite(line)
    reached = true
    return null
  })
  const clock = standingClock()
  const outcome = sending(await to(port, {}, clock), await message())
  await waitFor(() => reached)
  expect(clock.waits()).toEqual([TIMEOUT_MS])
  clock.move(TIMEOUT_MS)
  expect(await outcome).toEqual({ type, reason: "timeout" })
})

test("a server that drips is not waited for any longer", async () => {
  let drips = 0
  const port = await talking((_line, socket) => {
    const drip = setInterval(() => {
      drips++
      socket.write("250-")
    }, 50)
    socket.once("close", () => clearInterval(drip))
    return null
  })
  const clock = standingClock()
  const outcome = sending(await to(port, {}, clock), await message())
  await waitFor(() => drips > 3)
  clock.move(TIMEOUT_MS)
  expect(await outcome).toEqual({ type: "passing", reason: "timeout" })
})

test.each([
  ["before DATA", "DATA", "passing"],
  ["with all of the message, before its answer", ".", "unknown"]
])("a connection that breaks %s", async (_, last, type) => {
  const port = await talking((line, socket) => {
    if (line !== last) return polite(line)
    socket.destroy()
    return null
  })
  expect(await sending(await to(port), await message())).toMatchObject({ type })
})

test("what was given up before the message began is never sent, whatever the server says then", async () => {
  const lines: Array<string> = []
  let goOn: (() => void) | undefined
  let closed = false
  const clock = standingClock()
  const port = await talking((line, socket) => {
    lines.push(line)
    if (line !== "DATA") return polite(line)
    goOn = () => socket.write("354 go on\r\n")
    socket.once("close", () => (closed = true))
    return null
  })
  const outcome = sending(await to(port, {}, clock), await message())
  await waitFor(() => goOn !== undefined)
  clock.move(TIMEOUT_MS)
  expect(await outcome).toMatchObject({ type: "passing" })
  goOn?.()
  await waitFor(() => closed)
  expect(lines.at(-1)).toBe("DATA")
})

test.each([
  ["RCPT", "passing"],
  [".", "unknown"]
])("a node that ends does not wait for an answer to %s, and knows what it knows", async (silent, type) => {
  const ending = Effect.runSync(Deferred.make<void>())
  const port = await talking((line) => {
    if (!line.startsWith(silent)) return polite(line)
    Effect.runSync(Deferred.succeed(ending, undefined))
    return null
  })
  expect(await sending(await to(port), await message(), Deferred.await(ending))).toEqual({
    type,
    reason: "it was cut short"
  })
})

const SECRET = "correct-horse-battery"
const LOGIN = { user: "hub", password: SECRET }
const secured = (name: string): Behaviour => ({
  options: { ...selfSigned(name), disabledCommands: [] },
  onAuth: ({ username = "", password }, _session, done) =>
    password === SECRET ? done(null, { user: username }) : done(refusal(535, `not ${password}`))
})

test("TLS that cannot be trusted is a fault, and nothing goes without it", async () => {
  const server = await started(secured("localhost"))
  for (const tls of ["starttls", "offered"] as const) {
    const outcome = await sending(await to(server.port, { host: "localhost", tls, login: LOGIN }), await message())
    expect(outcome).toEqual({ type: "passing", reason: "TLS failed" })
  }
  expect(server.taken).toEqual([])
})

test("a server without STARTTLS gets nothing where TLS is asked for", async () => {
  const server = await started()
  expect(await sending(await to(server.port, { tls: "starttls" }), await message())).toMatchObject({ type: "passing" })
  expect(server.taken).toEqual([])
})

test("with a certificate that is trusted it is sent, by either way, as who logged in", async () => {
  const before = getCACertificates("default")
  const { key, cert } = selfSigned("localhost")
  ends.push(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, cert])
  const later = await started({ ...secured("localhost"), options: { key, cert, disabledCommands: [] } })
  const atOnce = await started({ ...secured("localhost"), options: { key, cert, secure: true } })
  for (const [server, tls] of [
    [later, "starttls"],
    [atOnce, "implicit"]
  ] as const) {
    const outcome = await sending(await to(server.port, { host: "localhost", tls, login: LOGIN }), await message())
    expect(outcome).toMatchObject({ type: "sent" })
    expect(server.taken).toMatchObject([{ secure: true, user: "hub" }])
  }
  const wrong = { user: "hub", password: "planted-wrong-password" }
  const outcome = await sending(
    await to(later.port, { host: "localhost", tls: "starttls", login: wrong }),
    await message()
  )
  expect(outcome).toEqual({ type: "passing", reason: "the mail server refused the login (535)" })
})
