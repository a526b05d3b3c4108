/** The verifier in handlers of Fetch requests, in Express and in Hono. */
import type { FetchRequest, HeaderRecord, Verifier } from "./interface.ts"
import { statusOf, type Verdict } from "./verdict.ts"

export interface AdapterOptions {
  /** Answers requests without a valid proof (401, 403 or 503), instead of passing the verdict on. */
  readonly require?: boolean
}

const refusalBody = ({ reason, message }: Verdict): string => JSON.stringify({ error: reason, message })

const refusalResponse = (verdict: Verdict): Response =>
  new Response(refusalBody(verdict), {
    status: statusOf(verdict),
    headers: { "content-type": "application/json", "cache-control": "no-store" }
  })

const judged = new WeakMap<object, WeakMap<Verifier, Promise<Verdict>>>()

/**
 * Middleware may be called twice for one request. A second check would find the request's own nonce and report a
 * replay.
 */
const judgedOnce = (verifier: Verifier, request: object, check: () => Promise<Verdict>): Promise<Verdict> => {
  const known = judged.get(request) ?? new WeakMap<Verifier, Promise<Verdict>>()
  judged.set(request, known)
  const verdict = known.get(verifier) ?? check()
  known.set(verifier, verdict)
  return verdict
}

/**
 * For handlers of Fetch requests (Workers, Deno, Bun). The handler gets the verdict as an argument after the request.
 */
export const fetchHandler =
  <R extends FetchRequest, Rest extends ReadonlyArray<unknown>, A>(
    verifier: Verifier,
    handler: (request: R, verdict: Verdict, ...rest: Rest) => A | Promise<A>,
    options: AdapterOptions = {}
  ) =>
  async (request: R, ...rest: Rest): Promise<A | Response> => {
    const verdict = await verifier.check(request)
    // Workers end the work of a request together with the request, unless it is passed to `waitUntil`.
    const context = rest[1] as { waitUntil?(work: Promise<unknown>): void } | undefined
    context?.waitUntil?.(verifier.settled())
    return options.require === true && !verdict.valid ? refusalResponse(verdict) : handler(request, verdict, ...rest)
  }

export interface ExpressRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: HeaderRecord
  hubAgent?: Verdict
}
export interface ExpressResponse {
  status(code: number): { type(type: string): { send(body: string): unknown } }
}

/** Middleware for Express: the verdict becomes `req.hubAgent`. */
export const express =
  (verifier: Verifier, options: AdapterOptions = {}) =>
  (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void): void => {
    const { method, originalUrl: path, headers } = request
    judgedOnce(verifier, request, () => verifier.check({ method, path, headers })).then((verdict) => {
      request.hubAgent = verdict
      if (options.require !== true || verdict.valid) return next()
      response.status(statusOf(verdict)).type("application/json").send(refusalBody(verdict))
    }, next)
  }

export interface HonoContext {
  readonly req: { readonly raw: FetchRequest }
  set(name: "hubAgent", value: Verdict): void
}

/** Middleware for Hono: the verdict is `c.get("hubAgent")`. */
export const hono =
  (verifier: Verifier, options: AdapterOptions = {}) =>
  async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const verdict = await judgedOnce(verifier, context.req.raw, () => verifier.check(context.req.raw))
    context.set("hubAgent", verdict)
    if (options.require === true && !verdict.valid) return refusalResponse(verdict)
    await next()
    return undefined
  }
