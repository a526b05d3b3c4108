/** The parts of tracing by themselves: the header, who is sampled, the settings, the queue, what a span may hold. */
import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { readConfig } from "../../schemas/config.ts"
import { askSpan } from "../../schemas/runtime/trace/ask.ts"
import { NewestQueue } from "../../schemas/runtime/trace/queue.ts"
import { readTraceSettings, type TraceSettings } from "../../schemas/trace-settings.ts"
import { EVENTS_MAX, nowMs, type Span, VALUE_MAX_CHARS } from "../../schemas/runtime/trace/span.ts"
import { readTraceparent, writeTraceparent } from "../../schemas/runtime/trace/traceparent.ts"
import { NO_TRACING, tracingInto } from "../../schemas/runtime/trace/tracing.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"
const SAMPLED = `00-${TRACE}-${PARENT}-01`
const UNSAMPLED = `00-${TRACE}-${PARENT}-00`

describe("traceparent", () => {
  it.each([
    [SAMPLED, true],
    [UNSAMPLED, false],
    [`00-${TRACE}-${PARENT}-03`, true],
    [`00-${TRACE}-${PARENT}-02`, false],
    [`01-${TRACE}-${PARENT}-01`, true],
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be`, true]
  ])("%s is read", (text, sampled) => {
    expect(readTraceparent(text)).toEqual({ traceId: TRACE, spanId: PARENT, sampled })
  })

  it.each([
    "",
    "00",
    SAMPLED.toUpperCase(),
    `${SAMPLED} `,
    ` ${SAMPLED}`,
    `${SAMPLED}-more`,
    `${SAMPLED}.`,
    `${SAMPLED}, ${SAMPLED}`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}`,
    `0-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01.what`,
    `00-${TRACE}-${PARENT}-0g`,
    `00_${TRACE}_${PARENT}_01`,
    `${SAMPLED}\n`
  ])("%j is none", (text) => {
    expect(readTraceparent(text)).toBeNull()
  })

  test("what is written is read again", () => {
    expect(readTraceparent(writeTraceparent(TRACE, PARENT))).toEqual({ traceId: TRACE, spanId: PARENT, sampled: true })
  })
})

const collected = (ratio: number) => {
  const ended: Array<Span> = []
  return { ended, tracing: tracingInto({ take: (span) => void ended.push(span) }, ratio) }
}

describe("who is sampled", () => {
  const share = (ratio: number): number => {
    const { tracing } = collected(ratio)
    const count = 20_000
    return (
      Array.from({ length: count }, () => tracing.begin("a", "server", undefined)).filter((span) => span !== null)
        .length / count
    )
  }

  it("is drawn at the root, at the ratio", () => {
    expect(share(0)).toBe(0)
    expect(share(1)).toBe(1)
    // 20,000 draws: beyond seven standard deviations.
    expect(Math.abs(share(0.1) - 0.1)).toBeLessThan(0.016)
  })

  it.each([0, 1])("follows whoever is named, whatever the ratio (%d)", (ratio) => {
    const { tracing } = collected(ratio)
    expect(tracing.begin("a", "server", SAMPLED)).toMatchObject({ traceId: TRACE, parentId: PARENT })
    expect(tracing.begin("a", "server", UNSAMPLED)).toBeNull()
    expect(tracing.follow("a", "server", SAMPLED)).toMatchObject({ traceId: TRACE, parentId: PARENT })
    expect(tracing.follow("a", "server", UNSAMPLED)).toBeNull()
    expect(tracing.follow("a", "server", undefined)).toBeNull()
    expect(tracing.follow("a", "server", "nonsense")).toBeNull()
    expect(tracing.link("a", "consumer", undefined)).toBeNull()
  })

  it("begins anew where what is named makes no sense", () => {
    expect(collected(1).tracing.begin("a", "server", "nonsense")).toMatchObject({ parentId: null })
    expect(collected(0).tracing.begin("a", "server", "nonsense")).toBeNull()
  })

  it("a linked trace has an id of its own", () => {
    const span = collected(0).tracing.link("a", "consumer", SAMPLED)
    expect(span).toMatchObject({ parentId: null, link: { traceId: TRACE, spanId: PARENT } })
    expect(span?.traceId).not.toBe(TRACE)
  })

  it("nobody without tracing", () => {
    expect([
      NO_TRACING.begin("a", "server", SAMPLED),
      NO_TRACING.follow("a", "server", SAMPLED),
      NO_TRACING.link("a", "server", SAMPLED)
    ]).toEqual([null, null, null])
  })
})

