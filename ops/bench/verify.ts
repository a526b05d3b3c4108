/**
 * Measures the website verifier without a service: checks a second, beside two others in the same run.
 *
 *  - `bare`: node:crypto's verify of the same strings with imported keys, and nothing else.
 *  - `http-message-sig`: the same visits as Web Bot Auth requests (RFC 9421) with imported keys, verified by
 *    node:crypto. It remembers no nonces.
 *
 * Every request is signed before the clock starts and is verified once. Rounds are short and alternate, and the medians
 * of the rounds are compared, so that a slow moment of the machine affects all three. Costs are CPU time of the whole
 * process, including garbage collection on other threads.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from "node:crypto"
import { appendSignature, createSignatureSync, type RequestDescriptor, verifySignature } from "http-message-sig"
import { createVerifier, type PlainRequest, type Verifier } from "../../edge/sdk/verify.ts"
import { readByAWebsite } from "../../tests/support/large-directory.ts"
import { identityString } from "../../schemas/signing/identity.ts"
import { jwkOf } from "../../schemas/signing/jwk.ts"

const HOST = "shop.example"
const HUB = "https://hub.example"
const AGENTS = 1000
const PER_ROUND = 1000
const ROUNDS = 21
const WARM_UP_ROUNDS = 3
const DIRECTORY_AGENTS = 100_000
const DIRECTORY_READS = 5
/** The bound includes network buffers. */
const GROWTH_MAX_BYTES = 60e6

interface Agent {
  readonly id: string
  readonly publicKey: string
  readonly kid: string
  readonly privateKey: KeyObject
  readonly key: KeyObject
}

interface Visit {
  readonly text: string
  readonly signature: Buffer
  readonly agent: Agent
  readonly request: PlainRequest
  readonly signed: RequestDescriptor
}

const numberOf = (index: number): string => `HX-${String(index + 1).padStart(6, "0")}`

const agentOf = (_: unknown, index: number): Agent => {
  const { privateKey, publicKey: key } = generateKeyPairSync("ed25519")
  const publicKey = Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url").toString("base64")
  return { id: numberOf(index), publicKey, kid: jwkOf(publicKey).kid, privateKey, key }
}

/** Headers that browsers and HTTP libraries send, so that the verifiers have to find theirs among others. */
const OTHER_HEADERS = {
  host: HOST,
  accept: "*/*",
  "accept-encoding": "gzip, br",
  "accept-language": "en",
  connection: "keep-alive",
  "user-agent": "an-agent/1.0"
}

const visitBy = (agent: Agent, serial: number): Visit => {
  const [method, path] = ["GET", `/offers?page=${serial}`]
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomBytes(18).toString("base64url")
  const text = identityString({ method, host: HOST, path, timestamp, nonce })
  const signature = sign(null, Buffer.from(text), agent.privateKey)
  const headers = {
    ...OTHER_HEADERS,
    "hub-id": agent.id,
    "hub-timestamp": timestamp,
    "hub-nonce": nonce,
    "hub-signature": signature.toString("base64")
  }
  return {
    text,
    signature,
    agent,
    request: { method, path, headers },
    signed: webBotAuth(agent, path, Number(timestamp), nonce)
  }
}

const COMPONENTS = ["@authority", "signature-agent"]

const webBotAuth = (agent: Agent, path: string, created: number, nonce: string): RequestDescriptor => {
  const fields = new Headers({
    ...OTHER_HEADERS,
    "signature-agent": `"${HUB}/api/v1/id/${agent.id}/http-message-signatures-directory"`
  })
  const message: RequestDescriptor = {
    kind: "request",
    method: "GET",
    targetUri: `https://${HOST}${path}`,
    fields: occurrences(fields)
  }
  const made = createSignatureSync(message, {
    label: "sig1",
    components: COMPONENTS,
    parameters: { created, expires: created + 60, keyid: agent.kid, alg: "ed25519", nonce, tag: "web-bot-auth" },
    signer: { algorithm: "ed25519", sign: (data) => sign(null, data, agent.privateKey) }
  })
  return { ...message, fields: occurrences(appendSignature(fields, made)) }
}

const occurrences = (headers: Headers): RequestDescriptor["fields"] =>
  [...headers].map(([name, value]) => ({ name, value }))

const directoryOf = (agents: ReadonlyArray<Pick<Agent, "id" | "publicKey">>): string => {
  const entries = agents.map(({ id, publicKey }) => {
    const handle = `agent-of-${id.toLowerCase()}`
    return [
      id,
      {
        id,
        handle,
        status: "active",
        moderation: null,
        public_key: publicKey,
        public_key_jwk: jwkOf(publicKey),
        keys: [{ public_key: publicKey, status: "current", from: "2026-01-01T00:00:00.000Z" }],
        trust: 10,
        reputation: 0,
        profile_url: `${HUB}/agents/${handle}`,
        id_url: `${HUB}/id/${id}`
      }
    ]
  })
  return JSON.stringify({
    ok: true,
    data: {
      generated_at: new Date().toISOString(),
      max_number: agents.length,
      count: agents.length,
      agents: Object.fromEntries(entries)
    }
  })
}

const verifierOf = (document: string, now: () => number = Date.now): Verifier =>
  createVerifier({ hub: HUB, hosts: [HOST], now, fetch: () => Promise.resolve(new Response(document) as never) })

