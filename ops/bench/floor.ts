/** Baseline "floor": bare node:http with one Ed25519 verification a request, and nothing else. */
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { createServer } from "node:http"
import { EMPTY_BODY_SHA256, requestStringV2 } from "../../schemas/signing/request.ts"

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")
const keys = new Map<string, KeyObject>()

const keyOf = (text: string): KeyObject => {
  const known = keys.get(text)
  if (known !== undefined) return known
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, Buffer.from(text, "base64")]), format: "der", type: "spki" })
  keys.set(text, key)
  return key
}

const body = JSON.stringify({ ok: true, data: { filler: "x".repeat(900) } })

const server = createServer((request, response) => {
  const { headers } = request
  const text = requestStringV2({
    method: request.method ?? "GET",
    host: headers.host ?? "",
    path: request.url ?? "/",
    timestamp: String(headers["x-hub-timestamp"]),
    nonce: String(headers["x-hub-nonce"]),
    bodySha256: EMPTY_BODY_SHA256
  })
  const good = verify(null, Buffer.from(text), keyOf(String(headers["x-hub-key"])), Buffer.from(String(headers["x-hub-signature"]), "base64"))
  response.writeHead(good ? 200 : 401, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
  response.end(body)
})

server.listen(Number(process.env["BENCH_PORT"]), "127.0.0.1", () => process.send?.({ ready: true }))
process.on("disconnect", () => process.exit(0))
