/**
 * Verifies visitors of the service's own pages, as any website can, and reports the result in a header. No visitor is
 * refused for it (spec 4.7).
 */
import { parse } from "../bus/bus.ts"
import { Effect } from "effect"
import type { Verdict } from "../../schemas/identity/records.ts"
import { announcedNumber } from "../../schemas/signing/identity.ts"
import type { Call } from "../http/call.ts"
import type { Judge } from "./judge.ts"
import { hostLine } from "./reading.ts"

const WAIT_MAX_MS = 500

/** The host of the request, if it is one of the service's; otherwise the first configured one. */
export const ownHost = (call: Call, hosts: ReadonlyArray<string>): string => {
  const called = hostLine(call.header("host") ?? "") ?? ""
  return hosts.includes(called) ? called : (hosts[0] ?? "")
}

/** True if the answer depends on the caller. A cache must not give it to other callers. */
export const dependsOnVisitor = ({ headers }: Call): boolean =>
  headers["hub-id-verified"] !== undefined || headers["hub-id-announced"] !== undefined

export const checkVisitor = (call: Call, judge: Judge, hosts: ReadonlyArray<string>): Effect.Effect<void> => {
  const { headers } = call.request
  const signs =
    headers["hub-id"] ??
    headers["hub-timestamp"] ??
    headers["hub-nonce"] ??
    headers["hub-signature"] ??
    headers["signature-agent"]
  if (signs === undefined) {
    const announced = announcedNumber(headers["user-agent"] ?? "")
    if (announced !== null) call.headers["hub-id-announced"] = `${announced}; not verified`
    return Effect.void
  }
  const sent = call.request.url ?? "/"
  const report = {
    method: call.method,
    host: ownHost(call, hosts),
    path: sent.startsWith("/") ? sent : call.target,
    headers
  }
  return judge(call, report).pipe(
    Effect.map((said) => {
      const verdict = parse<Verdict>(said)
      call.headers["hub-id-verified"] = verdict.valid ? (verdict.id ?? "") : `invalid; reason=${verdict.reason}`
    }),
    Effect.timeout(WAIT_MAX_MS),
    Effect.ignore
  )
}
