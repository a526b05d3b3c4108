/**
 * Finds the user at the other end of a local connection. Every user of the machine can reach a port of 127.0.0.1, but
 * this service accepts only some. Linux reports the user of a connection. On other systems the machine must have only
 * one user.
 */
import { readFile } from "node:fs/promises"

const TABLE = "/proc/net/tcp"
const PORT_DIGITS = 4
const HEX = 16
/** Indices of a line's fields: local address, remote address, state, user id. */
const LOCAL = 1
const REMOTE = 2
const STATE = 3
const UID = 7
/** Only established connections count: a closing one is listed with root's id. */
const ESTABLISHED = "01"

interface End {
  readonly address: string
  readonly port: number
}

export interface Ends {
  readonly client: End
  readonly service: End
}

/** The notation of the kernel's table: the bytes of the address from last to first, then the port. */
const inTable = ({ address, port }: End): string => {
  const bytes = address.split(".").map((part) => Number(part).toString(HEX).padStart(2, "0"))
  return `${bytes.toReversed().join("")}:${port.toString(HEX).padStart(PORT_DIGITS, "0")}`.toUpperCase()
}

/** User id of the client's socket, found by both addresses and both ports; `null` if the table has no entry. */
export const ownerIn = (table: string, { client, service }: Ends): number | null => {
  const [from, to] = [inTable(client), inTable(service)]
  for (const line of table.split("\n")) {
    const parts = line
      .trim()
      .split(" ")
      .filter((part) => part !== "")
    if (parts[LOCAL] === from && parts[REMOTE] === to && parts[STATE] === ESTABLISHED) return Number(parts[UID])
  }
  return null
}

const ROOT = 0

/**
 * True if the connection is from one of `users`, or from root. Always true without the kernel's table, on other systems
 * than Linux.
 */
export const isFrom = async (users: ReadonlyArray<number>, ends: Ends): Promise<boolean> => {
  const table = await readFile(TABLE, "utf8").catch(() => null)
  if (table === null) return process.platform !== "linux"
  const owner = ownerIn(table, ends)
  return owner !== null && [ROOT, ...users].includes(owner)
}
