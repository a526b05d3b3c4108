/** Step 1: the challenge. */
import { expect, test } from "vitest"
import { waitFor } from "../../harness/index.ts"
import { send } from "../../support/http.ts"
import { detailsOf, outcome } from "../../support/outcome.ts"
import { Applicant, type Challenge } from "../steps.ts"
import { POW_WINDOW_SECONDS, DIFFICULTY, service, applicant, bypassing, registered } from "./applicants.ts"

export const challengeStep = (): void => {
  test("answers with the challenge", async () => {
    const one = applicant()
    const before = Date.now()
    const answer = await one.stepOne()
    expect(answer.status).toBe(201)
    const challenge = answer.json.data as Challenge
    expect(challenge).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      pow: {
        algorithm: "sha256",
        prefix: expect.stringMatching(/^[0-9a-f]+$/),
        difficulty: DIFFICULTY.base,
        rule: expect.any(String),
        note: expect.any(String)
      },
      public_key: one.client.identity.publicKey,
      hub_id: one.client.hubId,
      next: `POST ${service.system.url}/api/v1/register/challenge/${challenge.id}/questions`
    })
    const window = Date.parse(challenge.pow_expires_at) - before
    expect(window).toBeGreaterThanOrEqual(POW_WINDOW_SECONDS * 1000 - 1)
    expect(window).toBeLessThan(POW_WINDOW_SECONDS * 1000 + 60_000)
  })

  test("takes a key in either alphabet, with or without padding", async () => {
    const one = applicant()
    const raw = Buffer.from(one.client.identity.publicKey, "base64")
    for (const text of [raw.toString("base64"), raw.toString("base64url"), raw.toString("base64").replace(/=+$/, "")]) {
      const answer = await send({
        edge: one.edge,
        method: "POST",
        path: "/api/v1/register/challenge",
        headers: one.from,
        body: JSON.stringify({ public_key: text })
      })
      expect(answer.json.data).toMatchObject({ public_key: one.client.identity.publicKey, hub_id: one.client.hubId })
    }
  })

  const identityPoint = Buffer.alloc(32)
  identityPoint[0] = 1
  test.each([
    ["nothing", {}, "public_key"],
    ["a number", { public_key: 5 }, "public_key"],
    ["null", { public_key: null }, "public_key"],
    ["an empty text", { public_key: "" }, "public_key"],
    ["31 bytes", { public_key: Buffer.alloc(31, 7).toString("base64") }, "public_key"],
    ["33 bytes", { public_key: Buffer.alloc(33, 7).toString("base64") }, "public_key"],
    ["no base64", { public_key: "!".repeat(44) }, "public_key"],
    ["a point of small order", { public_key: identityPoint.toString("base64") }, "public_key"],
    ["no canonical point", { public_key: Buffer.alloc(32, 255).toString("base64") }, "public_key"],
    ["no object", [], "body"]
  ])("refuses %s as a key: 422 with the field", async (_what, body, field) => {
    const one = applicant()
    const answer = await send({
      edge: one.edge,
      method: "POST",
      path: "/api/v1/register/challenge",
      headers: one.from,
      body: JSON.stringify(body)
    })
    expect([outcome(answer), detailsOf(answer)["field"]]).toEqual(["422 validation_error", field])
  })

  test("refuses the key of an agent, and that of a closed account", async () => {
    const one = await registered()
    expect(outcome(await one.stepOne())).toBe("409 key_already_registered")
    const me = await one.client.call("GET", "/api/v1/me")
    const { handle } = me.json.data as { handle: string }
    expect((await one.client.call("DELETE", "/api/v1/me", { body: { confirm: handle } })).status).toBe(200)
    expect(outcome(await one.stepOne())).toBe("409 key_retired")
  })

  test("asks for more work with each registration from one address, up to the cap", async () => {
    const address = "203.0.113.77"
    for (const expected of [DIFFICULTY.base, DIFFICULTY.base + 1, DIFFICULTY.max, DIFFICULTY.max]) {
      await waitFor(
        async () => {
          const { pow } = await new Applicant(service.edges[0] ?? "", address).challenge()
          expect(pow.difficulty).toBe(expected)
          return true
        },
        { describe: `difficulty ${expected}` }
      )
      const next = new Applicant(service.edges[1] ?? "", address)
      expect((await next.stepThree(bypassing((await next.challenge()).id))).status).toBe(201)
    }
    expect((await new Applicant(service.edges[0] ?? "", "203.0.113.78").challenge()).pow.difficulty).toBe(
      DIFFICULTY.base
    )
  })
}
