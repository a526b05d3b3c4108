/** A service with a host of compartments on this machine, over the engine that all tests of a run share. */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import Docker from "dockerode"
import { containerName } from "../../actors/runtime/host/container.ts"
import { Host } from "../../actors/runtime/host/host.ts"
import { EngineNetworks } from "../../actors/runtime/host/docker.ts"
import { Network } from "../../actors/runtime/network/network.ts"
import { tagOf } from "../../actors/runtime/network/tag.ts"
import { unmountBelow } from "../../ops/runtime/mounts.ts"
import type { Compartment, LogLine, RuntimeOffer } from "../../schemas/compartment/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { quotasRecord } from "../../schemas/compartment/limits.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { expect } from "vitest"
import { giveBack, lend, type SystemOptions, waitFor } from "../harness/index.ts"
import { AgentClient, type CallOptions } from "../support/client.ts"
import { send } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"
import { type SharedEngine, sharedEngine } from "./shared-engine.ts"

export const COMPARTMENTS = "/api/v1/compartments"

export interface Hosted extends TestService {
  readonly engine: SharedEngine
  readonly docker: Docker
  /** Where the host keeps what is its own. */
  readonly folder: string
  readonly container: (compartment: string) => Docker.Container
}

const SETTLED_MS = 240_000

/** Everything that it made on this machine goes with it. */
const cleared = async (folder: string, { socket, image }: SharedEngine, max: number): Promise<void> => {
  const host = await Host.open({
    socket,
    folder,
    tag: tagOf(folder),
    image,
    quotas: quotasRecord(LIMITS.runtime.quotas),
    logLines: LIMITS.runtime.log_lines
  })
  for (const { compartment } of await host.list()) await host.destroy(compartment)
  await host.close()
  // A host that was killed while it made one leaves a file system without a container.
  await unmountBelow(folder)
  const network = await Network.open({
    folder,
    max,
    engine: new EngineNetworks(socket),
    egressKbit: LIMITS.runtime.quotas.egress_kbit,
    service: null,
    dns: [],
    masquerade: true
  })
  await network.close({ remove: true })
}

/** `own`: where it shall not be the one that all tests share. */
export async function hostedService(options: SystemOptions = {}, own?: SharedEngine): Promise<Hosted> {
  const engine = own ?? (await sharedEngine())
  const { socket, image } = engine
  const max = Number(options.env?.["HUB_RUNTIME_MAX"] ?? 3)
  const service = await testService({
    edges: 2,
    actors: 2,
    ...options,
    runtime: true,
    env: { HUB_DOCKER_SOCKET: socket, HUB_RUNTIME_IMAGE: image, HUB_RUNTIME_MAX: String(max), ...options.env }
  })
  const folder = resolve(service.system.folder, "runtime")
  const docker = new Docker({ socketPath: socket })
  const stop = async () => {
    await service.system.runtime?.kill()
    await cleared(folder, engine, max)
    await service.stop()
  }
  const hosted = {
    ...service,
    engine,
    docker,
    folder,
    container: (compartment: string) => docker.getContainer(containerName(tagOf(folder), compartment)),
    stop
  }
  await waitFor(async () => (await offer(hosted)).available, { describe: "an offer", deadlineMs: SETTLED_MS }).catch(
    async (cause: unknown) => {
      await stop()
      throw cause
    }
  )
  return hosted
}

/** Room for compartments of every file that shares the service. */
export const SHARED_MAX = 8

/** Small bounds: a file system is made for each compartment, and a program that takes its memory touches all of it. */
export const SHARED_QUOTAS = { disk_mb: 64, memory_mb: 256 }

