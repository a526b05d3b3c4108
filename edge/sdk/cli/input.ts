/** Texts that a command is given: as they stand, from a file (`@file`) or from standard input (`-`). */
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { Fault, systemCode, usage } from "./fault.ts"
import type { Surroundings } from "./command.ts"

/** What the service takes at most. */
const INPUT_MAX_BYTES = 10_551_296

export const readAll = async (
  stream: AsyncIterable<unknown>,
  source: string,
  max = INPUT_MAX_BYTES
): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of stream) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > max) throw new Fault("input_too_large", `${source} has more than ${max} bytes`)
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const readNamed = async (path: string): Promise<string> => {
  const handle = await open(path, "r").catch((error: unknown) => {
    throw new Fault("file_unreadable", `${path} cannot be read: ${systemCode(error) ?? "unknown"}`)
  })
  try {
    return await readAll(handle.createReadStream({ autoClose: false }), path)
  } finally {
    await handle.close()
  }
}

export const textArgument = (argument: string, around: Surroundings): Promise<string> => {
  if (argument === "-") return readAll(around.stdin, "standard input")
  if (argument.startsWith("@")) return readNamed(resolve(around.cwd, argument.slice(1)))
  return Promise.resolve(argument)
}

export const jsonArgument = async (argument: string, around: Surroundings): Promise<unknown> => {
  const text = await textArgument(argument, around)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage(`the body is no JSON: ${error instanceof Error ? error.message : "unreadable"}`)
  }
}
