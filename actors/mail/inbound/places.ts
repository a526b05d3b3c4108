/**
 * Divides the connections of the SMTP server, and the memory for incoming messages, among networks.
 *
 * Invariants
 *  - An IPv4 address or IPv6 /64 has at most `connections_per_client_max` connections, and an IPv6 /48 has at most
 *    `connections_per_wide_max`.
 *  - An IPv4 address or a /48 holds at most a sixth of all bytes (or one message, if that is more).
 *  - If no place or memory is left, the network that uses most loses a connection, provided that the newcomer's network
 *    would still use less. Networks are compared as /16, then /24, then address (IPv6: /32, /48, /64). So a network
 *    that takes all places displaces only its own connections, and a client of another network still gets a place.
 *  - A message counts for its client until it has been answered, even if the client has gone: it is judged and stored
 *    all the same.
 *  - An IPv4 /16 or IPv6 /32 has at most a quarter of the places with complete messages, because these are not
 *    displaced. A message beyond that is refused for now.
 *  - Within the network that gives way, the connection without progress for the longest time is ended. A connection
 *    whose message is complete is not: its sender would send the same message again.
 */
import type { Limits } from "../../../schemas/limits.ts"
import { networkOf, networksOf } from "../../../schemas/network.ts"

type Bounds = Pick<
  Limits["service"]["mail"],
  "connections_max" | "connections_per_client_max" | "connections_per_wide_max" | "held_max_bytes"
> &
  Pick<Limits["limits"]["email"], "message_max_bytes">

const SHARES = 6
/** The part of the places that one network may have with complete messages is 1 / KEPT_SHARES. */
const KEPT_SHARES = 4

interface Connection {
  readonly client: string
  readonly wide: string | null
  /** The network whose connections share one limit of bytes: an IPv4 address or IPv6 /48. */
  readonly holder: string
  /** The networks around the client, widest first. */
  readonly networks: ReadonlyArray<string>
  bytes: number
  /** Its message is being received or judged. */
  isAtWork: boolean
  /** Its message is complete. */
  isKept: boolean
  isGone: boolean
}

type Weight = (connection: Connection) => number

const one: Weight = () => 1
const bytesOf: Weight = ({ bytes }) => bytes

export class Places {
  private readonly bounds: Bounds
  private readonly end: (id: string) => void
  /** The connections by id. The one without progress for the longest time comes first. */
  private readonly connections = new Map<string, Connection>()
  private readonly held = new Map<string, number>()
  private heldBytes = 0

  /** `end`: closes a displaced connection. Its place and bytes are free before the call. */
  constructor(bounds: Bounds, end: (id: string) => void) {
    this.bounds = bounds
    this.end = end
  }

  get size(): number {
    return this.connections.size
  }

  /** Takes a place for another connection, which `give` frees. Returns false if this client can have none. */
  take(id: string, address: string): boolean {
    const { connections_max, connections_per_client_max, connections_per_wide_max } = this.bounds
    const { client, wide } = networkOf(address)
    if (this.sum(one, (other) => other.client === client) >= connections_per_client_max) return false
    if (wide !== null && this.sum(one, (other) => other.wide === wide) >= connections_per_wide_max) return false
    const connection: Connection = {
      client,
      wide,
      holder: wide ?? client,
      networks: networksOf(address),
      bytes: 0,
      isAtWork: false,
      isKept: false,
      isGone: false
    }
    if (this.connections.size >= connections_max && !this.makeRoom(connection, one, 1)) return false
    this.connections.set(id, connection)
    return true
  }

  /** Called when a connection has closed, once or more. Its place is free once its message has been answered. */
  give(id: string): void {
    const connection = this.connections.get(id)
    if (connection?.isAtWork === true) connection.isGone = true
    else this.remove(id)
  }

  begin(id: string): void {
    const connection = this.connections.get(id)
    if (connection !== undefined) connection.isAtWork = true
    this.progressed(id)
  }

