/**
 * The service on several machines (ops/docs/several-machines.md): three encrypted nats-servers and an encrypted Postgres
 * with the files of `ops/deploy`, processes with the environment that `role-env.sh` prints.
 */
import { type ChildProcess, execFile, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { parse } from "yaml"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { waitFor } from "../harness/index.ts"
import { type Servers, startServers } from "../harness/servers.ts"
import { authority } from "../support/certificates.ts"

/** With many processes on a busy machine. It bounds what hangs. */
const WELL_MS = 1_800_000
const run = promisify(execFile)
const MACHINES = ["127.7.7.1", "127.7.7.2", "127.7.7.3"] as const
const EDGE_PORT = 18_463
const ROLES = ["edge", "actors", "queries", "webhooks", "keeper", "mail"] as const

let root: string
/** What `role-env.sh` printed, by role. */
const environments = new Map<string, NodeJS.ProcessEnv>()

const environmentOf = async (role: string): Promise<NodeJS.ProcessEnv> => {
  const { stdout } = await run("sh", [join(root, "ops/deploy/role-env.sh"), role], {
    env: { PATH: process.env["PATH"], HUB_NATS_HOSTS: MACHINES.join(","), HUB_POSTGRES_HOST: "127.0.0.1" }
  })
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  )
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "hub-machines-"))
  mkdirSync(join(root, "ops/deploy"), { recursive: true })
  for (const file of ["secrets.sh", "role-env.sh"])
    cpSync(join(projectRoot, "ops/deploy", file), join(root, "ops/deploy", file))
  await run("sh", [join(root, "ops/deploy/secrets.sh")])
  writeFileSync(join(root, ".env"), `${readFileSync(join(root, ".env"), "utf8")}HUB_NAME=Machines\n`)
  for (const role of ["common", "operator", "nats", ...ROLES]) environments.set(role, await environmentOf(role))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const isSecret = (name: string): boolean => /PASSWORD|KEY|TOKEN|SECRET/.test(name)

describe("the environment of a role", () => {
  const compose = parse(readFileSync(join(projectRoot, "docker-compose.yml"), "utf8"), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, unknown>> }>>
  }

  test.each(ROLES)("%s has the secrets that its container has, and no others", (role) => {
    const given = environments.get(role) ?? {}
    const drawn = new Set(readFileSync(join(root, ".env"), "utf8").match(/^\w+(?==)/gm))
    const wanted = Object.keys(compose.services[role]?.environment ?? {}).filter(
      (name) => isSecret(name) && drawn.has(name)
    )
    expect(Object.keys(given).filter(isSecret).toSorted()).toEqual(wanted.toSorted())
    expect(given["HUB_NATS_URL"]).toMatch(
      new RegExp(`^tls://${role}:p[0-9a-f]{48}@127.7.7.1:4222,tls://127.7.7.2:4222,`)
    )
    expect("HUB_DATABASE_URL" in given).toBe("HUB_DATABASE_URL" in (compose.services[role]?.environment ?? {}))
  })

  test("of all processes holds no secret", () => {
    const common = environments.get("common") ?? {}
    expect(common).toMatchObject({ HUB_ENV: "production", HUB_NAME: "Machines" })
    expect(Object.keys(common).filter(isSecret)).toEqual([])
  })

  test("that nobody has is refused with the list of those that there are", async () => {
    await expect(environmentOf("everything")).rejects.toThrow("usage: role-env.sh common|edge|actors")
  })
})

describe("the units", () => {
  test("start programs that are there, with the environments that role-env.sh prints", async () => {
    const units = await readdir(join(projectRoot, "ops/deploy/systemd"))
    expect(units.toSorted()).toEqual(["hub-edge.service", "hub-nats.service", "hub-role@.service"])
    for (const unit of units) {
      const text = readFileSync(join(projectRoot, "ops/deploy/systemd", unit), "utf8")
      const [, command = ""] = /^ExecStart=(.*)$/m.exec(text) ?? []
      const files = command.match(/\/opt\/hub\/[^\s]+/g) ?? []
      for (const file of files.filter((one) => !one.includes("/.hub/")))
        expect([unit, file, existsSync(join(projectRoot, file.slice("/opt/hub/".length)))]).toEqual([unit, file, true])
      for (const [, name = ""] of text.matchAll(/^EnvironmentFile=\/etc\/hub\/(.+)\.env$/gm))
        expect([unit, name === "%i" || environments.has(name)]).toEqual([unit, true])
    }
  })
})

