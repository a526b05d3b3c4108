/**
 * `hub rebuild`: the read models made again from the log. Taking the watermark away is all it does: the projector
 * notices within a second, empties the tables and reads from the beginning (actors/projections/projector.ts).
 */
import { setTimeout as delay } from "node:timers/promises"
import { mainProjection } from "../../actors/projections/main.ts"
import { streams } from "../../schemas/subjects.ts"
import { Fault } from "./fault.ts"
import type { Command } from "./command.ts"

const POLL_MS = 100
const STALLED_AFTER_MS = 60_000

export const rebuildCommand: Command = {
  usage: ["rebuild"],
  run: async (service) => {
    const { name } = mainProjection
    const head = (await service.manager.streams.info(streams.events)).state.last_seq
    const began = Date.now()
    await service.db.updateTable("projections").set({ version: 0, seq: 0 }).where("name", "=", name).execute()
    let last = 0
    let movedAt = Date.now()
    for (;;) {
      const row = await service.db.selectFrom("projections").select(["seq", "version"]).where("name", "=", name).executeTakeFirst()
      const seq = row === undefined || row.version === 0 ? 0 : Number(row.seq)
      if (seq >= head) break
      if (seq !== last) {
        process.stderr.write(`rebuilt ${seq} of ${head}\n`)
        movedAt = Date.now()
      }
      last = seq
      if (Date.now() - movedAt > STALLED_AFTER_MS) throw new Fault("nothing moves: does an actor process run?")
      await delay(POLL_MS)
    }
    const seconds = (Date.now() - began) / 1000
    return `read models rebuilt: ${head} sequences in ${seconds.toFixed(1)} s`
  }
}