/** One service for the files of a worker that need nothing else than this. A file leaves the host running. */
export async function sharedHosted(): Promise<Hosted> {
  const kind = "hosted"
  const lent = await lend(kind, async () => ({
    ...(await hostedService({
      keeper: true,
      env: { HUB_RUNTIME_MAX: String(SHARED_MAX) },
      limits: {
        "runtime.restart_seconds": 2,
        "runtime.restart_reset_seconds": 60,
        "runtime.quotas.disk_mb": SHARED_QUOTAS.disk_mb,
        "runtime.quotas.memory_mb": SHARED_QUOTAS.memory_mb
      }
    })),
    kind
  }))
  return {
    ...lent,
    stop: async () => {
      await giveBack(lent)
      lent.system.assertNothingRefused()
    }
  }
}

export const offer = async ({ edges }: Pick<TestService, "edges">): Promise<RuntimeOffer> =>
  dataOf<RuntimeOffer>(await send({ edge: edges[0] ?? "", method: "GET", path: "/api/v1/runtime" }))

export interface Member {
  readonly client: AgentClient
  readonly me: Registered
}

export async function member({ edges }: Pick<TestService, "edges">): Promise<Member> {
  let turn = 0
  const client = new AgentClient({ edge: () => edges[turn++ % edges.length] ?? "" })
  return { client, me: await register(client, { edge: edges[0] ?? "" }) }
}

/** Sends a request again after a 503, as a client does: it is an honest answer of a busy machine. */
export const ask = ({ client }: Member, method: string, path: string, options: CallOptions = {}) =>
  client.retrying(method, path, method === "GET" ? options : { idempotencyKey: randomUUID(), ...options })

export const create = (one: Member, command: string, more: object = {}) =>
  ask(one, "POST", COMPARTMENTS, { body: { name: "one", command, accept_terms: true, ...more } })

export const look = async (one: Member, id: string): Promise<Compartment> =>
  dataOf<Compartment>(await ask(one, "GET", `${COMPARTMENTS}/${id}`))

export const until = (one: Member, id: string, status: Compartment["status"]): Promise<Compartment> =>
  waitFor(
    async () => {
      const found = await look(one, id)
      return found.status === status ? found : null
    },
    { describe: `a compartment that is ${status}`, deadlineMs: SETTLED_MS }
  )

export const linesOf = async (one: Member, id: string, query = "limit=1000"): Promise<ReadonlyArray<LogLine>> =>
  dataOf<ReadonlyArray<LogLine>>(await ask(one, "GET", `${COMPARTMENTS}/${id}/logs?${query}`))

/** The first line that holds this. */
export const lineWith = (one: Member, id: string, text: string): Promise<LogLine> =>
  waitFor(async () => (await linesOf(one, id)).find(({ line }) => line.includes(text)) ?? null, {
    describe: `a line with ${text}`,
    deadlineMs: SETTLED_MS
  })

/** What tests of one service do again and again. */
export const handsOf = (service: () => TestService) => ({
  made: async (command: string, more: object = {}): Promise<readonly [Member, Compartment]> => {
    const one = await member(service())
    const answer = await create(one, command, more)
    expect(outcome(answer)).toBe("201")
    return [one, dataOf<Compartment>(answer)]
  },
  moved: async (one: Member, id: string, verb: string) =>
    outcome(await ask(one, "POST", `${COMPARTMENTS}/${id}/${verb}`)),
  removed: async (one: Member, { id, name }: Pick<Compartment, "id" | "name">): Promise<void> => {
    const answer = await ask(one, "DELETE", `${COMPARTMENTS}/${id}`, { body: { confirm: name } })
    expect(outcome(answer)).toBe("202")
    await waitFor(async () => outcome(await ask(one, "GET", `${COMPARTMENTS}/${id}`)) === "404 not_found", {
      describe: "a compartment that is gone",
      deadlineMs: SETTLED_MS
    })
  },
  told: async (one: Member, type: string): Promise<Notification> =>
    waitFor(
      async () =>
        dataOf<ReadonlyArray<Notification>>(await ask(one, "GET", "/api/v1/me/notifications")).find(
          (notification) => notification.type === type
        ) ?? null,
      { describe: `a notification ${type}` }
    )
})