describe("three machines", () => {
  let servers: Servers
  const natsServers: Array<ChildProcess> = []
  const nodes: Array<ChildProcess> = []
  const kept = (name: string, text: string): string => {
    const path = join(root, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  beforeAll(async () => {
    const ours = authority("Authority of the machines")
    const ca = kept("ca.pem", ours.cert)
    const program = await findNatsServer({
      env: process.env,
      dataDir: join(projectRoot, ".hub"),
      progress: () => undefined,
      signal: new AbortController().signal
    })
    for (const [index, host] of MACHINES.entries()) {
      // The client checks the name of a server; of an address it takes `localhost` for the name.
      const { cert, key } = ours.issue({ names: [host, "localhost"] })
      const routes = MACHINES.map(
        (other) => `nats://route:${environments.get("nats")?.["HUB_NATS_ROUTE_PASSWORD"]}@${other}:6222`
      )
      natsServers.push(
        spawn(program, ["--config", join(projectRoot, "ops/deploy/nats/machine.conf"), "--routes", routes.join(",")], {
          stdio: "ignore",
          env: {
            ...environments.get("nats"),
            HUB_NATS_NAME: `nats-${index + 1}`,
            HUB_NATS_LISTEN: `${host}:4222`,
            HUB_NATS_CLUSTER_LISTEN: `${host}:6222`,
            HUB_NATS_MONITOR_LISTEN: `${host}:8222`,
            HUB_NATS_STORE: join(root, `store-${index + 1}`),
            HUB_NATS_CERT: kept(`cert-${index + 1}.pem`, cert),
            HUB_NATS_KEY: kept(`key-${index + 1}.pem`, key),
            HUB_NATS_CA: ca
          }
        })
      )
    }
    await waitFor(
      async () => {
        const looks = MACHINES.map((host) =>
          fetch(`http://${host}:8222/healthz`).then(
            ({ ok }) => ok,
            () => false
          )
        )
        return (await Promise.all(looks)).every(Boolean)
      },
      { describe: "three healthy nats-servers" }
    )
    servers = await startServers({})
  })
  afterAll(async () => {
    for (const child of [...nodes, ...natsServers]) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill(nodes.includes(child) ? "SIGTERM" : "SIGKILL")
      await once(child, "exit")
    }
    await servers?.stop()
  })

  const begun = (entry: string, args: ReadonlyArray<string>, role: string, more: NodeJS.ProcessEnv = {}) => {
    const env = {
      PATH: process.env["PATH"],
      ...environments.get("common"),
      ...environments.get(role),
      NODE_EXTRA_CA_CERTS: join(root, "ca.pem"),
      ...("HUB_DATABASE_URL" in (environments.get(role) ?? {}) ? { HUB_DATABASE_URL: servers.postgres.url } : {}),
      HUB_DATA: root,
      HUB_METRICS_PORT: "0",
      HUB_ALLOW_PUBLIC_QUESTIONS: "true",
      HUB_BASE_URL: `http://127.0.0.1:${EDGE_PORT}`,
      ...more
    }
    const child = fork(join(projectRoot, entry), [...args], { env, silent: true })
    let told = ""
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (told += chunk.toString()))
    return { child, told: () => told }
  }
  const readyOf = async ({ child, told }: ReturnType<typeof begun>): Promise<void> => {
    nodes.push(child)
    const ended = once(child, "exit").then(() => Promise.reject(new Error(`it ended: ${told()}`)))
    await Promise.race([once(child, "message"), ended])
  }
  const commanded = async (...args: ReadonlyArray<string>): Promise<string> => {
    const command = begun("ops/cli/main.ts", args, "operator")
    await once(command.child, "exit")
    return command.told()
  }

  test("serve with three copies of every stream, encrypted throughout", async () => {
    expect(await commanded("migrate")).toContain("up to date")
    await Promise.all([
      readyOf(begun("actors/main.ts", [], "actors", { HUB_ROLES: "actors" })),
      readyOf(begun("actors/main.ts", [], "queries", { HUB_ROLES: "queries" })),
      readyOf(begun("actors/main.ts", [], "webhooks", { HUB_ROLES: "webhooks" })),
      readyOf(begun("actors/main.ts", [], "keeper", { HUB_ROLES: "keeper" })),
      readyOf(begun("edge/main.ts", [], "edge", { HUB_PORT: String(EDGE_PORT), HUB_BIND: "127.0.0.1" }))
    ])
    const healthOf = async (): Promise<string> => {
      const health = await fetch(`http://127.0.0.1:${EDGE_PORT}/api/v1/health`)
      return `${health.status} ${((await health.json()) as { data: { status: string } }).data.status}`
    }
    // Degraded first: nodes divide the shards while they are already answering.
    await waitFor(async () => (await healthOf()) === "200 ok", { describe: "a healthy service" })
    const status = await waitFor(
      async () => {
        const told = await commanded("status", "--all")
        return told.startsWith("healthy") ? told : null
      },
      { describe: "a healthy cluster", deadlineMs: WELL_MS }
    )
    expect(status).toMatch(/HUB_EVENTS/)
    const connections = await Promise.all(
      MACHINES.map(async (host) => {
        const found = (await (await fetch(`http://${host}:8222/connz`)).json()) as {
          readonly connections: ReadonlyArray<{ readonly tls_version?: string; readonly kind?: string }>
        }
        return found.connections
      })
    )
    expect(connections.flat().length).toBeGreaterThan(4)
    expect(connections.flat().filter(({ tls_version }) => tls_version === undefined)).toEqual([])
    const routes = (await (await fetch(`http://${MACHINES[0]}:8222/jsz?streams=1&config=1`)).json()) as {
      readonly account_details: ReadonlyArray<{
        readonly stream_detail: ReadonlyArray<{ readonly config: { readonly num_replicas: number } }>
      }>
    }
    const replicas = routes.account_details.flatMap(({ stream_detail }) =>
      stream_detail.map(({ config }) => config.num_replicas)
    )
    expect(new Set(replicas)).toEqual(new Set([3]))
  })
})
