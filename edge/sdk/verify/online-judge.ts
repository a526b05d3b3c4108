/** Asks the hub for each verdict. */
import { announcedNumber } from "../../../schemas/signing/identity.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import { discard, readJson } from "./answer.ts"
import { BOUNDS } from "./bounds.ts"
import { Pause } from "./pause.ts"
import { verdictOf } from "./record.ts"
import { HEADER_NAMES, PROOF_HEADERS, readFields, type Request } from "./request.ts"
import type { Settings } from "./settings.ts"
import { refuse, type Verdict } from "./verdict.ts"
import { within } from "./within.ts"

const USER_AGENT = HEADER_NAMES.indexOf("user-agent")

export class OnlineJudge {
  private readonly pause = new Pause()
  private underWay = new Set<Promise<unknown>>()
  private readonly closing = new AbortController()
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  async judge(request: Request): Promise<Verdict> {
    const fields = readFields(request.headers, PROOF_HEADERS)
    const silent = fields.every((text, index) => text === null || index === USER_AGENT)
    if (silent && announcedNumber(fields[USER_AGENT] ?? "") === null) return refuse("headers_missing")
    const headers = Object.fromEntries(
      PROOF_HEADERS.map((name, index) => [name, fields[index]]).filter(([, text]) => text !== null)
    )
    let verdict: Verdict | null = null
    for (const host of this.settings.hosts) {
      verdict = await this.ask({ method: request.method, host, path: request.path, headers })
      if (verdict?.reason !== "bad_signature") break
    }
    return verdict ?? refuse("hub_unreachable")
  }

  async settled(): Promise<void> {
    await Promise.all(this.underWay)
  }

  close(): void {
    this.closing.abort()
  }

  private async ask(body: unknown): Promise<Verdict | null> {
    const { settings } = this
    if (this.pause.lasts(settings.now()) || this.underWay.size >= BOUNDS.waitingChecks || this.closing.signal.aborted)
      return null
    const asked = within(
      Math.min(settings.waitMs, settings.fetchTimeoutMs),
      async (signal) => {
        const headers = { accept: "application/json", "content-type": "application/json" }
        const response = await settings.fetch(`${settings.hub}${API_PREFIX}/id/verify`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
          redirect: "manual",
          signal
        })
        this.pause.heed(response, settings.now())
        if (response.status === 200) return verdictOf(await readJson(response, BOUNDS.verdictBytes, signal))
        discard(response)
        return null
      },
      this.closing.signal
    ).catch(() => null)
    this.underWay.add(asked)
    try {
      return await asked
    } finally {
      this.underWay.delete(asked)
    }
  }
}
