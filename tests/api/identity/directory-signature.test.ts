/** The signatures of an agent's key directory, and of the service's own. */
import { sign, verify as edVerify, createPublicKey } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import { AgentClient } from "../../support/client.ts"
import { send } from "../../support/http.ts"
import { newIdentity, type Identity } from "../../support/identity.ts"
import { dataOf, fieldOf, outcome } from "../../support/outcome.ts"
import { unixNow } from "../../support/proof.ts"
import { rotate } from "../../support/rotation.ts"
import { edge, other, openShared, closeShared, type Subject, subject } from "./shared.ts"

beforeAll(() => openShared())
afterAll(closeShared)

const directoryOf = (number: string): string => `${edge}/api/v1/id/${number}/http-message-signatures-directory`

describe("the signature of an agent's key directory", () => {
  const TAG = "http-message-signatures-directory"
  const handedIn = (
    identity: Identity,
    options: {
      readonly tag?: string
      readonly host?: string
      readonly expires?: number
      readonly covered?: string
    } = {}
  ) => {
    const covered = options.covered ?? '"@authority";req'
    const host = options.host ?? new URL(edge).host
    const parameters =
      `(${covered});alg="ed25519";keyid="${jwkOf(identity.publicKey).kid}";` +
      `created=${unixNow()};expires=${options.expires ?? unixNow() + 3600};` +
      `tag="${options.tag ?? TAG}"`
    const base = `${covered}: ${host}\n"@signature-params": ${parameters}`
    return {
      signature: `dir=:${sign(null, Buffer.from(base), identity.privateKey).toString("base64")}:`,
      signature_input: `dir=${parameters}`
    }
  }
  const put = (client: AgentClient, body: object) => client.call("PUT", "/api/v1/me/id/directory-signature", { body })
  const served = (number: string, at = edge) =>
    send({ edge: at, method: "GET", path: `/api/v1/id/${number}/http-message-signatures-directory` })

  test("is served byte for byte, until it is taken away or the key is replaced", async () => {
    const { client, agent } = await subject()
    const given = handedIn(client.identity)
    expect(dataOf(await put(client, given))).toEqual({
      directory_url: directoryOf(agent.hx_id),
      ...given,
      expires_at: expect.any(String)
    })
    const answer = await served(agent.hx_id, other)
    expect([answer.headers.signature, answer.headers["signature-input"]]).toEqual([
      given.signature,
      given.signature_input
    ])
    expect(outcome(await client.call("DELETE", "/api/v1/me/id/directory-signature"))).toBe("200")
    expect((await served(agent.hx_id)).headers.signature).toBeUndefined()
    await put(client, handedIn(client.identity))
    const next = newIdentity()
    await rotate(client, agent.id, next)
    expect((await served(agent.hx_id)).headers.signature).toBeUndefined()
    expect(
      dataOf(
        await new AgentClient({ edge: () => edge, identity: next }).call("GET", "/api/v1/me/id/directory-signature")
      )
    ).toMatchObject({ signature: null, signature_input: null, expires_at: null })
  })

  test.each<readonly [string, (it: Subject) => object, string]>([
    ["by another key", () => handedIn(newIdentity()), "signature_input"],
    ["for another host", ({ client }) => handedIn(client.identity, { host: "evil.example" }), "signature"],
    ["with another tag", ({ client }) => handedIn(client.identity, { tag: "web-bot-auth" }), "signature_input"],
    ["that is over", ({ client }) => handedIn(client.identity, { expires: unixNow() - 1 }), "signature_input"],
    ["that never ends", ({ client }) => handedIn(client.identity, { expires: unixNow() + 10 ** 9 }), "signature_input"],
    [
      "over something unknown",
      ({ client }) => handedIn(client.identity, { covered: '"@authority";req "x-other"' }),
      "signature_input"
    ],
    [
      "with a member beside it",
      ({ client }) => ({
        ...handedIn(client.identity),
        signature_input: `${handedIn(client.identity).signature_input}, other=1`
      }),
      "signature_input"
    ],
    [
      "with a line break",
      ({ client }) => ({ ...handedIn(client.identity), signature: "dir=:AAAA:\r\nSet-Cookie: a=b" }),
      "signature"
    ],
    ["that is empty", () => ({ signature: "", signature_input: "" }), "signature"]
  ])("%s is refused", async (_name, body, field) => {
    const it = await subject()
    const answer = await put(it.client, body(it))
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
    expect((await served(it.agent.hx_id)).headers.signature).toBeUndefined()
  })

  test("the service signs its own directory", async () => {
    const answer = await send({ edge, method: "GET", path: "/.well-known/http-message-signatures-directory" })
    const { keys } = JSON.parse(answer.text) as { keys: ReadonlyArray<{ x: string; kid: string }> }
    const input = String(answer.headers["signature-input"]).replace(/^hub=/, "")
    expect(input).toContain(`keyid="${keys[0]?.kid}"`)
    const base = `"@authority";req: ${new URL(edge).host}\n"@signature-params": ${input}`
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: keys[0]?.x ?? "" }, format: "jwk" })
    const signature = Buffer.from(String(answer.headers.signature).replace(/^hub=:|:$/g, ""), "base64")
    expect(edVerify(null, Buffer.from(base), key, signature)).toBe(true)
  })
})
