/** Threads that read and judge: what one message takes is taken from no other (contract 20). */
import { generateKeyPairSync } from "node:crypto"
import { Effect, Scope } from "effect"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { afterEach, expect, test, vi } from "vitest"
import type { Lookup } from "../../../actors/mail/dns.ts"
import type { Judging } from "../../../actors/mail/parse/readers.ts"
import { clientOf, openReaders, type ReaderBounds } from "../../../actors/mail/parse/readers.ts"
import { type Job, Thread } from "../../../actors/mail/parse/thread.ts"
import type { Result } from "../../../actors/mail/parse/protocol.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { waitFor } from "../../harness/index.ts"
import { message } from "../../support/mail.ts"

const BOUNDS: ReaderBounds = { ...LIMITS.limits.email, ...LIMITS.service.mail, threads: 1 }
const ORIGIN = { ip: "192.0.2.7", helo: "mx.good.example", sender: "a@good.example" }
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const KEY = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")

const ZONE: Readonly<Record<string, string>> = {
  "good.example": `v=spf1 ip4:${ORIGIN.ip} -all`,
  "_dmarc.good.example": "v=DMARC1; p=reject",
  "s1._domainkey.good.example": `v=DKIM1; k=ed25519; p=${KEY}`
}

const answered: Lookup = (name) => {
  const text = ZONE[name]
  return text === undefined
    ? Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
    : Promise.resolve([[text]])
}

const signed = async (): Promise<Buffer> => {
  const raw = message({ from: "a@good.example", to: "ada@mail.hub.example" })
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  const key = { signingDomain: "good.example", selector: "s1", privateKey: pem }
  const { signatures } = await dkimSign(raw, {
    canonicalization: "relaxed/relaxed",
    algorithm: "ed25519-sha256",
    signTime: new Date(),
    ...key,
    signatureData: [key]
  })
  return Buffer.from(signatures + raw)
}

/** A body without line breaks, hashed in each way that is judged: many seconds of a thread. */
const HOSTILE = Buffer.from(
  `${["simple/simple", "relaxed/relaxed"].map((c) => `DKIM-Signature: v=1; a=rsa-sha256; c=${c}; d=x.example; s=s; h=from; bh=AA; b=AA\r\n`).join("")}From: a@x.example\r\n\r\n${"x".repeat(10_000_000)}`
)
const BRIEF: ReaderBounds = { ...BOUNDS, thread_cpu_ms: 400 }

let scope: Scope.Closeable | null = null
afterEach(async () => {
  if (scope !== null) await Effect.runPromise(Scope.close(scope, Effect.exit(Effect.void) as never))
  scope = null
})

const opened = async (judging: Judging | null, bounds: ReaderBounds = BOUNDS) => {
  scope = Scope.makeUnsafe()
  const readers = await Effect.runPromise(Scope.provide(openReaders(bounds, judging), scope))
  return {
    parse: (raw: Buffer, ip = ORIGIN.ip) => Effect.runPromise(readers.parse(raw, clientOf(ip))),
    judge: (raw: Buffer, ip = ORIGIN.ip) => Effect.runPromise(readers.judge(raw, { ...ORIGIN, ip }))
  }
}

