/**
 * Who is at the other end of a connection on this machine: every user of it may reach a port of 127.0.0.1, and this
 * one is there for one of them. Linux tells; elsewhere nobody does, and the machine must have one user.
 */
import { readFile } from "node:fs/promises"

const TABLE = "/proc/net/tcp"
const PORT_DIGITS = 4
const HEX = 16
/** Of a line: where it is at home, where it goes, whose it is. */
const LOCAL = 1
const REMOTE = 2
const UID = 7

const portOf = (address: string | undefined): number => Number.parseInt((address ?? "").slice(-PORT_DIGITS), HEX)

/** Of the socket at `port` that is connected to `service`; `null` where the table has none. */
export const ownerIn = (table: string, { port, service }: { readonly port: number; readonly service: number }) => {
  for (const line of table.split("\n")) {
    const parts = line
      .trim()
      .split(" ")
      .filter((part) => part !== "")
    if (portOf(parts[LOCAL]) === port && portOf(parts[REMOTE]) === service) return Number(parts[UID])
  }
  return null
}

const ROOT = 0

/** Whether a request that came by this connection is from one of `users`, or from the machine's own root. */
export const isFrom = async (
  users: ReadonlyArray<number>,
  ports: { readonly port: number; readonly service: number }
): Promise<boolean> => {
  const table = await readFile(TABLE, "utf8").catch(() => null)
  if (table === null) return process.platform !== "linux"
  const owner = ownerIn(table, ports)
  return owner !== null && [ROOT, ...users].includes(owner)
}
