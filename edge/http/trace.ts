/**
 * A request as the first step of a trace. A client's own `traceparent` is used only if a proxy in front is trusted
 * (HUB_TRUST_PROXY). Strangers must not be able to have their requests sampled, or to join another's trace.
 */
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { TRACEPARENT } from "../../schemas/runtime/trace/traceparent.ts"
import type { Call } from "./call.ts"

/** Other methods are recorded as `_OTHER`, because a client can send any name. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "CONNECT",
  "TRACE"
])

export class RequestTraces {
  private readonly tracing: Tracing
  private readonly trusted: boolean

  constructor(tracing: Tracing, trusted: boolean) {
    this.tracing = tracing
    this.trusted = trusted
  }

  begin(call: Call): void {
    if (this.tracing.on)
      call.span = this.tracing.begin("HTTP", "server", this.trusted ? call.header(TRACEPARENT) : undefined)
  }

  /** `status` is `null` if the client disconnected before its answer. */
  end({ span, method, endpoint, id }: Call, status: number | null): void {
    if (span === null) return
    const known = METHODS.has(method)
    if (known) span.name = endpoint === null ? method : `${method} ${endpoint.path}`
    span.set("http.request.method", known ? method : "_OTHER").set("hub.request_id", id)
    if (endpoint !== null) span.set("http.route", endpoint.path)
    if (status === null) span.set("hub.outcome", "client_gone")
    else span.set("http.response.status_code", status)
    if (status !== null && status >= 500) span.fail(String(status))
    span.end()
  }
}
