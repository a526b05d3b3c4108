/** Registration to the letter of spec 2.7, 3.3 and 4.3: what is answered, and every way to be refused. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { BYPASS_TOKEN, freshHandle } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { answersOf, Applicant, type Challenge, failToSolve } from "./steps.ts"

/** Time enough on a slow machine. What is to be too late is begun before everything else, so that few wait for it. */
const POW_WINDOW_SECONDS = 20
const ANSWER_TTL_SECONDS = 20
const DIFFICULTY = { base: 1, max: 3 }
const REQUIRED = 4

let service: TestService
let addresses = 0
let lateProof: { readonly one: Applicant; readonly challenge: Challenge }
let lateAnswers: Served & { readonly one: Applicant }

beforeAll(async () => {
  service = await testService({
    edges: 2,
    env: { HUB_TRUST_PROXY: "1", HUB_NAME: "Testhub" },
    limits: {
      "registration.pow_window_seconds": POW_WINDOW_SECONDS,
      "registration.answer_ttl_seconds": ANSWER_TTL_SECONDS,
      "registration.pow_difficulty.base": DIFFICULTY.base,
      "registration.pow_difficulty.max": DIFFICULTY.max
    }
  })
  const [prover, answerer] = [applicant(), applicant()]
  lateProof = { one: prover, challenge: await prover.challenge() }
  lateAnswers = { one: answerer, ...(await served(answerer)) }
})
afterAll(() => service?.stop())

/** Each from an address of its own, so that none raises another's difficulty. */
const applicant = (): Applicant => {
  addresses += 1
  return new Applicant(service.edges[addresses % 2] ?? "", `198.51.100.${addresses}`)
}

const formOf = (
  challenge: string,
  answers: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {}
) => ({
  challenge_id: challenge,
  handle: freshHandle(),
  name: "A new agent",
  answers,
  ...more
})

interface Served {
  readonly challenge: Challenge
  readonly right: Readonly<Record<string, string>>
  readonly dueAt: number
}

/** Up to the questions, with the right answers at hand. */
async function served(one: Applicant): Promise<Served> {
  const challenge = await one.challenge()
  const questions = await one.serve(challenge)
  return { challenge, right: await answersOf(service.view, challenge.id), dueAt: Date.parse(questions.expires_at) }
}

const bypassing = (challenge: string, more: Readonly<Record<string, unknown>> = {}) =>
  formOf(challenge, {}, { captcha_bypass: BYPASS_TOKEN, ...more })

async function registered(): Promise<Applicant> {
  const one = applicant()
  const answer = await one.stepThree(bypassing((await one.challenge()).id))
  expect(outcome(answer)).toBe("201")
  return one
}

describe("step 1", () => {
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
})

describe("step 2", () => {
  test("serves five questions once, and never an answer", async () => {
    const one = applicant()
    const challenge = await one.challenge()
    const before = Date.now()
    const questions = await one.serve(challenge)
    expect(questions).toMatchObject({
      id: challenge.id,
      ttl_seconds: ANSWER_TTL_SECONDS,
      rules: {
        questions: 5,
        required_correct: REQUIRED,
        ttl_seconds: ANSWER_TTL_SECONDS,
        answer_format: expect.any(String),
        note: expect.any(String)
      }
    })
    expect(questions.questions.map((question) => Object.keys(question).toSorted())).toEqual(
      Array.from({ length: 5 }, () => ["id", "prompt"])
    )
    const kept = (await logOf(service.view, "challenge", challenge.id)).flatMap(
      ({ commit }) => commit.events
    ) as ReadonlyArray<{ readonly questions?: ReadonlyArray<{ readonly answer: string }> }>
    expect(kept.flatMap((event) => (event.questions ?? []).map(({ answer }) => answer.startsWith("sealed1.")))).toEqual(
      [true, true, true, true, true]
    )
    expect(questions.questions.map(({ id }) => id)).toEqual(["q1", "q2", "q3", "q4", "q5"])
    expect(Date.parse(questions.expires_at) - before).toBeGreaterThanOrEqual(ANSWER_TTL_SECONDS * 1000 - 1)
    expect(outcome(await one.stepTwo(challenge.id, { pow_nonce: "again" }))).toBe("409 questions_already_served")
  })

  test("refuses a challenge that never was, whatever its shape", async () => {
    const one = applicant()
    for (const id of ["0".repeat(32), "abc", "0".repeat(200), "%2e%2e", "A".repeat(32)]) {
      expect(outcome(await one.stepTwo(id, { pow_nonce: "1" }))).toBe("400 challenge_unknown")
    }
  })

  test("refuses a missing, malformed or wrong proof; the challenge stays open", async () => {
    const one = applicant()
    const challenge = await one.challenge()
    for (const body of [{}, { pow_nonce: null }, { pow_nonce: "" }])
      expect(outcome(await one.stepTwo(challenge.id, body))).toBe("422 pow_missing")
    for (const pow_nonce of [5, ["1"], "ä", "with space", "x".repeat(129)]) {
      const answer = await one.stepTwo(challenge.id, { pow_nonce })
      expect([outcome(answer), detailsOf(answer)["field"]]).toEqual(["422 validation_error", "pow_nonce"])
    }
    const wrong = await one.stepTwo(challenge.id, { pow_nonce: failToSolve(challenge.pow.prefix) })
    expect([outcome(wrong), detailsOf(wrong)]).toEqual([
      "422 pow_invalid",
      { hash: expect.stringMatching(/^[1-9a-f][0-9a-f]{63}$/), difficulty: DIFFICULTY.base }
    ])
    expect((await one.serve(challenge)).questions).toHaveLength(5)
  })

  test("refuses a challenge that is spent, and one that is too old", async () => {
    const { one: late, challenge: old } = lateProof
    const one = applicant()
    const challenge = await one.challenge()
    await one.stepThree(bypassing(challenge.id))
    expect(outcome(await one.stepTwo(challenge.id, { pow_nonce: "1" }))).toBe("400 challenge_used")
    await waitFor(() => Date.now() > Date.parse(old.pow_expires_at) + 20, { describe: "the end of the proof's window" })
    expect(outcome(await late.stepTwo(old.id, { pow_nonce: "1" }))).toBe("400 challenge_expired")
    expect(outcome(await late.stepThree(formOf(old.id, {})))).toBe("400 challenge_expired")
  })
})

describe("step 3", () => {
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
    await waitFor(() => Date.now() > dueAt + 20, { describe: "the end of the answers' time" })
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
})
