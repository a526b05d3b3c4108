/** The lag of read models and reactions behind the log, and the commits that were passed over. */
import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream"
import type { Kysely } from "kysely"
import type { Database } from "../../actors/database.ts"
import type { Service } from "./connection.ts"

/** The server forgets a consumer that was left behind. */
const COUNTED_WITHIN_NS = 10_000_000_000

interface Part {
  readonly stream: string
  readonly subjects: ReadonlyArray<string>
}

/** Messages that are not done yet, as a consumer that began there would have to deliver. */
export const behind = async ({ manager }: Service, { stream, subjects }: Part, watermark: number): Promise<number> => {
  const { name, num_pending } = await manager.consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: watermark + 1,
    filter_subjects: [...subjects],
    inactive_threshold: COUNTED_WITHIN_NS,
    mem_storage: true,
    num_replicas: 1
  })
  await manager.consumers.delete(stream, name)
  return num_pending
}

/** A commit whose rows could not be written whole (projections/applier.ts). */
export interface PassedOver {
  readonly projection: string
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly error: string
}

/** Named of each projection: the first ones. */
const PASSED_OVER_MAX = 1000

export const passedOver = async (db: Kysely<Database>): Promise<ReadonlyArray<PassedOver>> => {
  const rows = await db.selectFrom("projection_faults").selectAll().orderBy("seq").limit(PASSED_OVER_MAX).execute()
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}
