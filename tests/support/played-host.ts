/**
 * A host of compartments without an engine, for tests of its clients. It reports, makes keys and opens boxes like real
 * hosts (actors/runtime/boxes.ts). The test defines what it tells about programs.
 */
import { randomBytes } from "node:crypto"
import { type Boxes, boxesOf, newAgentKey } from "../../actors/runtime/boxes.ts"
import { KEY_NAME } from "../../actors/runtime/order.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Reported } from "../../schemas/compartment/operations.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { subjects } from "../../schemas/subjects.ts"
import { VERSION } from "../../schemas/version.ts"
import type { TestService } from "./service.ts"

export type HostSays = Queries["host_logs"]["output"] & Queries["host_stats"]["output"]

export const SILENT: HostSays = { lines: [], stats: null, disk_mb: 0, history: [] }

const BEAT_MS = 5000
const encoder = new TextEncoder()

export class PlayedHost {
  readonly id = `host_${randomBytes(8).toString("hex")}`
  readonly boxes: Boxes
  /** The number of requests for logs. */
  asked = 0
  /** The number of requests for keys. */
  keys = 0
  says: HostSays = SILENT
  /** True if it answers requests for a new key. */
  givesKeys = true
  readonly #service: TestService
  #max: number
  #beat: NodeJS.Timeout | undefined
  readonly #ends: Array<() => void> = []

  private constructor(service: TestService, boxes: Boxes, max: number) {
    this.#service = service
    this.boxes = boxes
    this.#max = max
  }

  static async start(service: TestService, max: number): Promise<PlayedHost> {
    const host = new PlayedHost(service, await boxesOf(randomBytes(32)), max)
    host.#serve("host_new_key", "any", ({ compartment }: Queries["host_new_key"]["input"]) => {
      host.keys++
      const { publicKey, seed } = newAgentKey()
      return host.givesKeys
        ? { public_key: publicKey, box: host.boxes.seal(seed, compartment, KEY_NAME) }
        : new Error("no key")
    })
    host.#serve("host_stats", host.id, () => {
      const { stats, disk_mb, history } = host.says
      return { stats, disk_mb, history }
    })
    host.#serve("host_logs", host.id, () => {
      host.asked++
      const { lines, cut } = host.says
      return cut === undefined ? { lines } : { lines, cut }
    })
    await host.report(max)
    host.#beat = setInterval(() => void host.report().catch(() => undefined), BEAT_MS)
    return host
  }

  /** Reports the host's state. */
  async report(max = this.#max): Promise<void> {
    this.#max = max
    await this.#service.view.command("fleet.report", FLEET_ID, {
      host: this.id,
      name: "played",
      max,
      reason: null,
      isolation: "runc",
      image: `hub-compartment:${VERSION}`,
      public_key: this.boxes.publicKey,
      firewall: true,
      egress: true
    })
  }

  /** Reports the state of a compartment. */
  async tells(compartment: string, told: Reported): Promise<void> {
    await this.#service.view.command("compartment.report", compartment, { host: this.id, told })
  }

  stop(): void {
    clearInterval(this.#beat)
    for (const end of this.#ends) end()
  }

  #serve<Input>(view: string, at: string, answer: (input: Input) => unknown): void {
    const subscription = this.#service.view.nats.subscribe(subjects.query(view, at), {
      callback: (_error, message) => {
        const data = answer(JSON.parse(message.string()))
        const refused = { code: "runtime_unavailable", message: "The host cannot tell." }
        const reply = data instanceof Error ? { ok: false, refused } : { ok: true, data }
        message.respond(encoder.encode(JSON.stringify(reply)))
      }
    })
    this.#ends.push(() => subscription.unsubscribe())
  }
}
