/** A timer that is in a backup's tail comes back whole. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { ScheduledTimers } from "../../actors/engine/timers.ts"
import { HashedFile } from "../../ops/backup/files.ts"
import { copyRest, writeTail } from "../../ops/backup/tail.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { startBus } from "../actors/engine/bus.ts"

test("its schedule, its target and the time to live of its fired message come back", async () => {
  const bus = await startBus()
  try {
    await new ScheduledTimers(bus.nats).set("test", "one", "due", Date.now() + 600_000)
    const path = join(bus.servers.folder, `tail-${Date.now()}`)
    const file = await HashedFile.create(path)
    await copyRest({ nats: bus.nats, manager: bus.manager }, streams.timers, 0, file, new AbortController().signal)
    await file.end()
    const headersNow = async () => {
      const found = await bus.manager.streams.getMessage(streams.timers, { last_by_subj: subjects.timerSets })
      return [...(found?.header ?? [])].map(([name]) => name).toSorted()
    }
    const was = await headersNow()
    await bus.manager.streams.purge(streams.timers)
    await writeTail(bus.nats, path, 0, false)
    const is = await headersNow()
    expect(is).toEqual(was)
  } finally {
    await bus.stop()
  }
})
