/**
 * Passes a program's command and environment through the FIFO `env`, which the first process of its container reads
 * (entry.ts). So they are in no file, no argument and no answer of the engine.
 *
 * Invariants
 *  - Afterwards the FIFO is removed, because a program that keeps it open would look like a first process that waits.
 *  - One call passes them twice at most. A process that asks a third time is refused with a `HostFault`.
 */
import { constants } from "node:fs"
import { open, rm } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { HostFault, LastingFault } from "./fault.ts"
import type { StartedProgram } from "./types.ts"

const GIVEN_MAX_BYTES = 2 * 1024 * 1024
/** Long enough for the first process to open the FIFO on a machine under load. */
const READER_WAIT_MS = 20_000
const WRITE_MAX_MS = 20_000
/** The time limit of the second time, when the first process has shown that it reads. */
const WRITE_AGAIN_MAX_MS = 2_000
const TAKEN_MAX_MS = 5_000
/** The time within which a first process asks again if it lost part of its input. */
const ASKS_AGAIN_MS = 200
const PAUSE_MS = 10

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Encodes the number of fields, the command, each `NAME=value`, and a point, which marks the end. Each of them ends
 * with a zero byte.
 */
export function encodeGiven({ command, env }: StartedProgram): Buffer {
  for (const [name, value] of env)
    if (!NAME.test(name) || value.includes("\0")) throw new LastingFault("a name or value of the environment is none")
  if (command.includes("\0")) throw new LastingFault("the command has a character that no command has")
  const pairs = [...env].map(([name, value]) => `${name}=${value}`)
  const bytes = Buffer.from([pairs.length, command, ...pairs, ".", ""].join("\0"))
  if (bytes.length > GIVEN_MAX_BYTES) throw new LastingFault("the environment is too large")
  return bytes
}

const codeOf = (cause: unknown): unknown => (cause as { code?: unknown } | null)?.code

/** null if no process reads the FIFO, or it does not exist. */
async function openForWriting(path: string): Promise<Awaited<ReturnType<typeof open>> | null> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (cause) {
    if (codeOf(cause) === "ENXIO" || codeOf(cause) === "ENOENT") return null
    throw cause
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Buffer, maxMs: number): Promise<void> {
  const end = Date.now() + maxMs
  for (let done = 0; done < bytes.length;) {
    try {
      done += (await file.write(bytes, done)).bytesWritten
    } catch (cause) {
      if (codeOf(cause) !== "EAGAIN") throw cause
      if (Date.now() > end) throw new HostFault("the compartment does not take its environment", { cause })
      await delay(PAUSE_MS)
    }
  }
}

/**
 * Waits until the first process has closed the FIFO. While it still reads, it looks as if it asked again, and the next
 * call would write everything a second time.
 */
async function untilTaken(path: string): Promise<void> {
  for (const end = Date.now() + TAKEN_MAX_MS; Date.now() < end; await delay(PAUSE_MS))
    if (!(await isAwaited(path))) return
}

interface Delivery {
  /** Called when a process reads the FIFO, before anything is written. */
  readonly before: () => Promise<void>
  readonly gone: () => Promise<boolean>
}

/** Writes when the first process reads. Fails if the container is gone. */
async function deliverOnce(path: string, bytes: Buffer, { before, gone }: Delivery, maxMs: number): Promise<void> {
  const end = Date.now() + READER_WAIT_MS
  for (;;) {
    const file = await openForWriting(path)
    if (file !== null) {
      try {
        await before()
        await writeAll(file, bytes, maxMs)
      } finally {
        await file.close()
      }
      return untilTaken(path)
    }
    if (await gone()) throw new HostFault("the container ended before its program was started")
    if (Date.now() > end) throw new HostFault("the container's first process does not ask for its environment")
    await delay(PAUSE_MS)
  }
}

/** Resolves when the first process has read everything. A second try may be needed if the host dies in between. */
export async function deliver(path: string, bytes: Buffer, delivery: Delivery): Promise<void> {
  await deliverOnce(path, bytes, delivery, WRITE_MAX_MS)
  let isEndless = false
  if (await asksAgain(path)) {
    await deliverOnce(path, bytes, delivery, WRITE_AGAIN_MAX_MS)
    isEndless = await asksAgain(path)
  }
  await rm(path, { force: true })
  if (isEndless) throw new HostFault("what runs in the container asks for its environment again and again")
}

/** True while a first process waits for its program's input. */
async function isAwaited(path: string): Promise<boolean> {
  const file = await openForWriting(path)
  await file?.close()
  return file !== null
}

/** After a part was written: true if the first process waits for everything again. */
export async function asksAgain(path: string): Promise<boolean> {
  for (const end = Date.now() + ASKS_AGAIN_MS; Date.now() < end; await delay(PAUSE_MS))
    if (await isAwaited(path)) return true
  return false
}
