/** A system whose bus may store little, and what takes its room away. */
import { drawPort } from "../../ops/launcher/ports.ts"
import type { SystemOptions } from "../harness/index.ts"
import { PRODUCT_DEADLINE, type TestService, testService } from "../support/service.ts"

/** For each answer of a server whose disk is nearly full. */
const STORED_WITHIN_MS = 60_000
const MIB = 1_048_576
export const STORE_BYTES = 48 * MIB
export const FLOOR_BYTES = 8 * MIB
const BALLAST = "BALLAST"
const PIECE = new Uint8Array(500_000)

export const smallDisk = async (options: SystemOptions = {}): Promise<TestService> => {
  const port = await drawPort()
  const small = ["nonces", "proofs", "verified", "seen", "limits", "leases"].map(
    (name) => [`service.${name}_max_bytes`, MIB] as const
  )
  const service = await testService({
    processes: true,
    ...options,
    natsStoreMaxBytes: STORE_BYTES,
    natsConfig: `http: "127.0.0.1:${port}"`,
    limits: {
      ...PRODUCT_DEADLINE,
      ...Object.fromEntries(small),
      "service.agents": 64,
      "service.idempotency_min_bytes": MIB,
      // At this size a part of it is less than an answer.
      "service.answer_owners_min": 1,
      "service.answer_new_agent_parts": 1,
      "service.storage_free_min_bytes": FLOOR_BYTES,
      ...options.limits
    },
    env: { HUB_NATS_MONITOR: `http://127.0.0.1:${port}` }
  })
  await service.view.manager.streams.add({ name: BALLAST, subjects: ["ballast"] })
  return service
}

/** Takes room until the condition holds, or the server gives no more. */
export const takeRoom = async (
  { view }: Pick<TestService, "view">,
  enough: (stored: number) => boolean
): Promise<void> => {
  for (;;) {
    const { storage } = await view.manager.getAccountInfo()
    if (enough(storage)) return
    const reply = await view.nats.request("ballast", PIECE, { timeout: STORED_WITHIN_MS })
    if (reply.json<{ error?: unknown }>().error !== undefined) return
  }
}

export const giveRoom = async ({ view }: Pick<TestService, "view">): Promise<void> => {
  await view.manager.streams.delete(BALLAST)
}
