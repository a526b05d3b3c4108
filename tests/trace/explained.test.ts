/** `hub explain` shows durations where a tracing backend has them, and tells the story all the same where it has not. */
import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { explainCommand } from "../../ops/cli/explain.ts"
import type { Traces } from "../../ops/explain/spans.ts"
import { said } from "../ops/history.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Collector, startCollector } from "../support/collector.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

let collector: Collector
let service: TestService
let backend: Server
let answers: (response: ServerResponse, id: string) => void
let asked: Array<{ readonly id: string; readonly authorization: string | undefined }> = []
let request = ""
let trace = ""

const otlp = (id: string) =>
  collector.spans
    .filter(({ traceId }) => traceId === id)
    .map((span) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: span.service } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: id,
              spanId: span.spanId,
              ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
              name: span.name,
              startTimeUnixNano: String(span.startedAt),
              endTimeUnixNano: String(span.endedAt),
              status: { code: span.failed ? 2 : 0 }
            }
          ]
        }
      ]
    }))

const address = (user = ""): string =>
  `http://${user}127.0.0.1:${(backend.address() as AddressInfo).port}/api/v3/traces/{id}`

const explained = async (traces: string, values = {}): Promise<string> =>
  said(explainCommand, service, [request], { traces, ...values })
const tracesAt = async (traces: string): Promise<Traces> =>
  (JSON.parse(await explained(traces, { json: true })) as { readonly traces: Traces }).traces

beforeAll(async () => {
  collector = await startCollector()
  service = await testService({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "1" }
  })
  backend = createServer((incoming, response) => {
    const id = incoming.url?.split("/").at(-1) ?? ""
    asked.push({ id, authorization: incoming.headers.authorization })
    answers(response, id)
  }).listen(0, "127.0.0.1")
  await once(backend, "listening")
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  const answer = await client.call("PATCH", "/api/v1/me", { body: { description: "Traced." } })
  expect(outcome(answer)).toBe("200")
  request = String(answer.headers["x-request-id"])
  const root = await waitFor(
    () => {
      const own = collector.spans.find((span) => span.name === "PATCH /api/v1/me")
      const all = collector.spans.filter(({ traceId }) => traceId === own?.traceId)
      return Promise.resolve(all.some(({ name }) => name === "project agent") ? own : undefined)
    },
    { describe: "the whole trace" }
  )
  trace = root?.traceId ?? ""
})
afterAll(async () => {
  await service?.stop()
  await collector?.stop()
  backend?.closeAllConnections()
  backend?.close()
})
beforeEach(() => {
  asked = []
})

test.each([
  ["a file's form", (spans: unknown) => ({ resourceSpans: spans })],
  ["Tempo's form", (spans: unknown) => ({ batches: spans })],
  ["Jaeger's form", (spans: unknown) => ({ result: { resourceSpans: spans } })],
  ["Tempo's second form", (spans: unknown) => ({ trace: { resourceSpans: spans } })]
])("in %s each span of the request comes with its duration, below its parent", async (_form, wrapped) => {
  answers = (response, id) => void response.end(JSON.stringify(wrapped(otlp(id))))
  const { spans, left_out, unseen } = await tracesAt(address())
  expect([left_out, unseen, asked.map(({ id }) => id)]).toEqual([0, {}, [trace]])
  const depthOf = (name: string) => spans.find((span) => span.name === name)?.depth
  expect(spans[0]).toMatchObject({ name: "PATCH /api/v1/me", service: "hub-edge", depth: 0, failed: false })
  expect([depthOf("ask agent.update"), depthOf("agent.update"), depthOf("append")]).toEqual([1, 2, 3])
  for (const { ms } of spans) expect(ms).toBeGreaterThanOrEqual(0)
  const text = await explained(address())
  expect(text).toMatch(
    /\n\ndurations, by the traces \(began, lasted\)\n +\+0\.0 ms +\d+\.\d ms {2}PATCH \/api\/v1\/me {2}hub-edge\n/
  )
})

test("a user and password in the address become a header, and are never shown", async () => {
  answers = (response) => void response.writeHead(401).end("no")
  const text = await explained(address("reader:se%3Acret@"))
  expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from("reader:se:cret").toString("base64")}`)
  expect(text).toContain(`trace ${trace}: the backend answered 401`)
  expect(text).not.toMatch(/se.{0,3}cret/)
})

test.each([
  [
    "it has no such trace",
    (response: ServerResponse) => response.writeHead(404).end("{}"),
    "the backend does not have it"
  ],
  [
    "it says something else",
    (response: ServerResponse) => response.end('{"data":[]}'),
    "the backend's answer is no trace"
  ],
  [
    "it has no span",
    (response: ServerResponse) => response.end('{"resourceSpans":[]}'),
    "the backend has no span of it"
  ],
  [
    "it says too much",
    (response: ServerResponse) => response.end(" ".repeat(5_000_000)),
    "is larger than 4194304 bytes"
  ],
  ["it says nothing", () => undefined, "the backend did not answer within 3000 ms"],
  [
    "it sends elsewhere",
    (response: ServerResponse) => response.writeHead(302, { location: "/" }).end(),
    "cannot be reached"
  ]
])("where %s the story is told and says so", async (_what, behaviour, said) => {
  answers = (response) => void behaviour(response)
  const text = await explained(address())
  expect(text).toMatch(new RegExp(`^request ${request}: \\d+ commit`))
  expect(text).toContain(said)
})

test("an address without a place for the id is refused by its name", async () => {
  await expect(explained("http://127.0.0.1:1/")).rejects.toThrow("HUB_TRACES_QUERY takes an http address with {id}")
  await expect(explained("file:///{id}")).rejects.toThrow("HUB_TRACES_QUERY takes an http address with {id}")
})
