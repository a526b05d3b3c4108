/** Web Bot Auth: the same identity by HTTP message signatures (RFC 9421), which this file writes out by itself. */
import { randomBytes, sign } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import type { Verdict } from "../../../schemas/identity/records.ts"
import { operate } from "../../support/hub.ts"
import { newIdentity, type Identity } from "../../support/identity.ts"
import { dataOf } from "../../support/outcome.ts"
import { unixNow, verdictAt } from "../../support/proof.ts"
import { rotate } from "../../support/rotation.ts"
import { service, edge, other, openShared, closeShared, type Subject, subject } from "./shared.ts"

beforeAll(() => openShared())
afterAll(closeShared)

const directoryOf = (number: string): string => `${edge}/api/v1/id/${number}/http-message-signatures-directory`

interface Options {
  readonly agent?: string
  readonly created?: number
  readonly expires?: number
  readonly tag?: string
  readonly alg?: string
  readonly nonce?: string | null
  readonly components?: ReadonlyArray<string>
  readonly older?: boolean
  readonly keyid?: string
}

/** Written out by hand from RFC 9421, so that it owes nothing to the service's own code. */
const signed = (identity: Identity, number: string, options: Options = {}) => {
  const address = options.agent ?? directoryOf(number)
  const agentHeader = options.older === true ? `"${address}"` : `sig1="${address}";type=jwks_uri`
  const agentLine =
    options.older === true
      ? `"signature-agent": ${agentHeader}`
      : `"signature-agent";key="sig1": "${address}";type=jwks_uri`
  const lines: Readonly<Record<string, string>> = {
    authority: '"@authority": shop.example',
    agent: agentLine,
    method: '"@method": GET',
    path: '"@path": /offers',
    query: '"@query": ?page=2',
    target: '"@target-uri": https://shop.example/offers?page=2'
  }
  const chosen = (options.components ?? ["authority", "agent"]).map((name) => lines[name] ?? "")
  const created = options.created ?? unixNow()
  const nonce = options.nonce === null ? "" : `;nonce="${options.nonce ?? randomBytes(64).toString("base64")}"`
  const parameters =
    `(${chosen.map((line) => line.slice(0, line.indexOf(": "))).join(" ")});created=${created};expires=${options.expires ?? created + 60}` +
    `;keyid="${options.keyid ?? jwkOf(identity.publicKey).kid}";alg="${options.alg ?? "ed25519"}"${nonce};` +
    `tag="${options.tag ?? "web-bot-auth"}"`
  const base = [...chosen, `"@signature-params": ${parameters}`].join("\n")
  return {
    method: "GET",
    host: "shop.example",
    path: "/offers?page=2",
    headers: {
      Signature: `sig1=:${sign(null, Buffer.from(base), identity.privateKey).toString("base64")}:`,
      "Signature-Input": `sig1=${parameters}`,
      "Signature-Agent": agentHeader
    }
  }
}

describe("a good proof", () => {
  test.each<readonly [string, Options]>([
    ["as the library's users make it", {}],
    ["in the older form of Signature-Agent", { older: true }],
    ["without a nonce", { nonce: null }],
    ["over more of the request", { components: ["method", "authority", "path", "query", "target", "agent"] }],
    ["over the whole address", { components: ["target", "agent"] }]
  ])("%s is valid once", async (_name, options) => {
    const { client, agent } = await subject()
    const report = signed(client.identity, agent.hx_id, options)
    expect(await verdictAt(edge, report)).toMatchObject({
      valid: true,
      reason: null,
      scheme: "web-bot-auth",
      id: agent.hx_id,
      handle: agent.handle
    })
    expect(await verdictAt(other, report)).toMatchObject({ valid: false, reason: "replayed", scheme: "web-bot-auth" })
  })

  test("is found among signatures of others", async () => {
    const { client, agent } = await subject()
    const { headers, ...report } = signed(client.identity, agent.hx_id)
    const both = {
      Signature: `other=:${Buffer.alloc(64).toString("base64")}:, ${headers.Signature}`,
      "Signature-Input": `other=("@authority");created=1;tag="web-bot-auth", ${headers["Signature-Input"]}`,
      "Signature-Agent": `other="https://elsewhere.example/keys", ${headers["Signature-Agent"]}`
    }
    expect(await verdictAt(edge, { ...report, headers: both })).toMatchObject({ valid: true, id: agent.hx_id })
  })

  test("counts for the website like any other", async () => {
    const { client, agent } = await subject()
    await verdictAt(edge, signed(client.identity, agent.hx_id))
    expect(dataOf(await client.call("GET", "/api/v1/me/id/verifications"))).toMatchObject([
      { host: "shop.example", count: 1 }
    ])
  })
})