const PASSED = { verdicts: { spf: "PASS", dkim: "PASS", dmarc: "PASS" }, author: "good.example" }
const GRAY = { verdicts: { spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" }, author: null }

test("a thread judges by what the process asks DNS", async () => {
  const { judge } = await opened({ mta: "mail.hub.example", lookup: answered })
  expect(await judge(await signed())).toMatchObject(PASSED)
})

test("while one waits for DNS its thread reads and judges others", async () => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  let held = true
  const lookup: Lookup = async (name, type) => {
    const wasHeld = held
    held = false
    if (wasHeld) await released
    return answered(name, type)
  }
  const { judge, parse } = await opened({ mta: "mail.hub.example", lookup })
  const first = judge(await signed())
  await waitFor(async () => !held)
  expect((await parse(Buffer.from("Subject: other\r\n\r\nx"))).subject).toBe("other")
  expect(await judge(await signed())).toMatchObject(PASSED)
  release()
  expect(await first).toMatchObject(PASSED)
})

test("a judgement that takes too long is GRAY, and takes no verdict from whoever waits beside it", async () => {
  let asked = 0
  // The very first question is never answered: who asked it begins anew.
  const lookup: Lookup = (name, type) => (++asked === 1 ? new Promise(() => undefined) : answered(name, type))
  const { judge, parse } = await opened({ mta: "mail.hub.example", lookup }, { ...BRIEF, verdict_ms: 600_000 })
  const beside = judge(await signed())
  await waitFor(async () => asked === 1)
  const behind = [judge(HOSTILE), parse(Buffer.from("Subject: next\r\n\r\nx"))]
  expect(await Promise.all(behind)).toMatchObject([GRAY, { subject: "next" }])
  expect(await beside).toMatchObject(PASSED)
})

test("a message loses no verdict by others that end its thread, however many", async () => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  let asked = 0
  const lookup: Lookup = async (name, type) => {
    asked++
    await released
    return answered(name, type)
  }
  const { judge } = await opened({ mta: "mail.hub.example", lookup }, { ...BRIEF, verdict_ms: 600_000 })
  const beside = judge(await signed())
  await waitFor(async () => asked > 0)
  for (let ended = 0; ended < 7; ended++) expect(await judge(HOSTILE, "198.51.100.1")).toMatchObject(GRAY)
  release()
  expect(await beside).toMatchObject(PASSED)
})

test("a client whose messages take much leaves a thread to the others", async () => {
  const bounds = { ...BRIEF, threads: 2, thread_cpu_ms: 600 }
  const { judge } = await opened({ mta: "mail.hub.example", lookup: answered }, bounds)
  let ended = 0
  const many = Array.from({ length: 40 }, () => judge(HOSTILE, "198.51.100.1").finally(() => ended++))
  await waitFor(async () => ended >= 4)
  for (let n = 0; n < 5; n++) expect(await judge(await signed())).toMatchObject(PASSED)
  // In the order of their coming it would be the last.
  expect(ended).toBeLessThan(many.length)
})

test("of a full queue a network with many messages gives way to others", async () => {
  const bounds = { ...BRIEF, threads_waiting_max: 8 }
  const { judge } = await opened({ mta: "mail.hub.example", lookup: answered }, bounds)
  const refused: Array<string> = []
  const sent = (raw: Buffer, ip: string) => judge(raw, ip).catch(() => void refused.push(ip))
  // Addresses of two networks, none of which has more than one message.
  const crowd = Array.from({ length: 20 }, (_, n) => sent(HOSTILE, `198.${51 + (n % 2)}.100.${n}`))
  await waitFor(() => refused.length === 11, { describe: "a full queue" })
  const raw = await signed()
  const honest = await Promise.all([sent(raw, ORIGIN.ip), sent(raw, ORIGIN.ip)])
  expect(honest).toMatchObject([PASSED, PASSED])
  await Promise.all(crowd)
  expect(refused.filter((ip) => ip !== ORIGIN.ip)).toHaveLength(13)
})

test("one that has spent its thread's own time is given up at once", async () => {
  const again = vi.fn<(job: Job) => void>()
  const thread = new Thread(BRIEF, "mail.hub.example", { next: () => undefined, again })
  const result = await new Promise<Result | null>((done) => {
    const work = { type: "judge", raw: HOSTILE, origin: ORIGIN } as const
    const own = { client: ORIGIN.ip, network: "", spent: () => undefined, refused: () => undefined, tries: 0 }
    thread.take({ ...own, work, lookup: () => answered, done })
  })
  await thread.close()
  expect(result).toBeNull()
  expect(again).not.toHaveBeenCalled()
})
