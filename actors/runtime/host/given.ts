/**
 * What a program is given at its start - command and environment - through the FIFO `env`, which its container's first
 * process reads (entry.ts). So it stands in no file, no argument and no answer of the engine.
 */
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { HostFault, LastingFault } from "./fault.ts"
import type { Given } from "./types.ts"

export const GIVEN_MAX_BYTES = 2 * 1024 * 1024
/** The first process opens its end as soon as it runs; under load it takes its time. */
const READER_WAIT_MS = 20_000
const WRITE_MAX_MS = 20_000
const TAKEN_MAX_MS = 5_000
const PAUSE_MS = 10

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** How many, the command, `NAME=value` of each, and a point, which shows that it is whole; each ends with a zero. */
export function encodeGiven({ command, env }: Given): Buffer {
  for (const [name, value] of env)
    if (!NAME.test(name) || value.includes("\0")) throw new LastingFault("a name or value of the environment is none")
  if (command.includes("\0")) throw new LastingFault("the command has a character that no command has")
  const pairs = [...env].map(([name, value]) => `${name}=${value}`)
  const bytes = Buffer.from([pairs.length, command, ...pairs, ".", ""].join("\0"))
  if (bytes.length > GIVEN_MAX_BYTES) throw new LastingFault("the environment is too large")
  return bytes
}

const codeOf = (cause: unknown): unknown => (cause as { code?: unknown } | null)?.code

/** null: nobody has it open for reading. */
async function openForWriting(path: string): Promise<Awaited<ReturnType<typeof open>> | null> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (cause) {
    if (codeOf(cause) === "ENXIO") return null
    throw cause
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<void> {
  const end = Date.now() + WRITE_MAX_MS
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

/** As long as it still reads, it looks as if it asked again: whoever came next would give it all a second time. */
async function untilTaken(path: string): Promise<void> {
  for (const end = Date.now() + TAKEN_MAX_MS; Date.now() < end; await delay(PAUSE_MS))
    if (!(await isAwaited(path))) return
}

/** Waits until the first process reads, or `gone` says that it is no more. `before` is called once it does. */
export async function deliver(
  path: string,
  bytes: Buffer,
  { before, gone }: { readonly before: () => Promise<void>; readonly gone: () => Promise<boolean> }
): Promise<void> {
  const end = Date.now() + READER_WAIT_MS
  for (;;) {
    const file = await openForWriting(path)
    if (file !== null) {
      try {
        await before()
        await writeAll(file, bytes)
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

/** True while a first process waits for what its program is given. */
export async function isAwaited(path: string): Promise<boolean> {
  const file = await openForWriting(path)
  await file?.close()
  return file !== null
}
