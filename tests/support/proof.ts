/** The agent's part of proving itself to a website (spec 5.3), and the website's request to the service. */
import { randomBytes, sign } from "node:crypto"
import { identityString } from "../../schemas/signing/identity.ts"
import type { Verdict } from "../../schemas/identity/records.ts"
import { type Answer, send } from "./http.ts"
import type { Identity } from "./identity.ts"
import { dataOf } from "./outcome.ts"

export interface Visit {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface VisitOptions {
  readonly method?: string
  readonly host?: string
  readonly path?: string
  readonly timestamp?: string
  readonly nonce?: string
}

/** The fields of a verdict that names no agent. */
export const NOBODY = {
  id: null,
  handle: null,
  name: null,
  trust: null,
  reputation: null,
  status: null,
  moderation: null,
  profile_url: null,
  id_url: null
}

export const unixNow = (): number => Math.floor(Date.now() / 1000)

/** A request to a website with the four headers of a proof. */
export function visit(identity: Identity, number: string, options: VisitOptions = {}): Visit {
  const { method = "GET", host = "shop.example", path = "/offers?page=2" } = options
  const timestamp = options.timestamp ?? String(unixNow())
  const nonce = options.nonce ?? randomBytes(18).toString("base64url")
  const text = identityString({ method, host, path, timestamp, nonce })
  return {
    method,
    host,
    path,
    headers: {
      "Hub-Id": number,
      "Hub-Timestamp": timestamp,
      "Hub-Nonce": nonce,
      "Hub-Signature": sign(null, Buffer.from(text), identity.privateKey).toString("base64")
    }
  }
}

export const verifyAt = (
  edge: string,
  report: unknown,
  headers: Readonly<Record<string, string>> = {}
): Promise<Answer> =>
  send({
    edge,
    method: "POST",
    path: "/api/v1/id/verify",
    headers,
    body: typeof report === "string" ? report : JSON.stringify(report)
  })

export const verdictAt = async (edge: string, report: unknown): Promise<Verdict> =>
  dataOf<Verdict>(await verifyAt(edge, report))
