/**
 * Limits the time and the commands of a client's SMTP session. A client that sends one byte before each idle timeout is
 * disconnected too.
 *
 * Invariants
 *  - A session ends after `session_ms`, after `data_ms` in one DATA phase, or after more than `commands_max` commands.
 *  - A session ends after `idle_ms` without progress towards a message. NOOP, RSET, a second EHLO and repeated steps
 *    after RSET are no progress.
 *  - A complete message is answered before its session ends. Otherwise its sender would send it again.
 */
import type { Clock } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { after, type Cancel } from "../../../schemas/runtime/clock.ts"

type Bounds = Pick<Limits["service"]["mail"], "session_ms" | "data_ms" | "idle_ms" | "commands_max">

const SESSION_OVER = "4.4.2 This session took too long, come again"
const DATA_OVER = "4.4.2 This message took too long, come again"
const IDLE = "4.4.2 No message came, come again"
const TOO_MUCH_SAID = "4.7.0 Too many commands, come again"

/** The progress after a message: the client has sent EHLO and STARTTLS, and may send MAIL again. */
const MESSAGE_DONE = 2

interface Session {
  commands: number
  /** The furthest step that the client has reached with its present message. */
  step: number
  readonly cancel: Cancel
  idle: Cancel
  data: Cancel | null
  answering: boolean
  isOver: boolean
}

export class Sessions {
  private readonly clock: Clock.Clock
  private readonly bounds: Bounds
  private readonly end: (id: string, words: string) => void
  private readonly sessions = new Map<string, Session>()

  /** `end`: sends the client a last line and closes the connection. */
  constructor(clock: Clock.Clock, bounds: Bounds, end: (id: string, words: string) => void) {
    this.clock = clock
    this.bounds = bounds
    this.end = end
  }

  get size(): number {
    return this.sessions.size
  }

  began(id: string): void {
    const cancel = after(this.clock, this.bounds.session_ms, () => this.over(id), "unref")
    const idle = this.idleFrom(id)
    this.sessions.set(id, { commands: 0, step: 0, cancel, idle, data: null, answering: false, isOver: false })
  }

  /**
   * Called after a command that may be progress. `step`: the step that it reached. Returns true if that is progress.
   */
  advanced(id: string, step: number): boolean {
    const session = this.sessions.get(id)
    if (session === undefined || step <= session.step) return false
    session.step = step
    session.idle()
    session.idle = this.idleFrom(id)
    return true
  }

  said(id: string): void {
    const session = this.sessions.get(id)
    if (session !== undefined && ++session.commands > this.bounds.commands_max) this.end(id, TOO_MUCH_SAID)
  }

  dataBegan(id: string): void {
    const session = this.sessions.get(id)
    if (session === undefined) return
    session.idle()
    session.data = after(this.clock, this.bounds.data_ms, () => this.end(id, DATA_OVER), "unref")
  }

  dataEnded(id: string): void {
    const session = this.sessions.get(id)
    if (session === undefined) return
    session.data?.()
    session.data = null
    session.answering = true
  }

  answered(id: string): void {
    const session = this.sessions.get(id)
    if (session === undefined) return
    session.answering = false
    session.step = MESSAGE_DONE
    session.idle = this.idleFrom(id)
    if (session.isOver) this.end(id, SESSION_OVER)
  }

  /** Called when the connection is closed. Returns true if its session had begun. */
  ended(id: string): boolean {
    const session = this.sessions.get(id)
    if (session === undefined) return false
    session.cancel()
    session.idle()
    session.data?.()
    return this.sessions.delete(id)
  }

  private idleFrom(id: string): Cancel {
    return after(this.clock, this.bounds.idle_ms, () => this.end(id, IDLE), "unref")
  }

  private over(id: string): void {
    const session = this.sessions.get(id)
    if (session === undefined) return
    session.isOver = true
    if (!session.answering) this.end(id, SESSION_OVER)
  }
}