describe("a proof that fails", () => {
  test.each<readonly [string, (it: Subject) => unknown, Partial<Verdict>]>([
    [
      "no Signature-Agent",
      ({ client, agent }) => {
        const report = signed(client.identity, agent.hx_id)
        return {
          ...report,
          headers: { Signature: report.headers.Signature, "Signature-Input": report.headers["Signature-Input"] }
        }
      },
      { reason: "headers_incomplete" }
    ],
    [
      "another tag",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { tag: "something-else" }),
      { reason: "headers_incomplete" }
    ],
    [
      "a Signature-Agent that names another signature",
      ({ client, agent }) => {
        const report = signed(client.identity, agent.hx_id)
        return {
          ...report,
          headers: { ...report.headers, "Signature-Agent": report.headers["Signature-Agent"].replace("sig1", "sig2") }
        }
      },
      { reason: "id_malformed" }
    ],
    [
      "headers that are no structured fields",
      ({ client, agent }) => ({
        ...signed(client.identity, agent.hx_id),
        headers: { Signature: "x", "Signature-Input": "((", "Signature-Agent": "y" }
      }),
      { reason: "headers_incomplete" }
    ],
    [
      "another service's directory",
      ({ client, agent }) =>
        signed(client.identity, agent.hx_id, {
          agent: `https://evil.example/api/v1/id/${agent.hx_id}/http-message-signatures-directory`
        }),
      { reason: "id_malformed" }
    ],
    [
      "a directory that is none",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { agent: `${edge}/api/v1/id/${agent.hx_id}` }),
      { reason: "id_malformed" }
    ],
    ["a number that nobody has", ({ client }) => signed(client.identity, "HX-987654"), { reason: "id_unknown" }],
    [
      "a time too long ago",
      ({ client, agent }) =>
        signed(client.identity, agent.hx_id, { created: unixNow() - 305, expires: unixNow() + 60 }),
      { reason: "timestamp_expired" }
    ],
    [
      "an end that is over",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { created: unixNow() - 20, expires: unixNow() - 10 }),
      { reason: "timestamp_expired" }
    ],
    [
      "another website",
      ({ client, agent }) => ({ ...signed(client.identity, agent.hx_id), host: "other.example" }),
      { reason: "bad_signature" }
    ],
    [
      "a signature that does not cover the website",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { components: ["method", "agent"] }),
      { reason: "bad_signature" }
    ],
    [
      "a signature that does not cover Signature-Agent",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { components: ["authority"] }),
      { reason: "bad_signature" }
    ],
    [
      "another algorithm's name",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { alg: "hmac-sha256" }),
      { reason: "bad_signature" }
    ],
    [
      "another key's name",
      ({ client, agent }) => signed(client.identity, agent.hx_id, { keyid: jwkOf(newIdentity().publicKey).kid }),
      { reason: "bad_signature" }
    ],
    ["another key", ({ agent }) => signed(newIdentity(), agent.hx_id), { reason: "bad_signature" }]
  ])("%s", async (_name, report, expected) => {
    expect(await verdictAt(edge, report(await subject()))).toMatchObject({
      valid: false,
      scheme: "web-bot-auth",
      ...expected
    })
  })

  test("by a key that was replaced, and by a suspended agent", async () => {
    const { client, agent } = await subject()
    const next = newIdentity()
    await rotate(client, agent.id, next)
    expect(await verdictAt(edge, signed(client.identity, agent.hx_id))).toMatchObject({ reason: "key_retired" })
    await operate(service.system, ["agent", "suspend", agent.handle])
    expect(await verdictAt(edge, signed(next, agent.hx_id))).toMatchObject({
      reason: "agent_suspended",
      signature_ok: true
    })
  })

  test("hub-id headers come first where both are there", async () => {
    const { client, agent } = await subject()
    const report = signed(client.identity, agent.hx_id)
    expect(await verdictAt(edge, { ...report, headers: { ...report.headers, "Hub-Id": agent.hx_id } })).toMatchObject({
      reason: "headers_incomplete",
      scheme: "hub-id"
    })
  })
})
