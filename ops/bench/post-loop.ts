/**
 * Baseline for webhooks: a loop of POSTs over persistent connections. Each body is signed like a delivery. It starts
 * when it gets the number of POSTs, and reports their CPU time.
 */
import { createHmac, randomBytes, sign } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { keyPairOfSeed, SEED_BYTES } from "../../schemas/signing/seed.ts"
import { webhookString } from "../../schemas/signing/webhook.ts"

const IN_FLIGHT = 32

interface Order {
  readonly count: number
  readonly port: number
  readonly body: string
  /** The rate of POSTs, or `null` for the highest possible. */
  readonly perSecond: number | null
}

const secret = randomBytes(32)
const { privateKey } = keyPairOfSeed(randomBytes(SEED_BYTES))
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })

const post = ({ port, body }: Order, number: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const id = `ntf_${number}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const text = webhookString({ id, timestamp, body })
    const v1 = createHmac("sha256", secret).update(text).digest("base64")
    const v1a = sign(null, Buffer.from(text), privateKey).toString("base64")
    const signature = `v1,${v1} v1a,${v1a}`
    const outgoing = request({
      agent,
      host: "127.0.0.1",
      port,
      path: "/in",
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(body),
        "user-agent": "bench",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
        "x-hub-event": "webhook.test",
        "x-hub-delivery": String(number)
      }
    })
    outgoing.on("response", (answer) => {
      answer.resume()
      answer.on("end", resolve)
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })

const run = async (order: Order): Promise<void> => {
  let begun = 0
  const began = performance.now()
  const before = process.cpuUsage()
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (begun < order.count) {
        const number = ++begun
        const early = order.perSecond === null ? 0 : (number * 1000) / order.perSecond - (performance.now() - began)
        if (early > 0) await delay(early)
        await post(order, number)
      }
    })
  )
  const { user, system } = process.cpuUsage(before)
  process.send?.({ seconds: (performance.now() - began) / 1000, cpuUs: (user + system) / order.count })
}

process.on("message", (order: Order) => void run(order))
process.on("disconnect", () => process.exit(0))
process.send?.({ ready: true })
