/** A stream goes back in small pieces: the server gives a restore up where one piece takes it 5 s, on however slow a disk. */
import { randomBytes } from "node:crypto"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { expect, onTestFinished, test } from "vitest"
import { beginCopy, copyBack } from "../../ops/backup/snapshot.ts"
import { connectTo, startServers } from "../harness/index.ts"

const MESSAGES = 600
const MESSAGE_BYTES = 1000
/** Some 300 small messages that compress well take 3 s at 10 ms for each flush. */
const PIECE_MAX_BYTES = 16_384

test("no piece holds more messages than a slow disk flushes in time", async () => {
  const servers = await startServers()
  onTestFinished(() => servers.stop())
  const nats = await connectTo(servers.nats.url)
  onTestFinished(() => nats.close())
  const manager = await jetstreamManager(nats)
  await manager.streams.add({ name: "COPIED", subjects: ["copied.>"] })
  const stream = jetstream(nats)
  await Promise.all(
    Array.from({ length: MESSAGES }, (_, index) => stream.publish(`copied.${index}`, randomBytes(MESSAGE_BYTES)))
  )
  const file = join(servers.folder, "copied")
  const { signal } = new AbortController()
  const copying = await beginCopy(nats, "COPIED", (chunk) => appendFile(file, chunk), signal)
  await copying.copied
  await manager.streams.delete("COPIED")

  const pieces: Array<number> = []
  const made = await copyBack(nats, copying, file, (bytes) => pieces.push(bytes), signal)
  expect(made.messages).toBe(MESSAGES)
  expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan((MESSAGES * MESSAGE_BYTES) / 2)
  expect(Math.max(...pieces)).toBeLessThanOrEqual(PIECE_MAX_BYTES)
})
