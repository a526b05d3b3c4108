/** Runs the client with nothing of Node's own modules, as Workers and browsers do, and prints what came out. */
import { createClient, generateKey, keyFromSeed, proofOfWork, verifyWebhook } from "../../../edge/sdk/client.ts"
import pow from "../../vectors/proof-of-work.json" with { type: "json" }
import signing from "../../vectors/request-signing.json" with { type: "json" }
import webhook from "../../vectors/webhook-signing.json" with { type: "json" }

Object.defineProperty(process, "getBuiltinModule", { value: undefined })

const key = await keyFromSeed(signing.seed)
const [delivery] = webhook.deliveries
if (delivery === undefined) throw new Error("no delivery among the vectors")
const headers = (signature: string) => ({
  "webhook-id": delivery.id,
  "webhook-timestamp": delivery.timestamp,
  "webhook-signature": signature
})
const now = () => Number(delivery.timestamp) * 1000
const verdict = (signature: string) =>
  verifyWebhook({
    headers: headers(signature),
    body: delivery.body,
    secret: webhook.secret,
    serverPublicKey: webhook.server_public_key,
    now
  }).then(
    ({ type }) => type,
    (error: { readonly code: string }) => error.code
  )
const [proof] = pow.proofs

let sent: Headers | undefined
const hub = createClient({
  hub: "https://hub.example",
  key,
  fetch: async (_url, init) => {
    sent = new Headers(init?.headers)
    return Response.json({ ok: true, data: { unix: 1 } })
  }
})
await hub.get("/time")

console.log(
  JSON.stringify({
    publicKey: key.publicKey,
    hubId: key.hubId,
    signatures: await Promise.all(signing.requests.map((request) => key.sign(request.string_to_sign))),
    webhooks: await Promise.all(
      [`v1,${delivery.v1}`, `v1a,${delivery.v1a}`, `v1,${delivery.v1a} v1a,${delivery.v1}`].map(verdict)
    ),
    nonce: await proofOfWork({ prefix: proof?.prefix ?? "", difficulty: 3 }),
    signedWith: sent?.get("x-hub-key"),
    differ: (await generateKey()).publicKey !== (await generateKey()).publicKey
  })
)
