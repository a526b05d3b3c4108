/** The figures of the specification's section 8, and laying others over them by HUB_LIMITS. */
import { describe, expect, it } from "vitest"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { overrideLimits } from "../../schemas/limits-override.ts"
import { textOf, trackedFiles } from "./tracked.ts"

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** Section 8, "Rate limits": bucket, requests, window in seconds. */
const RATE_LIMITS: ReadonlyArray<readonly [string, number, number]> = [
  ["ip", 600, MINUTE],
  ["key", 300, MINUTE],
  ["anon", 60, MINUTE],
  ["web", 180, MINUTE],
  ["agent", 240, MINUTE],
  ["write", 30, MINUTE],
  ["vote", 60, MINUTE],
  ["message", 30, MINUTE],
  ["register", 10, HOUR],
  ["captcha_key", 6, HOUR],
  ["webhook_test", 5, HOUR],
  ["report", 10, DAY],
  ["key_rotation", 3, DAY],
  ["human_login", 10, 15 * MINUTE],
  ["human_register", 5, HOUR],
  ["human_write", 30, MINUTE],
  ["sponsorship", 10, DAY]
]

/** Verification and whole directories as 4.7 limits them; recovery and failed challenges are the service's own. */
const MORE_RATE_LIMITS: typeof RATE_LIMITS = [
  ["register_failed", 20, DAY],
  ["register_slow", 1, HOUR],
  ["id_verify", 300, MINUTE],
  ["id_directory", 30, 5 * MINUTE],
  ["recover", 10, HOUR],
  ["mail_notice", 300, MINUTE]
]

/** Section 8, the rest of it that there is something to limit for, by the path in this project. */
const FIGURES: Readonly<Record<string, number>> = {
  "limits.max_upload_bytes": 10_485_760,
  "limits.max_inline_json_bytes": 1_048_576,
  "limits.max_body_chars": 100_000,
  "limits.max_title_chars": 200,
  "limits.page_size_max": 100,
  "limits.page_size_default": 20,
  "limits.max_request_bytes": 10_551_296,
  "limits.description_max_chars": 2000,
  "limits.name_max_chars": 80,
  "limits.handle_min_chars": 3,
  "limits.handle_max_chars": 32,
  "limits.transparency_max_chars": 100_000,
  "limits.scores_limit_max": 200,
  "limits.scores_limit_default": 50,
  "limits.public_scores_limit_max": 100,
  "limits.public_scores_limit_default": 30,
  "limits.idempotency_key_max_chars": 255,
  "limits.idempotency_ttl_seconds": DAY,
  "limits.log_bytes_per_day": 16 * 1_048_576,
  "limits.upload_bytes_per_day": 256 * 1_048_576,
  "registration.questions": 5,
  "registration.required_correct": 4,
  "registration.answer_ttl_seconds": 60,
  "registration.pow_window_seconds": 15 * MINUTE,
  "registration.pow_difficulty.base": 5,
  "registration.pow_difficulty.max": 7,
  "authentication.timestamp_skew_seconds": 300,
  "authentication.nonce_reuse_seconds": 15 * MINUTE,
  "identity.timestamp_window_seconds": 300,
  "identity.nonce_memory_seconds": 600,
  "identity.directory_max_age_seconds": 300,
  "identity.challenge_ttl_seconds": 300,
  "identity.attestation_ttl_seconds": DAY
}

/** The gate's windows are lost with an actor's activation: buckets that agents draw on there must be over sooner. */
it("no endpoint draws an agent's long bucket from memory", () => {
  const drawn = new Set(ENDPOINTS.flatMap(({ draw }) => draw))
  expect([...drawn].toSorted()).toEqual(["message", "vote", "write"])
  for (const bucket of drawn)
    expect(LIMITS.rate_limits[bucket].window_seconds * 1000).toBeLessThan(LIMITS.service.passivate_after_idle_ms)
})

const at = (tree: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], tree)

const laid = (values: Readonly<Record<string, unknown>>) => overrideLimits(JSON.stringify(values))

describe("section 8 of the specification", () => {
  it("has these buckets and no others, beside those that 4.7 and recovery need", () => {
    expect(Object.keys(LIMITS.rate_limits).toSorted()).toEqual(
      [...RATE_LIMITS, ...MORE_RATE_LIMITS].map(([name]) => name).toSorted()
    )
  })

  it.each([...RATE_LIMITS, ...MORE_RATE_LIMITS])(
    "gives %s %i requests in %i seconds",
    (name, requests, window_seconds) => {
      expect(at(LIMITS.rate_limits, name)).toEqual({ requests, window_seconds })
    }
  )

  it.each(Object.entries(FIGURES))("%s is %i", (path, value) => {
    expect(at(LIMITS, path)).toBe(value)
  })
})

