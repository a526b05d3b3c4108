/** A name server on this machine, for names that a test defines. */
import { createSocket } from "node:dgram"
import type { AddressInfo } from "node:net"
import { decode, encode, type Answer, type Question } from "dns-packet"

/** Records by name in lower case: TXT as text, MX and CNAME as host, A and AAAA as addresses. A test may change it. */
export interface Zone {
  [name: string]: Readonly<Partial<Record<"TXT" | "MX" | "CNAME" | "A" | "AAAA", ReadonlyArray<string>>>>
}

export interface NameServer {
  /** The address in the form of HUB_DNS_SERVERS. */
  readonly address: string
  /** The number of requests for each name. */
  readonly asked: Map<string, number>
  readonly stop: () => Promise<void>
}

const TTL = 1
const NXDOMAIN = 3
const SERVFAIL = 2

/** A longer text is split into pieces. */
const PIECE = /[^]{1,255}/g

const answersTo = (zone: Zone, { name, type }: Question): ReadonlyArray<Answer> => {
  const of = zone[name.toLowerCase()] ?? {}
  const common = { name, ttl: TTL }
  if (type === "TXT") return (of.TXT ?? []).map((text) => ({ ...common, type, data: text.match(PIECE) ?? [""] }))
  if (type === "CNAME") return (of.CNAME ?? []).map((data) => ({ ...common, type, data }))
  if (type === "MX") return (of.MX ?? []).map((exchange) => ({ ...common, type, data: { preference: 10, exchange } }))
  if (type === "A" || type === "AAAA") return (of[type] ?? []).map((data) => ({ ...common, type, data }))
  return []
}

/** `broken` names get the answer SERVFAIL. `at` is the port; 0 takes a free one. */
export const nameServer = async (zone: Zone, broken: ReadonlySet<string> = new Set(), at = 0): Promise<NameServer> => {
  const socket = createSocket("udp4")
  const asked = new Map<string, number>()
  socket.on("message", (message, { port, address }) => {
    const { id, questions = [] } = decode(message)
    const [question] = questions
    if (question === undefined) return
    const name = question.name.toLowerCase()
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const code = broken.has(name) ? SERVFAIL : zone[name] === undefined ? NXDOMAIN : 0
    const answers = code === 0 ? [...answersTo(zone, question)] : []
    socket.send(encode({ type: "response", id: id ?? 0, flags: code, questions, answers }), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(at, "127.0.0.1", resolve))
  const { port } = socket.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve()))
  }
}
