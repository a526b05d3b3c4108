/**
 * Shows other processes of this machine which one works on the host: a node's runtime role, or `hub runtime prepare`.
 *
 * Each process holds an abstract socket with its own name while it lives. The kernel lists all of them, and removes the
 * socket when the process ends in any way. A lock file would stay after a crash.
 */
import { createHash, randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"
import { resolve } from "node:path"

const LIST = "/proc/net/unix"

const WORKERS = ["role", "preparation"] as const
export type Worker = (typeof WORKERS)[number]

export interface Holder {
  readonly worker: Worker
  readonly pid: number
}

const headOf = (folder: string): string =>
  `hub-host-${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 32)}`

/**
 * Takes the folder `<HUB_DATA>/runtime`. Resolves to the function that releases it. Systems without abstract sockets
 * have no compartments either. On them nothing is taken.
 */
export const holdHost = (folder: string, worker: Worker): Promise<() => void> =>
  new Promise((done) => {
    const name = [headOf(folder), worker, process.pid, randomBytes(4).toString("hex")].join("-")
    const server = createServer((socket) => socket.destroy())
    const letGo = (): void => void server.close()
    server.once("error", () => done(() => undefined))
    server.listen(`\0${name}`, () => done(letGo))
    server.unref()
  })

/** The processes that hold the folder now. */
export const holdersOf = async (folder: string): Promise<ReadonlyArray<Holder>> => {
  const listed = await readFile(LIST, "utf8").catch(() => "")
  const head = `@${headOf(folder)}-`
  return listed.split("\n").flatMap((line) => {
    const at = line.indexOf(head)
    if (at === -1) return []
    const [name, pid] = line.slice(at + head.length).split("-")
    const worker = WORKERS.find((one) => one === name)
    return worker === undefined ? [] : [{ worker, pid: Number(pid) }]
  })
}