  /** Called when the message has been answered, or its client has gone and the work is over. */
  done(id: string): void {
    const connection = this.connections.get(id)
    if (connection === undefined) return
    this.release(id)
    connection.isAtWork = false
    if (connection.isGone) this.remove(id)
  }

  private remove(id: string): void {
    this.release(id)
    this.connections.delete(id)
  }

  /** Called when the client made progress towards a message, or when its message was answered. */
  progressed(id: string): void {
    const connection = this.connections.get(id)
    if (connection === undefined) return
    connection.isKept = false
    this.connections.delete(id)
    this.connections.set(id, connection)
  }

  /**
   * Called when a message is complete. Its connection is not displaced until the message is answered. Returns false if
   * the message must be refused, because its network has too many of these.
   */
  keep(id: string): boolean {
    const connection = this.connections.get(id)
    if (connection === undefined) return true
    const [network] = connection.networks
    const others = this.sum(one, (other) => other !== connection && other.isKept && other.networks[0] === network)
    if (others >= Math.ceil(this.bounds.connections_max / KEPT_SHARES)) return false
    connection.isKept = true
    return true
  }

  /** Counts this many more bytes for a connection, until `release`. Returns false if there is no room. */
  hold(id: string, bytes: number): boolean {
    const connection = this.connections.get(id)
    if (connection === undefined) return false
    const { held_max_bytes, message_max_bytes } = this.bounds
    const held = (this.held.get(connection.holder) ?? 0) + bytes
    if (held > Math.max(message_max_bytes, held_max_bytes / SHARES) || held > held_max_bytes) return false
    while (this.heldBytes + bytes > held_max_bytes)
      if (!this.makeRoom(connection, bytesOf, bytes) || !this.connections.has(id)) return false
    this.add(connection, bytes)
    return true
  }

  release(id: string): void {
    const connection = this.connections.get(id)
    if (connection !== undefined) this.add(connection, -connection.bytes)
  }

  private add(connection: Connection, bytes: number): void {
    connection.bytes += bytes
    this.heldBytes += bytes
    const held = (this.held.get(connection.holder) ?? 0) + bytes
    if (held > 0) this.held.set(connection.holder, held)
    else this.held.delete(connection.holder)
  }

  private sum(weight: Weight, isCounted: (connection: Connection) => boolean): number {
    let total = 0
    for (const connection of this.connections.values()) if (isCounted(connection)) total += weight(connection)
    return total
  }

  /**
   * Displaces the connection of the fullest network that made no progress for longest. Returns false if no other
   * network has to give way.
   */
  private makeRoom({ networks }: Connection, weight: Weight, amount: number): boolean {
    let among = [...this.connections].filter(([, other]) => !other.isKept && weight(other) > 0)
    let isOther = false
    for (const [level, ownNetwork] of networks.entries()) {
      const [network, most] = fullest(among, level, weight)
      const own = this.sum(weight, (other) => other.networks[level] === ownNetwork)
      isOther ||= most > own + amount || (own === 0 && most > 0)
      const chosen = isOther ? network : ownNetwork
      among = among.filter(([, other]) => other.networks[level] === chosen)
    }
    const [found] = isOther ? among : []
    if (found === undefined) return false
    const [id] = found
    this.remove(id)
    this.end(id)
    return true
  }
}

/** The network of this level with the most, and its total. The first connection decides between equals. */
const fullest = (
  connections: ReadonlyArray<readonly [string, Connection]>,
  level: number,
  weight: Weight
): readonly [string, number] => {
  const totals = new Map<string, number>()
  for (const [, connection] of connections) {
    const network = connection.networks[level] ?? ""
    totals.set(network, (totals.get(network) ?? 0) + weight(connection))
  }
  let found: readonly [string, number] = ["", 0]
  for (const entry of totals) if (entry[1] > found[1]) found = entry
  return found
}
