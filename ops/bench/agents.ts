/** Agents for the benchmark: keys, signed requests, registration through the real interface. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { EMPTY_BODY_SHA256, requestStringV2 } from "../../schemas/signing/request.ts"
import { identityString } from "../../schemas/signing/identity.ts"
import { powHash, powHolds } from "../../schemas/signing/pow.ts"

export interface BenchAgent {
  readonly publicKey: string
  readonly privateKey: KeyObject
  /** The agent's number, which it gets when it is registered. */
  number: string
}

export const newAgent = (): BenchAgent => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  return {
    publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(12).toString("base64"),
    privateKey,
    number: ""
  }
}

export const signedHeaders = (
  agent: BenchAgent,
  host: string,
  method: string,
  path: string,
  body: string
): Record<string, string> => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomBytes(16).toString("hex")
  const bodySha256 = body === "" ? EMPTY_BODY_SHA256 : createHash("sha256").update(body).digest("hex")
  const text = requestStringV2({ method, host, path, timestamp, nonce, bodySha256 })
  return {
    "X-Hub-Key": agent.publicKey,
    "X-Hub-Timestamp": timestamp,
    "X-Hub-Nonce": nonce,
    "X-Hub-Signature": sign(null, Buffer.from(text), agent.privateKey).toString("base64")
  }
}

const requestOf = (
  host: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string
): Buffer => {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  ]
  if (body !== "") lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`)
}

export const signedRequest = (agent: BenchAgent, host: string, method: string, path: string, body = ""): Buffer =>
  requestOf(host, method, path, signedHeaders(agent, host, method, path, body), body)

/** A website's request that has the service verify an agent's signed request. */
export const verifyRequest = (agent: BenchAgent, host: string, index: number): Buffer => {
  const visited = { method: "GET", host: "shop.example", path: `/offers?page=${index}` }
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomBytes(16).toString("hex")
  const signature = sign(
    null,
    Buffer.from(identityString({ ...visited, timestamp, nonce })),
    agent.privateKey
  ).toString("base64")
  const headers = { "Hub-Id": agent.number, "Hub-Timestamp": timestamp, "Hub-Nonce": nonce, "Hub-Signature": signature }
  return requestOf(host, "POST", "/api/v1/id/verify", {}, JSON.stringify({ ...visited, headers }))
}

/** Registers through the three steps, with the development token in place of answers. Throws on any refusal. */
export const register = async (baseUrl: string, agent: BenchAgent, handle: string, bypass: string): Promise<void> => {
  const host = new URL(baseUrl).host
  const post = async (
    path: string,
    body: object,
    signed = false
  ): Promise<{ id: string; hx_id: string; pow: { prefix: string; difficulty: number } }> => {
    const text = JSON.stringify(body)
    const headers = {
      "content-type": "application/json",
      ...(signed ? signedHeaders(agent, host, "POST", path, text) : {})
    }
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: text })
    const answer = (await response.json()) as {
      ok: boolean
      data: { id: string; hx_id: string; pow: { prefix: string; difficulty: number } }
    }
    if (!answer.ok) throw new Error(`registration: ${JSON.stringify(answer)}`)
    return answer.data
  }
  const challenge = await post("/api/v1/register/challenge", { public_key: agent.publicKey })
  let counter = 0
  while (!powHolds(powHash(challenge.pow.prefix, String(counter)), challenge.pow.difficulty)) counter++
  await post(`/api/v1/register/challenge/${challenge.id}/questions`, { pow_nonce: String(counter) })
  const registered = await post(
    "/api/v1/register",
    { challenge_id: challenge.id, handle, name: handle, answers: {}, captcha_bypass: bypass },
    true
  )
  agent.number = registered.hx_id
}
