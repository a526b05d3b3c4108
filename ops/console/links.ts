/**
 * One-time links into the console, for anybody with the operator's rights on the bus. `npm start` prints one; `hub
 * console link` requests another.
 *
 * Invariants
 *  - A link can be used once, within `LINK_SECONDS`. Its secret is stored here as a hash, and is never logged.
 *  - Sessions that began with a link exist only in this process, and end with it.
 */
import { randomBytes } from "node:crypto"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock } from "effect"
import { OPERATOR_NAME } from "../../actors/engine/command-ids.ts"
import { tokenHash } from "../../edge/human/token-hash.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"

const LINK_SECONDS = 600
const SECRET_BYTES = 32
/** The most unused links, and the most sessions. If there are as many, a new one replaces the oldest. */
const KEPT_MAX = 16

interface KeptLink {
  readonly operator: string
  /** Unix ms. */
  readonly until: number
}

/** Secrets with an expiry, by their hashes. */
class Secrets {
  private readonly kept = new Map<string, KeptLink>()
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  make(operator: string, seconds: number): string {
    const secret = randomBytes(SECRET_BYTES).toString("base64url")
    const [oldest] = this.kept.keys()
    if (this.kept.size >= KEPT_MAX && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(tokenHash(secret), { operator, until: wallMs(this.clock) + seconds * 1000 })
    return secret
  }

  of(secret: string): string | null {
    const found = this.kept.get(tokenHash(secret))
    return found !== undefined && found.until > wallMs(this.clock) ? found.operator : null
  }

  end(secret: string): void {
    this.kept.delete(tokenHash(secret))
  }
}

export class Links {
  private readonly unused: Secrets
  private readonly sessions: Secrets

  constructor(clock: Clock.Clock) {
    this.unused = new Secrets(clock)
    this.sessions = new Secrets(clock)
  }

  make(operator: string): string {
    return this.unused.make(operator, LINK_SECONDS)
  }

  /** Uses a link. Returns the token of a session; `null` if the link is no longer valid. */
  enter(secret: string, seconds: number): string | null {
    const operator = this.unused.of(secret)
    this.unused.end(secret)
    return operator === null ? null : this.sessions.make(operator, seconds)
  }

  operatorOf(token: string): string | null {
    return this.sessions.of(token)
  }

  leave(token: string): void {
    this.sessions.end(token)
  }
}

/**
 * Answers requests for links on the bus, which only the operator may send. Resolves once it can be asked, with a
 * function that stops it.
 */
export const answerLinks = async (nats: NatsConnection, links: Links, url: string): Promise<() => void> => {
  const asked = nats.subscribe(subjects.consoleLink, {
    callback: (error, message) => {
      if (error !== null) return
      const name = message.string()
      message.respond(OPERATOR_NAME.test(name) ? `${url}/enter?key=${links.make(name)}` : "")
    }
  })
  await nats.flush()
  return () => asked.unsubscribe()
}