describe("a span", () => {
  it("ends once, is given away once, and not before it began", () => {
    const { tracing, ended } = collected(1)
    const span = tracing.begin("a", "server", undefined)
    span?.end()
    const { endedAt } = span ?? {}
    span?.end()
    expect(ended).toEqual([span])
    expect(span?.endedAt).toBe(endedAt)
    const late = tracing.follow("b", "server", SAMPLED, nowMs() + 60_000)
    late?.end()
    expect(late?.endedAt).toBe(late?.startedAt)
  })

  it("is bounded", () => {
    const span = collected(1).tracing.begin("a", "server", undefined)
    span?.set("hub.op", "x".repeat(10_000))
    for (let count = 0; count < 1000; count++) span?.event("retry")
    expect(span?.attributes["hub.op"]).toHaveLength(VALUE_MAX_CHARS)
    expect(span?.events).toHaveLength(EVENTS_MAX)
  })

  it("has nothing below it once it has ended", () => {
    const span = collected(1).tracing.begin("a", "server", undefined)
    expect(askSpan(span, "agent", "agent.me", "hx1")).toMatchObject({ parentId: span?.spanId, traceId: span?.traceId })
    span?.end()
    expect(askSpan(span, "agent", "agent.me", "hx1")).toBeNull()
  })
})

describe("settings", () => {
  type Env = Readonly<Record<string, string>>
  const SECRET = "correct-horse-battery"
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
  const good = (env: Env, mode: "development" | "production" = "production"): TraceSettings | null => {
    const result = readTraceSettings(env, mode)
    if (!result.ok) throw new Error(result.problem)
    return result.settings
  }

  it("without an endpoint are none", () => {
    expect(good({})).toBeNull()
    expect(
      good({
        OTEL_EXPORTER_OTLP_ENDPOINT: " ",
        OTEL_EXPORTER_OTLP_HEADERS: "a=b",
        OTEL_TRACES_SAMPLER_ARG: "1",
        OTEL_SERVICE_NAME: "x"
      })
    ).toBeNull()
  })

  it("have defaults by the mode", () => {
    expect(good(ENDPOINT)).toEqual({ url: "http://127.0.0.1:4318/v1/traces", headers: {}, ratio: 0.01, service: null })
    expect(good(ENDPOINT, "development")?.ratio).toBe(1)
  })

  it("are read as OpenTelemetry writes them", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example:4318/below/",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b%2Cc , X-Tenant = one,,authorization=Basic aGk6aG8=",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_SERVICE_NAME: "hub of ours"
    }
    const headers = { "api-key": "a b,c", "x-tenant": "one", authorization: "Basic aGk6aG8=" }
    expect(good(env)).toEqual({
      url: "https://collector.example:4318/below/v1/traces",
      headers,
      ratio: 0.25,
      service: "hub of ours"
    })
  })

  const BAD: Readonly<Record<string, ReadonlyArray<string>>> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: [
      "127.0.0.1:4318",
      `http://a:${SECRET}@c.example`,
      `http://c.example/?key=${SECRET}`,
      `http://c.example/#${SECRET}`,
      `grpc://${SECRET}`
    ],
    OTEL_EXPORTER_OTLP_HEADERS: [
      SECRET,
      `=${SECRET}`,
      `a b=${SECRET}`,
      `a=${SECRET}%0d%0ab: c`,
      `a=${SECRET}%zz`,
      `Host=${SECRET}`,
      `content-type=${SECRET}`,
      `a=ü${SECRET}`
    ],
    OTEL_TRACES_SAMPLER_ARG: ["-0.1", "1.1", "all", "NaN", "Infinity"],
    OTEL_SERVICE_NAME: ["two\nlines", "x".repeat(81)]
  }

  it.each(Object.entries(BAD).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    "%s=%j is one line that names it and shows no value",
    (name, value) => {
      for (const result of [readTraceSettings({ [name]: value }, "production"), readConfig({ [name]: value })]) {
        if (result.ok) throw new Error("it was accepted")
        expect(result.problem.split("\n")).toHaveLength(1)
        expect(result.problem).toContain(name)
        expect(result.problem).not.toContain(SECRET)
      }
    }
  )
})

describe("the queue", () => {
  test("holds the newest, in order, whatever is put in, taken and put back", () => {
    const step = fc.oneof(fc.constant("push" as const), fc.constant("take" as const), fc.constant("back" as const))
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (max, steps, batch) => {
          const queue = new NewestQueue<number>(max)
          let model: Array<number> = []
          let [next, lost, expected] = [0, 0, 0]
          let out: ReadonlyArray<number> = []
          for (const one of steps) {
            if (one === "push") {
              if (!queue.push(next)) lost++
              model.push(next++)
            } else if (one === "take") {
              out = queue.take(batch)
              expect(out).toEqual(model.splice(0, batch))
            } else {
              lost += queue.putBack(out)
              model = [...out, ...model]
              out = []
            }
            expected += Math.max(0, model.length - max)
            model = model.slice(-max)
            expect(queue.size).toBe(model.length)
          }
          expect(queue.take(max)).toEqual(model)
          expect(lost).toBe(expected)
        }
      )
    )
  })
})