describe("bounds that the service puts on itself", () => {
  const leaves = (tree: object, path = ""): ReadonlyArray<readonly [string, unknown]> =>
    Object.entries(tree).flatMap(([name, value]) =>
      typeof value === "object" ? leaves(value as object, `${path}${name}.`) : [[`${path}${name}`, value] as const]
    )

  it("are whole numbers above zero", () => {
    const all = leaves(LIMITS)
    expect(all.length).toBeGreaterThan(60)
    expect(all.filter(([, value]) => !Number.isInteger(value) || (value as number) <= 0)).toEqual([])
  })

  it("fit each other", () => {
    const { service, limits, authentication } = LIMITS
    expect(service.max_frame_bytes).toBeLessThan(1_048_576)
    // One client has a ninth of it at most: the largest body must fit into that.
    expect(service.max_buffered_body_bytes).toBeGreaterThanOrEqual(9 * limits.max_request_bytes)
    expect(service.max_client_body_bytes).toBeGreaterThanOrEqual(limits.max_request_bytes)
    // Six characters of JSON for each UTF-16 unit, of which a character may have two.
    expect(limits.max_text_request_bytes).toBeGreaterThan(limits.transparency_max_chars * 12)
    expect(authentication.nonce_reuse_seconds).toBeGreaterThanOrEqual(2 * authentication.timestamp_skew_seconds)
    expect(limits.page_size_default).toBeLessThanOrEqual(limits.page_size_max)
    expect(service.commit_batch_max).toBeLessThanOrEqual(service.commit_queue_max)
    // No upload takes so long, and what nothing names is gone within an hour.
    expect(service.blob_grace_seconds * 1000).toBeGreaterThan(50 * service.request_deadline_ms)
    expect(service.blob_grace_seconds).toBeLessThan(HOUR)
  })
})

describe("HUB_LIMITS", () => {
  it.each([undefined, "", "  "])("%j changes nothing", (json) => {
    expect(overrideLimits(json)).toEqual({ ok: true, limits: LIMITS })
  })

  it("lays figures over the defaults by their dotted path, and leaves the rest and the defaults as they are", () => {
    const before = structuredClone(LIMITS)
    const result = laid({
      "rate_limits.register.requests": 1000,
      "registration.answer_ttl_seconds": 2,
      "service.mailbox_max": 4
    })
    const expected = structuredClone(LIMITS) as unknown as {
      rate_limits: { register: { requests: number } }
      registration: { answer_ttl_seconds: number }
      service: { mailbox_max: number }
    }
    expected.rate_limits.register.requests = 1000
    expected.registration.answer_ttl_seconds = 2
    expected.service.mailbox_max = 4
    expect(result).toEqual({ ok: true, limits: expected })
    expect(LIMITS).toEqual(before)
  })

  it("takes every figure there is", () => {
    for (const path of [
      ...Object.keys(FIGURES),
      ...RATE_LIMITS.flatMap(([name]) => [`rate_limits.${name}.requests`, `rate_limits.${name}.window_seconds`])
    ]) {
      const result = laid({ [path]: 77 })
      expect(result.ok && at(result.limits, path), path).toBe(77)
    }
  })

  it.each([
    "nope",
    "rate_limits",
    "rate_limits.register",
    "rate_limits.nobody.requests",
    "rate_limits.register.requests.more",
    "rate_limits.constructor.name",
    "__proto__.polluted",
    "constructor.prototype.polluted",
    "registration..questions",
    ".registration.questions",
    "REGISTRATION.questions",
    ""
  ])("refuses the name %j by name", (name) => {
    const result = laid({ [name]: 1 })
    expect(result).toEqual({ ok: false, problem: `HUB_LIMITS: there is no limit named ${name}` })
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
  })

  it.each(["10", null, true, -1, [], { requests: 1 }])("refuses the value %j by the name it is given for", (value) => {
    const result = laid({ "rate_limits.register.requests": value })
    expect(result).toEqual({
      ok: false,
      problem: expect.stringMatching(/^HUB_LIMITS: rate_limits\.register\.requests must be a number/)
    })
  })

  it("shows how figures are named to whoever nests them", () => {
    const result = laid({ rate_limits: { register: { requests: 5 } } })
    expect(result).toEqual({
      ok: false,
      problem: expect.stringMatching(
        /^HUB_LIMITS: rate_limits must be a number; .*dotted path.*"rate_limits\.register\.requests": 1000/
      )
    })
  })

  it("refuses a number beyond all numbers", () => {
    expect(overrideLimits('{"rate_limits.ip.requests":1e999}')).toMatchObject({
      ok: false,
      problem: expect.stringContaining("rate_limits.ip.requests")
    })
  })

  it.each(["{", "nonsense", "null", "[]", "3", '"text"'])("refuses %j, which is no object", (json) => {
    expect(overrideLimits(json)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^HUB_LIMITS (is not JSON|must be a JSON object)/)
    })
  })
})

it.each(["identity.nonce_memory_seconds", "authentication.nonce_reuse_seconds"])(
  "%s below what its stream can keep stops the start by its name",
  (name) => {
    expect(overrideLimits(JSON.stringify({ [name]: 59 }))).toEqual({
      ok: false,
      problem: `HUB_LIMITS: ${name} must be a number of 60 or more`
    })
    expect(overrideLimits(JSON.stringify({ [name]: 60 }))).toMatchObject({ ok: true })
  }
)

it("has no limit that nothing reads", () => {
  const isProduct = (file: string): boolean => /^(actors|edge|ops|schemas)\/.*\.ts$/.test(file)
  const readers = trackedFiles().filter((file) => isProduct(file) && !/limits\.ts$|^ops\/bench\//.test(file))
  const words = new Set(readers.flatMap((file) => textOf(file).match(/\w+/g) ?? []))
  const namesIn = (limits: object): ReadonlyArray<string> =>
    Object.entries(limits).flatMap(([name, value]) => [
      name,
      ...(typeof value === "object" && value !== null && !Array.isArray(value) ? namesIn(value) : [])
    ])
  // The limit of an endpoint is read by the name of its bucket.
  expect(namesIn({ ...LIMITS, rate_limits: {} }).filter((name) => !words.has(name))).toEqual([])
})
