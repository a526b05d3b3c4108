/** One push message, at the wire of a push service that never answers. */
import { createECDH, generateKeyPairSync, randomBytes } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { Effect, Fiber } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Poster } from "../../../actors/kit/post.ts"
import { Pusher } from "../../../actors/push/noun.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { readPushSettings } from "../../../schemas/push/settings.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { waitFor } from "../../harness/index.ts"

const sockets = new Set<Socket>()
const silent = createServer((socket) => {
  sockets.add(socket)
  socket.on("error", () => undefined)
  socket.on("close", () => sockets.delete(socket))
  socket.resume()
})
const poster = new Poster({
  clock: machineClock,
  production: false,
  limits: LIMITS.webhook
})
beforeAll(async () => {
  silent.listen(0, "127.0.0.1")
  await once(silent, "listening")
})
afterAll(() => {
  poster.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test("an attempt that is cut short closes its connection", async () => {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { d: privateKey = "" } = own.privateKey.export({ format: "jwk" })
  const read = readPushSettings({ HUB_VAPID_KEY: privateKey })
  const settings = read.ok && read.settings
  if (!settings) throw new Error("The key is none")
  const browser = createECDH("prime256v1")
  browser.generateKeys()
  const pusher = new Pusher({ settings, poster, subject: "mailto:postmaster@hub.example", keptSeconds: 60 })
  const to = {
    endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/p`,
    keys: { p256dh: browser.getPublicKey("base64url"), auth: randomBytes(16).toString("base64url") }
  }
  const message = { title: "x", body: "x", url: "https://hub.example", tag: "x", urgency: "normal" } as const
  const attempt = Effect.runFork(pusher.send(to, message))
  await waitFor(() => Promise.resolve(sockets.size === 1))
  expect(attempt.pollUnsafe()).toBe(undefined)
  await Effect.runPromise(Fiber.interrupt(attempt))
  await waitFor(() => Promise.resolve(sockets.size === 0), { deadlineMs: LIMITS.webhook.timeout_ms / 2 })
})