type Work = (visits: ReadonlyArray<Visit>) => Promise<void>

const failed = (what: string): never => {
  throw new Error(`${what} refused a good request`)
}

const bare: Work = async (visits) => {
  for (const { text, signature, agent } of visits)
    if (!verify(null, Buffer.from(text), agent.key, signature)) failed("node:crypto")
}

const checks =
  (verifier: Verifier): Work =>
  async (visits) => {
    for (const { request } of visits) if (!(await verifier.check(request)).valid) failed("the verifier")
  }

const signatures = (agents: ReadonlyArray<Agent>): Work => {
  const verifiers = new Map(
    agents.map(({ kid, key }) => [
      kid,
      { algorithm: "ed25519", verify: (data: Uint8Array, signature: Uint8Array) => verify(null, data, key, signature) }
    ])
  )
  const options = {
    policy: {
      algorithms: ["ed25519"],
      requiredComponents: COMPONENTS,
      requiredParameters: ["created", "expires", "keyid", "tag"],
      maxAge: 300,
      clockSkew: 5
    },
    resolveVerifier: ({ parameters }: { readonly parameters: { readonly keyid?: string } }) =>
      verifiers.get(parameters.keyid ?? "") ?? failed("http-message-sig")
  }
  // This throws if a signature is not valid.
  return async (visits) => {
    for (const { signed } of visits) await verifySignature(signed, options)
  }
}

interface Cost {
  readonly cpuUs: number
  readonly wallUs: number
}

const costOf = async (work: Work, visits: ReadonlyArray<Visit>): Promise<Cost> => {
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  await work(visits)
  const { user, system } = process.cpuUsage(cpu)
  return { cpuUs: (user + system) / visits.length, wallUs: ((performance.now() - wall) * 1000) / visits.length }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

export const verifierCases = async (say: (line: string) => void): Promise<void> => {
  const agents = Array.from({ length: AGENTS }, agentOf)
  const subjects: ReadonlyArray<readonly [string, Work]> = [
    ["bare", bare],
    ["verifier", checks(verifierOf(directoryOf(agents)))],
    ["http-message-sig", signatures(agents)]
  ]
  const costs = subjects.map((): Array<Cost> => [])
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const visits = Array.from({ length: PER_ROUND }, (_, index) =>
      visitBy(agents[(round * 7 + index + AGENTS) % AGENTS] as Agent, index)
    )
    for (let turn = 0; turn < subjects.length; turn++) {
      const at = (Math.max(round, 0) + turn) % subjects.length
      const cost = await costOf((subjects[at] as readonly [string, Work])[1], visits)
      if (round >= 0) costs[at]?.push(cost)
    }
  }
  report(
    say,
    subjects.map(([name]) => name),
    costs
  )
  await readings(say)
  const { peak, last } = await readByAWebsite()
  const over = Math.max(peak, last) >= GROWTH_MAX_BYTES ? "  OVER" : ""
  say(
    `  reading it four times, a website's process grows by ${(peak / 1e6).toFixed(0)} MB at the peak and ` +
      `${(last / 1e6).toFixed(0)} MB at the end, of ${GROWTH_MAX_BYTES / 1e6} MB${over}`
  )
}

const report = (
  say: (line: string) => void,
  names: ReadonlyArray<string>,
  costs: ReadonlyArray<ReadonlyArray<Cost>>
): void => {
  say(`\noffline verification, one core, ${AGENTS} agents, medians of ${ROUNDS} rounds of ${PER_ROUND}`)
  say("  subject             checks/s   CPU us each   rate beside bare")
  const [ofBare = []] = costs
  for (const [index, name] of names.entries()) {
    const own = costs[index] ?? []
    const ratio = median(own.map(({ cpuUs }, round) => (ofBare[round]?.cpuUs ?? Number.NaN) / cpuUs))
    const rate = 1e6 / median(own.map(({ wallUs }) => wallUs))
    say(
      `  ${name.padEnd(17)} ${rate.toFixed(0).padStart(10)} ${median(own.map(({ cpuUs }) => cpuUs))
        .toFixed(1)
        .padStart(13)} ${ratio.toFixed(3).padStart(18)}`
    )
  }
  const [, verifier = [], library = []] = costs
  const ratios = verifier.map(({ cpuUs }, round) => (library[round]?.cpuUs ?? Number.NaN) / cpuUs)
  say(`  verifier beside http-message-sig: ${median(ratios).toFixed(2)} times its rate`)
}

const readings = async (say: (line: string) => void): Promise<void> => {
  const document = directoryOf(
    Array.from({ length: DIRECTORY_AGENTS }, (_, index) => ({
      id: numberOf(index),
      publicKey: randomBytes(32).toString("base64")
    }))
  )
  let now = Date.now()
  const verifier = verifierOf(document, () => now)
  const times: Array<number> = []
  for (let read = 0; read < DIRECTORY_READS; read++) {
    const began = performance.now()
    if (!(await verifier.ready())) failed("the verifier")
    times.push(performance.now() - began)
    now += 301_000
  }
  say(
    `  reading a directory of ${DIRECTORY_AGENTS} agents, ${(document.length / 1e6).toFixed(0)} MB: ` +
      `first ${(times[0] ?? 0).toFixed(0)} ms, median ${median(times).toFixed(0)} ms`
  )
}
