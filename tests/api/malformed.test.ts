/**
 * Ten thousand requests that are wrong: most by what they say, the others by their very bytes. Whatever comes, the
 * service answers in the envelope, tells nothing of its inside, has no fault of its own, and keeps no memory of it.
 */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { identityOf } from "../support/identity.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { rounds } from "../support/rounds.ts"
import { type SeededRandom, seeded } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import { mutated, wrongRequest } from "./malformed.ts"
import { provoke, type RawAnswer, RawLine } from "./raw.ts"

const REQUESTS = rounds(2) * 1000
const WARM_UP = REQUESTS * 0.4
/** Every fourth is changed in its bytes. */
const MUTATED_SHARE = 0.25
const LINES = 8
const GROWTH_MAX_MB = 30
const PAGE_BYTES = 4096

/** Of the service's inside: stacks, paths of its sources, names of its parts and of what it stands on; not a page's styles. */
const INSIDE = new RegExp(
  [
    String.raw`\bat [^"]*\.[jt]s:\d+`,
    String.raw`node:internal|node_modules|\/(actors|edge|schemas)\/`,
    "TypeError|RangeError|SyntaxError|SchemaError|ParseError",
    String.raw`HttpApi|(?<!vector-)Effect\b|Postgres|JetStream|kysely|\bselect .* from\b|\[object Object\]`
  ].join("|"),
  "i"
)

let random: SeededRandom
let service: TestService
let client: AgentClient
let edge = ""

beforeAll(async () => {
  random = seeded("malformed requests")
  service = await testService({
    processes: true,
    edges: 1,
    limits: { "service.body_timeout_ms": 1000, "notifications.stream_lifetime_ms": 100 }
  })
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge, identity: identityOf(random.bytes(32)) })
  await register(client, { edge })
})
afterAll(() => service?.stop())

const residentMegabytes = (): number => {
  const pid = service.system.edges[0]?.pid ?? 0
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES) / 2 ** 20
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A damaged path may lie outside the interface, where whoever takes HTML is answered by a page. */
const mayBePage = (sent: string, { headers }: RawAnswer): boolean =>
  /^[A-Z-]+ (?!\/api\/v1(?:[/? ]|$))/m.test(sent) && headers.get("content-type")?.startsWith("text/html") === true

/** What is wrong with an answer; `null` when nothing is. */
function problemOf(answer: RawAnswer, sent: string): string | null {
  const { status, headers, body } = answer
  if (status >= 500 && status !== 503) return "a fault of the service's own"
  if (!headers.has("x-hub-server-time")) return "without X-Hub-Server-Time"
  if (body === "") return null
  if (status < 400) return null
  if (INSIDE.test(body)) return "tells of the inside"
  if (mayBePage(sent, answer)) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return "an error that is no JSON"
  }
  if (!isObject(parsed)) return "an error that is no object"
  if (headers.get("content-type")?.includes("problem+json") === true)
    return typeof parsed["code"] === "string" && parsed["status"] === status ? null : "a problem without its code"
  const { error } = parsed
  const whole =
    parsed["ok"] === false &&
    isObject(error) &&
    typeof error["code"] === "string" &&
    typeof error["message"] === "string" &&
    isObject(error["details"])
  return whole ? null : "not the envelope"
}

const shown = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1").slice(0, 600))

interface Tally {
  readonly statuses: Map<number, number>
  readonly problems: Array<string>
  unanswered: number
}

function judge(tally: Tally, request: Buffer, answers: ReadonlyArray<RawAnswer>): void {
  if (answers.length === 0) tally.unanswered += 1
  for (const answer of answers) {
    tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1)
    const problem = problemOf(answer, request.toString("latin1"))
    if (problem !== null)
      tally.problems.push(`${problem}: ${answer.status} ${answer.body.slice(0, 300)} to ${shown(request)}`)
  }
}

/** The requests are drawn before they are sent, so that a seed gives the same ones whatever the order of answers. */
async function sendMany(count: number, tally: Tally): Promise<void> {
  const port = Number(new URL(edge).port)
  const drawn = Array.from({ length: count }, () => {
    const bytes = wrongRequest(random, edge, client.identity)
    const broken = random.chance(MUTATED_SHARE)
    return { broken, bytes: broken ? mutated(random, bytes) : bytes }
  })
  const lines = Array.from({ length: LINES }, () => new RawLine(port))
  await Promise.all(
    lines.map(async (line) => {
      for (let next = drawn.pop(); next !== undefined; next = drawn.pop()) {
        const { bytes } = next
        const answers = next.broken
          ? await provoke(port, bytes)
          : await line.exchange(bytes).then(
              (answer) => [answer],
              (cause: unknown) => void tally.problems.push(String(cause))
            )
        judge(tally, bytes, answers ?? [])
      }
      line.close()
    })
  )
}

test("thousands of malformed requests meet the envelope, and nothing else", async () => {
  const tally: Tally = { statuses: new Map(), problems: [], unanswered: 0 }
  await sendMany(WARM_UP, tally)
  const before = residentMegabytes()
  await sendMany(REQUESTS - WARM_UP, tally)
  console.log(
    `statuses: ${JSON.stringify(Object.fromEntries([...tally.statuses].toSorted(([a], [b]) => a - b)))}; ` +
      `${tally.unanswered} without an answer; memory ${before.toFixed(0)} MB, then ${residentMegabytes().toFixed(0)} MB`
  )
  expect(tally.problems.slice(0, 10)).toEqual([])
  // Bytes that end inside a request may end without an answer; nearly all the others are answered.
  expect(tally.unanswered).toBeLessThan(REQUESTS * MUTATED_SHARE * 0.5)
  // Every kind of answer is met. The rarest (201 or 204) comes some 25 times, and 17 times in the poorest of 8 seeds.
  const count = (status: number): number => tally.statuses.get(status) ?? 0
  for (const status of [200, 400, 401, 404, 405, 422]) expect(count(status), `answers ${status}`).toBeGreaterThan(0)
  expect(count(201) + count(204), "writes that succeed").toBeGreaterThan(0)
  await waitFor(() => residentMegabytes() - before < GROWTH_MAX_MB, {
    describe: `less than ${GROWTH_MAX_MB} MB more than the ${before} MB after the warm-up`
  })
  expect(outcome(await client.call("GET", "/api/v1/me"))).toBe("200")
})
