/** Runs a further program in the container of a compartment, within its limits. */
import type { Duplex } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Readable, Writable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import type Docker from "dockerode"
import { called, EngineFault } from "./docker.ts"
import { HostFault } from "./fault.ts"
import type { ExecResult } from "./types.ts"

const OUTPUT_MAX_BYTES = 16 * 1024
const HEADER_BYTES = 8
const POLL_MS = 20
/** Milliseconds in which a program has to end after it has closed its output. */
const END_MAX_MS = 10_000

export interface Execution {
  readonly user: string
  readonly argv: ReadonlyArray<string>
  readonly stdin: Readable
  readonly detach: boolean
  readonly timeoutMs: number
}

/** The engine sends both streams as one, in frames. The first part of the output is kept, and the rest is dropped. */
function collector(): { readonly sink: Writable; readonly text: () => string } {
  const kept: Array<Buffer> = []
  let size = 0
  let head = Buffer.alloc(0)
  let left = 0
  const take = (bytes: Buffer): void => {
    if (size < OUTPUT_MAX_BYTES) kept.push(Buffer.from(bytes.subarray(0, OUTPUT_MAX_BYTES - size)))
    size += bytes.length
  }
  const write = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const part = chunk.subarray(at, at + left)
        take(part)
        left -= part.length
        at += part.length
        continue
      }
      const part = chunk.subarray(at, at + HEADER_BYTES - head.length)
      head = Buffer.concat([head, part])
      at += part.length
      if (head.length < HEADER_BYTES) continue
      left = head.readUInt32BE(4)
      head = Buffer.alloc(0)
    }
  }
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk)
      done()
    }
  })
  return { sink, text: () => Buffer.concat(kept).toString() }
}

export class TooLong extends HostFault {}

async function statusOf(exec: Docker.Exec): Promise<number> {
  const end = Date.now() + END_MAX_MS
  for (;;) {
    const { Running, ExitCode } = await called(exec.inspect())
    if (!Running && ExitCode !== null) return ExitCode
    if (Date.now() > end) throw new TooLong("a program in the compartment does not end")
    await delay(POLL_MS)
  }
}

/**
 * Runs a program to its end, within the time. The container must be running. A detached program has received all of its
 * input when this resolves.
 */
export async function execute(container: Docker.Container, order: Execution): Promise<ExecResult> {
  const { user, argv, stdin, detach, timeoutMs } = order
  const signal = AbortSignal.timeout(timeoutMs)
  const exec = await called(
    container.exec({
      Cmd: [...argv],
      User: user,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false
    })
  )
  const stream: Duplex = await called(exec.start({ hijack: true, stdin: true, abortSignal: signal }))
  const { sink, text } = collector()
  const reading = pipeline(stream, sink, { signal })
  // A failure of reading fails the whole call below. This only avoids an unhandled rejection while the input is being
  // written.
  reading.catch(() => undefined)
  try {
    // A program that ends early does not read all of its input. Its exit status says more than this error.
    await pipeline(stdin, stream, { signal }).catch((cause: unknown) => {
      if (signal.aborted) throw cause
    })
    if (detach) return { exitCode: null, output: "" }
    await reading
  } catch (cause) {
    if (signal.aborted) throw new TooLong(`a program in the compartment took more than ${timeoutMs} ms`, { cause })
    throw new EngineFault("the container engine hung up", { cause })
  } finally {
    stream.destroy()
  }
  return { exitCode: await statusOf(exec), output: text() }
}
