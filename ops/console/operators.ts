/**
 * Identifies the users of the console, by the cookie of the browser.
 *
 * Invariants
 *  - The account is asked about its session for each page, so a session that has ended there has ended here. While the
 *    account's actor does not answer, a session that was valid in this process stays valid until its time is over.
 *    Otherwise an outage of the actors would close the console.
 *  - A session of the console opens none of the owner's pages, and the other way round.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { Forms } from "../../edge/kit/owner/form-token.ts"
import { bearerOf } from "../../edge/human/bearer.ts"
import type { Bearer } from "../../edge/http/person.ts"
import type { Call } from "../../edge/http/call.ts"
import { type Cookie, strictCookies } from "../../edge/http/cookies.ts"
import type { Refused } from "../../edge/http/refused.ts"
import { CONSOLE_SESSION_SECONDS } from "../../schemas/human/limits.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Links } from "./links.ts"
import type { Operator } from "./page.ts"
import type { ConsoleParts } from "./parts.ts"

const BROWSER_BYTES = 32
/** Milliseconds that an account may take to say whether a session is valid. */
const ASKED_WITHIN_MS = 2000
const REMEMBERED_MAX = 64

export interface Guest {
  readonly forms: Forms
}

export interface Entered extends Guest {
  readonly operator: Operator
  readonly token: string
}

export class Operators {
  private readonly parts: ConsoleParts
  private readonly links: Links
  private readonly session: Cookie
  private readonly browser: Cookie
  /**
   * Sessions that were valid at their last check, by the hash of their token. Each has the time, in Unix ms, until
   * which it stays valid while its account's actor does not answer.
   */
  private readonly held = new Map<string, number>()

  constructor(parts: ConsoleParts, links: Links) {
    this.parts = parts
    this.links = links
    const cookie = strictCookies(parts.config.console.url)
    this.session = cookie("hub_console")
    this.browser = cookie("hub_console_form")
  }

  entered(call: Call): Effect.Effect<Entered | null, Refused> {
    const token = this.session.of(call)
    if (token === null) return Effect.succeed(null)
    const name = this.links.operatorOf(token)
    if (name !== null) return Effect.succeed({ operator: { name, by: "link" }, token, forms: new Forms(token) })
    const bearer = bearerOf(token)
    if (bearer === null) return Effect.succeed(null)
    const operator: Operator = { name: bearer.human, by: "account" }
    return Effect.map(this.holds(call, bearer), (holds) =>
      holds ? { operator, token, forms: new Forms(token) } : null
    )
  }

  guest(call: Call): Guest {
    let secret = this.browser.of(call)
    if (secret === null) {
      secret = randomBytes(BROWSER_BYTES).toString("base64url")
      this.browser.set(call, secret, null)
    }
    return { forms: new Forms(secret) }
  }

  begin(call: Call, token: string): void {
    this.session.set(call, token, CONSOLE_SESSION_SECONDS)
  }

  leave(call: Call, { token, operator }: Entered): Effect.Effect<void, Refused> {
    this.session.clear(call)
    this.links.leave(token)
    const bearer = bearerOf(token)
    if (operator.by === "link" || bearer === null) return Effect.void
    this.held.delete(bearer.token)
    const closed = this.parts.bus.ask(call, {
      actor: bearer.human,
      op: "human.close_console",
      input: { token: bearer.token }
    })
    return Effect.asVoid(closed)
  }

  private holds(call: Call, { human, token }: Bearer): Effect.Effect<boolean, Refused> {
    const { bus, clock } = this.parts
    const now = wallMs(clock)
    const asked = bus.read(call, {
      actor: human,
      op: "human.console_session",
      input: { token },
      anew: true,
      deadline: now + ASKED_WITHIN_MS
    })
    return Effect.catch(
      Effect.map(asked, () => {
        this.remember(token, now)
        return true
      }),
      (failed) => {
        if (failed.refusal.code !== "session_invalid")
          return (this.held.get(token) ?? 0) > now ? Effect.succeed(true) : Effect.fail(failed)
        this.held.delete(token)
        return Effect.succeed(false)
      }
    )
  }

  /** Only the first call sets the time, because later ones would extend the session. */
  private remember(token: string, now: number): void {
    if (this.held.has(token)) return
    const [oldest] = this.held.keys()
    if (this.held.size >= REMEMBERED_MAX && oldest !== undefined) this.held.delete(oldest)
    this.held.set(token, now + CONSOLE_SESSION_SECONDS * 1000)
  }
}
