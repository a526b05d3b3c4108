/**
 * Network namespaces of a test, joined to the host or to a bridge: where a compartment's program would be, and where the
 * rest of the world is. What they make ends with `remove`.
 */
import { execFile, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { waitFor } from "../harness/index.ts"
import type { Order } from "./inside.ts"

const execute = promisify(execFile)
const PROGRAM = fileURLToPath(new URL("./inside.ts", import.meta.url))
const CALL_TIMEOUT_MS = 120_000

export async function sh(program: string, ...args: ReadonlyArray<string>): Promise<string> {
  return (await execute(program, [...args], { timeout: CALL_TIMEOUT_MS })).stdout
}

/** Whether a program ends well. */
export const succeeds = (program: string, ...args: ReadonlyArray<string>): Promise<boolean> =>
  sh(program, ...args).then(
    () => true,
    () => false
  )

export const ip = (line: string): Promise<string> => sh("ip", ...line.split(" "))

export interface Space {
  readonly name: string
  /** The host's end. */
  readonly device: string
  readonly inner: (line: string) => Promise<string>
  /** Carries out all at a time. */
  readonly run: (...orders: ReadonlyArray<Order>) => Promise<ReadonlyArray<unknown>>
  readonly remove: () => Promise<void>
}

/** A namespace with `eth0`, whose other end has the given name on the host. It has no link-local address of its own making. */
export async function makeSpace(name: string, device: string): Promise<Space> {
  await ip(`netns add ${name}`)
  await ip(`link add ${device} type veth peer name eth0 netns ${name}`)
  const inner = (line: string): Promise<string> => ip(`-n ${name} ${line}`)
  await inner("link set lo up")
  await inner("link set eth0 addrgenmode none")
  await inner("link set eth0 up")
  await ip(`link set ${device} up`)
  return {
    name,
    device,
    inner,
    run: async (...orders) => {
      const text = await sh("ip", "netns", "exec", name, process.execPath, PROGRAM, JSON.stringify(orders))
      return JSON.parse(text) as ReadonlyArray<unknown>
    },
    remove: async () => {
      await succeeds("ip", "link", "delete", device)
      await succeeds("ip", "netns", "delete", name)
    }
  }
}

/** Where a container of a slot would be: at its bridge, with its address. */
export async function joinSlot(
  space: Space,
  { bridge, gateway, address }: { readonly bridge: string; readonly gateway: string; readonly address: string }
): Promise<void> {
  await ip(`link set ${space.device} master ${bridge}`)
  await space.inner(`addr add ${address}/30 dev eth0`)
  await space.inner(`route add default via ${gateway}`)
}

export interface Served {
  /** Everything that it has said. */
  readonly said: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly stop: () => Promise<void>
}

export async function serveIn(space: Space, order: Extract<Order, { do: "serve" }>): Promise<Served> {
  const child = spawn("ip", ["netns", "exec", space.name, process.execPath, PROGRAM, JSON.stringify([order])], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const lines: Array<unknown> = []
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)))
  await waitFor(() => lines.includes("ready"), { describe: "a server in the world" })
  return {
    said: lines as Array<Readonly<Record<string, unknown>>>,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await ended
    }
  }
}
