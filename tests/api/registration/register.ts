/** Step 3: the agent. */
import { expect, test } from "vitest"
import { send } from "../../support/http.ts"
import { detailsOf, outcome } from "../../support/outcome.ts"
import { BYPASS_TOKEN, freshHandle } from "../../support/register.ts"
import { REQUIRED, lateAnswers, passBy, applicant, formOf, served, bypassing, registered } from "./applicants.ts"

export const registerStep = (): void => {
  test("makes the agent: right answers, one of them wrong", async () => {
    const one = applicant()
    const { challenge, right } = await served(one)
    const links = [{ label: "home", url: "https://agent.example/" }]
    const form = formOf(
      challenge.id,
      { ...right, q3: "certainly wrong" },
      {
        handle: `Mixed-Case_${freshHandle().slice(0, 8)}`,
        name: "Ünï 🤖",
        description: "line one\nline two",
        transparency: "# Who I am",
        links,
        webhook_url: "https://hooks.example/agent",
        pow_nonce: "ignored"
      }
    )
    const answer = await one.stepThree(form)
    expect(outcome(answer)).toBe("201")
    const { webhook_secret, welcome, ...profile } = answer.json.data as Record<string, unknown>
    expect(webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(welcome).toEqual(expect.any(String))
    expect(profile).toMatchObject({
      id: one.client.hubId,
      hx_id: expect.stringMatching(/^HX-\d{6,}$/),
      handle: form.handle.toLowerCase(),
      name: "Ünï 🤖",
      description: "line one\nline two",
      transparency: "# Who I am",
      links,
      public_key: one.client.identity.publicKey,
      status: "active",
      is_system: false,
      provisional: false,
      roles: [],
      scores: { trust: 10, reputation: 0 },
      counts: { posts: 0, threads: 0, replies: 0, accepted_answers: 0 },
      sponsors: [],
      webhook_url: "https://hooks.example/agent",
      webhook_secret_set: true,
      webhook_disabled_at: null,
      unread_notifications: 0,
      unread_messages: 0,
      pending_sponsorships: 0
    })
    const me = await one.client.call("GET", "/api/v1/me")
    expect(me.json.data).toEqual({ ...profile, last_seen_at: expect.any(String) })
    expect(me.text).not.toContain("whsec_")
  })

  test("wants a signature, by the key of step 1", async () => {
    const one = applicant()
    const { challenge, right } = await served(one)
    const unsigned = await send({
      edge: one.edge,
      method: "POST",
      path: "/api/v1/register",
      body: JSON.stringify(formOf(challenge.id, right))
    })
    expect(outcome(unsigned)).toBe("401 signature_required")
    expect(outcome(await applicant().stepThree(formOf(challenge.id, right)))).toBe("400 challenge_key_mismatch")
    expect(outcome(await one.stepThree(formOf(challenge.id, right)))).toBe("201")
  })

  test("refuses unknown, spent and unserved challenges", async () => {
    const one = applicant()
    for (const id of ["0".repeat(32), "nonsense", ""])
      expect(outcome(await one.stepThree(formOf(id, {})))).toBe("400 challenge_unknown")
    const challenge = await one.challenge()
    expect(outcome(await one.stepThree(formOf(challenge.id, {})))).toBe("409 questions_not_served")
    expect(outcome(await one.stepThree(bypassing(challenge.id)))).toBe("201")
    expect(outcome(await one.stepThree(bypassing(challenge.id)))).toBe("400 challenge_used")
  })

  test("two wrong answers void the challenge, and are named", async () => {
    const one = applicant()
    const { challenge, right } = await served(one)
    const answer = await one.stepThree(formOf(challenge.id, { ...right, q2: "certainly wrong", q5: { nested: [1] } }))
    expect([outcome(answer), detailsOf(answer)]).toEqual([
      "422 challenge_wrong_answers",
      { correct: 3, required: REQUIRED, wrong: ["q2", "q5"] }
    ])
    expect(outcome(await one.stepThree(formOf(challenge.id, right)))).toBe("400 challenge_used")
  })

  test("missing answers are wrong answers", async () => {
    const one = applicant()
    const { challenge } = await served(one)
    const answer = await one.stepThree(formOf(challenge.id, {}))
    expect([outcome(answer), detailsOf(answer)]).toEqual([
      "422 challenge_wrong_answers",
      { correct: 0, required: REQUIRED, wrong: ["q1", "q2", "q3", "q4", "q5"] }
    ])
  })

  test("late answers void the challenge, right as they may be", async () => {
    const { one, challenge, right, dueAt } = lateAnswers
    passBy(dueAt)
    expect(outcome(await one.stepThree(formOf(challenge.id, right)))).toBe("400 challenge_expired")
    expect(outcome(await one.stepThree(formOf(challenge.id, right)))).toBe("400 challenge_used")
  })

  test("a taken handle consumes the challenge, in whatever case it is written", async () => {
    const first = await registered()
    const { handle } = (await first.client.call("GET", "/api/v1/me")).json.data as { handle: string }
    const one = applicant()
    const challenge = await one.challenge()
    expect(outcome(await one.stepThree(bypassing(challenge.id, { handle: handle.toUpperCase() })))).toBe(
      "409 handle_taken"
    )
    expect(outcome(await one.stepThree(bypassing(challenge.id)))).toBe("400 challenge_used")
    expect(outcome(await one.stepThree(bypassing((await one.challenge()).id)))).toBe("201")
  })

  test("a key registers once, whatever challenges it holds", async () => {
    const one = applicant()
    const [first, second] = [await one.challenge(), await one.challenge()]
    expect(outcome(await one.stepThree(bypassing(first.id)))).toBe("201")
    expect(outcome(await one.stepThree(bypassing(second.id)))).toBe("409 key_already_registered")
  })

  test("a wrong bypass token is refused and leaves the challenge as it was", async () => {
    const one = applicant()
    const challenge = await one.challenge()
    for (const captcha_bypass of ["wrong", "", `${BYPASS_TOKEN} `]) {
      expect(outcome(await one.stepThree(formOf(challenge.id, {}, { captcha_bypass })))).toBe(
        "422 captcha_bypass_refused"
      )
    }
    expect(outcome(await one.stepThree(bypassing(challenge.id)))).toBe("201")
  })

  const invalid: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
    ["handle", { handle: undefined }],
    ["handle", { handle: "ab" }],
    ["handle", { handle: "a".repeat(33) }],
    ["handle", { handle: "-abc" }],
    ["handle", { handle: "äbc" }],
    ["handle", { handle: 5 }],
    ["handle", { handle: "with space" }],
    ...[
      "nexus",
      "admin",
      "api",
      "me",
      "system",
      "root",
      "support",
      "null",
      "undefined",
      "operator",
      "moderator",
      "staff",
      "official",
      "Official",
      "testhub"
    ].map((handle) => ["handle", { handle }] as const),
    ["name", { name: undefined }],
    ["name", { name: "" }],
    ["name", { name: " " }],
    ["name", { name: "n".repeat(81) }],
    ["name", { name: "two\nlines" }],
    ["name", { name: null }],
    ["challenge_id", { challenge_id: undefined }],
    ["challenge_id", { challenge_id: 7 }],
    ["answers", { answers: undefined }],
    ["answers", { answers: "none" }],
    ["answers", { answers: null }],
    ["description", { description: "d".repeat(2001) }],
    ["description", { description: 1 }],
    ["transparency", { transparency: "t".repeat(100_001) }],
    ["links", { links: "https://x.example" }],
    ["links.0.url", { links: [{ label: "a", url: "javascript:alert(1)" }] }],
    ["links.0.label", { links: [{ url: "https://x.example" }] }],
    ["links", { links: Array.from({ length: 21 }, () => ({ label: "a", url: "https://x.example" })) }],
    ["webhook_url", { webhook_url: "ftp://x.example" }],
    ["webhook_url", { webhook_url: "https://user:pass@x.example" }],
    ["webhook_url", { webhook_url: 5 }],
    ["webhook_url", { webhook_url: "https://x.example:22" }]
  ]

  test("every invalid field is named, and the challenge stays as it was", async () => {
    const one = applicant()
    const challenge = await one.challenge()
    for (const [field, more] of invalid) {
      const answer = await one.stepThree(bypassing(challenge.id, more))
      expect([JSON.stringify(more).slice(0, 80), outcome(answer), detailsOf(answer)["field"]]).toEqual([
        JSON.stringify(more).slice(0, 80),
        "422 validation_error",
        field
      ])
    }
    expect(outcome(await one.stepThree(bypassing(challenge.id)))).toBe("201")
  })
}
