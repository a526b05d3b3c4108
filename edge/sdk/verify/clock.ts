/** Estimates the hub's clock from its answers. */
import { TIMESTAMP_PATTERN } from "../../../schemas/signing/request.ts"
import { BOUNDS } from "./bounds.ts"
import type { FetchResponse } from "./interface.ts"
import type { Settings } from "./settings.ts"

/** Timestamps are judged by this estimate. With `clock: "own"`, it is the verifier's own clock. */
export class HubClock {
  aheadMs = 0
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  seconds(): number {
    return Math.floor((this.settings.now() + this.aheadMs) / 1000)
  }

  /** An answer from a shared cache (`Age`) has an old time, so it is ignored. */
  learn(response: FetchResponse, asked: number): void {
    const now = this.settings.now()
    const text = response.headers.get("x-hub-server-time") ?? ""
    if (this.settings.clock === "own" || now - asked > BOUNDS.clockRoundTripMs || now < asked) return
    if (!TIMESTAMP_PATTERN.test(text) || (response.headers.get("age") ?? "0") !== "0") return
    const ahead = Number(text) * 1000 + 500 - (asked + now) / 2
    this.aheadMs = Math.abs(ahead) > BOUNDS.clockToleranceMs ? Math.round(ahead) : 0
  }
}
