/**
 * Runs in the probe's network namespace. It tries each target once, all in parallel, and writes the results as JSON.
 * Its only argument is its orders as JSON.
 */
import { createSocket } from "node:dgram"
import { Resolver } from "node:dns/promises"
import { connect } from "node:net"

export type Attempt =
  | { readonly by: "tcp"; readonly to: string; readonly port: number; readonly from?: string; readonly waitMs: number }
  | { readonly by: "udp6"; readonly to: string; readonly port: number; readonly waitMs: number }
  | { readonly by: "dns"; readonly to: string; readonly name: string; readonly waitMs: number }

/**
 * `sent`: it was sent, and no answer was possible. `silent`: no answer came. For names: the addresses, separated by
 * commas.
 */
export type Outcome = "open" | "refused" | "silent" | "unreachable" | "sent" | `address ${string}`

const UNREACHABLE = ["ENETUNREACH", "EHOSTUNREACH", "EAFNOSUPPORT", "EADDRNOTAVAIL", "EACCES", "EPERM", "EINVAL"]

const outcomeOf = (code: string | undefined): Outcome => {
  if (code === "ECONNREFUSED" || code === "ECONNRESET") return "refused"
  return code !== undefined && UNREACHABLE.includes(code) ? "unreachable" : "silent"
}

export function tryTcp({ to, port, from, waitMs }: Extract<Attempt, { by: "tcp" }>): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ host: to, port, ...(from === undefined ? {} : { localAddress: from }) })
    const timer = setTimeout(() => end("silent"), waitMs)
    const end = (outcome: Outcome): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    socket.once("connect", () => end("open"))
    socket.once("error", ({ code }: NodeJS.ErrnoException) => end(outcomeOf(code)))
  })
}

function tryUdp({ to, port }: Extract<Attempt, { by: "udp6" }>): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = createSocket("udp6")
    const end = (outcome: Outcome): void => {
      socket.close()
      resolve(outcome)
    }
    socket.once("error", () => end("unreachable"))
    socket.send("probe", port, to, (cause) => end(cause === null ? "sent" : "unreachable"))
  })
}

async function tryDns({ to, name, waitMs }: Extract<Attempt, { by: "dns" }>): Promise<Outcome> {
  const resolver = new Resolver({ timeout: waitMs, tries: 1 })
  resolver.setServers([to])
  return resolver.resolve4(name).then(
    (addresses): Outcome => `address ${addresses.join(",")}`,
    ({ code }: NodeJS.ErrnoException): Outcome => outcomeOf(code)
  )
}

const attempt = (one: Attempt): Promise<Outcome> =>
  one.by === "tcp" ? tryTcp(one) : one.by === "udp6" ? tryUdp(one) : tryDns(one)

if (import.meta.main) {
  const attempts = JSON.parse(process.argv[2] ?? "[]") as ReadonlyArray<Attempt>
  process.stdout.write(JSON.stringify(await Promise.all(attempts.map(attempt))))
}
