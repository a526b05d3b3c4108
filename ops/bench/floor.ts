/** Baseline "floor": node:http with one Ed25519 verification for each request, and nothing else. */
import { createServer } from "node:http"
import { verified } from "./signed.ts"

const body = JSON.stringify({ ok: true, data: { filler: "x".repeat(900) } })

const server = createServer((request, response) => {
  const signed = verified(request.method ?? "GET", request.url ?? "/", request.headers, null)
  response.writeHead(signed === null ? 401 : 200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
})

server.listen(Number(process.env["BENCH_PORT"]), "127.0.0.1", () => process.send?.({ ready: true }))
process.on("disconnect", () => process.exit(0))
