/** Packs a folder as `.tar.gz` with the machine's own tar, without names and ids of the folder's owner. */
import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { promisify } from "node:util"
import type { Surroundings } from "./command.ts"
import { Fault, systemCode } from "./fault.ts"
import { bytesOf } from "./input.ts"

const PACKED_MAX_BYTES = 10_485_760
const TIMEOUT_MS = 120_000

const tar = async (folder: string): Promise<Uint8Array> => {
  const args = ["--create", "--gzip", "--owner=0", "--group=0", "--directory", folder, "."]
  try {
    const settings = { encoding: "buffer", maxBuffer: PACKED_MAX_BYTES + 1, timeout: TIMEOUT_MS } as const
    return (await promisify(execFile)("tar", args, settings)).stdout
  } catch (error) {
    if (systemCode(error) === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
      throw new Fault("input_too_large", `${folder} has more than ${PACKED_MAX_BYTES} bytes, packed`)
    throw new Fault("not_packed", `${folder} could not be packed: is there a tar on this machine?`)
  }
}

export const packed = async (path: string, around: Surroundings): Promise<Uint8Array> => {
  const whole = resolve(around.cwd, path)
  const found = await stat(whole).catch((error: unknown) => {
    throw new Fault("file_unreadable", `${path} cannot be read: ${systemCode(error) ?? "unknown"}`)
  })
  return found.isDirectory() ? tar(whole) : bytesOf(path, around)
}
