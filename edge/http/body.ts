/**
 * Reading a request's body, within bounds: its own ceiling (spec 4.1.9), a clock for slow senders, and one budget for
 * all bodies that this edge holds at the same time. Bytes count from the moment they arrive until the call has ended.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { type Refused, refuse } from "./refused.ts"

/** The bodies that this process holds. */
export class BodyBudget {
  private held = 0
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  reserve(bytes: number): boolean {
    if (this.held + bytes > this.max) return false
    this.held += bytes
    return true
  }

  release(bytes: number): void {
    this.held -= bytes
  }

  get inUse(): number {
    return this.held
  }
}

/** Requests that wait for "100 Continue" before they send their body. */
export const expectingContinue = new WeakSet<IncomingMessage>()

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers["transfer-encoding"] !== undefined || (request.headers["content-length"] ?? "0") !== "0"

export const tooLarge = (limits: Limits): Refusal => ({
  code: "request_too_large",
  message: `The request's body is larger than ${limits.limits.max_request_bytes} bytes.`,
  details: { max_bytes: limits.limits.max_request_bytes }
})

/** Judges by `Content-Length` alone, before a byte is read. */
export const announcesTooMuch = (request: IncomingMessage, limits: Limits): boolean =>
  Number(request.headers["content-length"] ?? "0") > limits.limits.max_request_bytes

const slow: Refusal = refusal("request_timeout", "The request's body did not arrive in time.")
const noRoom: Refusal = { code: "overloaded", message: "Too many request bodies are being read at the moment.", retryAfter: 1 }

/** `held` hears how many bytes of the budget the call now holds; whoever ends the call gives them back. */
export const readBody = (
  request: IncomingMessage,
  response: ServerResponse,
  limits: Limits,
  budget: BodyBudget,
  held: (bytes: number) => void
): Effect.Effect<Buffer, Refused> =>
  Effect.callback<Buffer, Refused>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = (): void => {
      clearTimeout(timer)
      request.off("data", take).off("end", end).off("close", gone)
    }
    const fail = (why: Refusal): void => {
      stop()
      request.pause()
      resume(Effect.fail(refuse(why)))
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limits.limits.max_request_bytes) return fail(tooLarge(limits))
      if (!budget.reserve(chunk.length)) return fail(noRoom)
      held(size)
      chunks.push(chunk)
    }
    const end = (): void => {
      stop()
      resume(Effect.succeed(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    }
    const gone = (): void => fail(slow)
    const timer = setTimeout(() => fail(slow), limits.service.body_timeout_ms)
    request.on("data", take).on("end", end).on("close", gone)
    if (expectingContinue.delete(request)) response.writeContinue()
    return Effect.sync(stop)
  })
