/** Reads text arguments: given directly, from a file (`@file`) or from standard input (`-`). */
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { Fault, systemCode, usage } from "./fault.ts"
import type { Surroundings } from "./command.ts"

/** The largest body that the service accepts. */
const INPUT_MAX_BYTES = 10_551_296

const readBytes = async (stream: AsyncIterable<unknown>, source: string, max: number): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of stream) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > max) throw new Fault("input_too_large", `${source} has more than ${max} bytes`)
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

export const readAll = async (stream: AsyncIterable<unknown>, source: string, max = INPUT_MAX_BYTES): Promise<string> =>
  (await readBytes(stream, source, max)).toString("utf8")

const readNamed = async (path: string): Promise<Buffer> => {
  const handle = await open(path, "r").catch((error: unknown) => {
    throw new Fault("file_unreadable", `${path} cannot be read: ${systemCode(error) ?? "unknown"}`)
  })
  try {
    return await readBytes(handle.createReadStream({ autoClose: false }), path, INPUT_MAX_BYTES)
  } finally {
    await handle.close()
  }
}

/** `path` is relative to the working directory. */
export const bytesOf = (path: string, around: Surroundings): Promise<Uint8Array> => readNamed(resolve(around.cwd, path))

export const textArgument = async (argument: string, around: Surroundings): Promise<string> => {
  if (argument === "-") return readAll(around.stdin, "standard input")
  if (argument.startsWith("@")) return (await readNamed(resolve(around.cwd, argument.slice(1)))).toString("utf8")
  return argument
}

export const jsonArgument = async (argument: string, around: Surroundings): Promise<unknown> => {
  const text = await textArgument(argument, around)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote a part of the body, which may contain a password.
    throw usage("the body is no JSON")
  }
}
