/**
 * Ports for servers that only this machine talks to.
 *
 * They are drawn from below the ephemeral range. A port of that range can be taken by any outgoing connection while its
 * server restarts, even by a client's own attempt to reconnect (a TCP self-connect).
 */
import { randomInt } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { LaunchFault } from "./fault.ts"

const LOWEST = 15_000
const HIGHEST = 31_999
const DRAWS = 50

export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/**
 * Claims the port. Returns true if it was claimed before. A port looks free to other programs until its server has
 * started. So processes that draw ports at the same time share a folder (`HUB_TEST_PORTS`), in which each port can be
 * claimed once.
 */
async function isClaimed(port: number): Promise<boolean> {
  const folder = process.env["HUB_TEST_PORTS"]
  if (folder === undefined || folder === "") return false
  await mkdir(folder, { recursive: true })
  return writeFile(join(folder, String(port)), "", { flag: "wx" }).then(
    () => false,
    () => true
  )
}

export async function drawPort(): Promise<number> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const port = randomInt(LOWEST, HIGHEST + 1)
    if ((await portIsFree(port)) && !(await isClaimed(port))) return port
  }
  throw new LaunchFault(`no free port found between ${LOWEST} and ${HIGHEST}; close some programs and try again`)
}

/** The port that the file names if it is still free. Otherwise a new port, which is written to the file. */
export async function rememberedPort(file: string): Promise<number> {
  const kept = Number(await readFile(file, "utf8").catch(() => ""))
  if (Number.isInteger(kept) && kept > 1023 && kept < 65_536 && (await portIsFree(kept))) return kept
  const port = await drawPort()
  await writeFile(file, `${port}\n`)
  return port
}
