/**
 * The cluster of docker-compose.yml, from what an operator has after a clone: the project's files in a folder of their
 * own, secrets drawn by the project's script, images built by its Dockerfile.
 */
import { chmod, cp, mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { openService, type Service } from "../../ops/cli/connection.ts"
import { waitFor } from "../harness/index.ts"
import { BYPASS_TOKEN } from "../support/register.ts"
import { WIDE_LIMITS } from "../support/service.ts"
import { call, type Engine } from "./engine.ts"

const PARTS = [
  "docker-compose.yml",
  ".dockerignore",
  "package.json",
  "package-lock.json",
  "schemas",
  "edge",
  "actors",
  "ops"
]
const WELL_MS = 600_000

export interface Cluster {
  readonly url: string
  /** `docker compose ...` with the project's own file; with `open`, with the test's over it. */
  readonly compose: (args: ReadonlyArray<string>) => Promise<string>
  readonly rollingRestart: (services: ReadonlyArray<string>, recreate?: boolean) => Promise<string>
  /** A line for each container that ended since (epoch ms), with its exit code. */
  readonly ended: (since: number) => Promise<string>
  /** From now on with the test's limits, and a window for the view. */
  readonly open: () => Promise<void>
  readonly view: () => Promise<Service>
  readonly stop: () => Promise<void>
}

async function checkout(engine: Engine): Promise<string> {
  const folder = join(engine.folder, "checkout")
  await mkdir(folder)
  for (const part of PARTS) await cp(join(projectRoot, part), join(folder, part), { recursive: true })
  // A container's user is not the one that made the folder.
  await chmod(folder, 0o755)
  await call("sh", ["ops/deploy/secrets.sh"], { cwd: folder, env: engine.env })
  return folder
}

export async function makeCluster(engine: Engine): Promise<Cluster> {
  const folder = await checkout(engine)
  await engine.docker(
    ["build", "--quiet", "--network", "host", "--tag", "hub", "--file", "ops/deploy/Dockerfile", "."],
    { cwd: folder }
  )
  const [port, natsPort, postgresPort] = [await drawPort(), await drawPort(), await drawPort()]
  const url = `http://127.0.0.1:${port}`
  const secrets = parseEnv(await readFile(join(folder, ".env"), "utf8"))
  const files = ["docker-compose.yml"]
  const env = (): NodeJS.ProcessEnv => ({
    HUB_LISTEN: `127.0.0.1:${port}`,
    HUB_BASE_URL: url,
    // Production asks in words of its own.
    HUB_QUESTIONS: join(folder, "ops", "bench", "questions", "deployment"),
    COMPOSE_FILE: files.join(":"),
    COMPOSE_MENU: "false",
    HUB_TEST_LIMITS: JSON.stringify(WIDE_LIMITS),
    HUB_TEST_BYPASS: BYPASS_TOKEN,
    HUB_TEST_NATS_PORT: String(natsPort),
    HUB_TEST_POSTGRES_PORT: String(postgresPort),
    HUB_TEST_WINDOW: join(projectRoot, "tests", "deploy", "window.cfg")
  })
  const compose: Cluster["compose"] = (args) => engine.docker(["compose", ...args], { cwd: folder, env: env() })
  const until200 = () =>
    waitFor(async () => (await fetch(`${url}/api/v1/health`)).status === 200, {
      describe: "a cluster in good health",
      deadlineMs: WELL_MS
    })
  const stop = async () => void (await compose(["--profile", "tools", "down", "--volumes", "--timeout", "2"]))
  try {
    await compose(["up", "--detach", "--no-build", "--quiet-pull"])
    await until200()
  } catch (cause) {
    // Its networks would outlive the engine.
    await stop().catch(() => undefined)
    throw cause
  }
  return {
    url,
    compose,
    rollingRestart: (services, recreate = false) =>
      call("sh", ["ops/deploy/rolling-restart.sh", ...services], {
        cwd: folder,
        env: { ...engine.env, ...env(), ...(recreate ? { RECREATE: "1" } : {}) }
      }),
    ended: (since) =>
      engine.docker([
        "events",
        "--since",
        String(since / 1000),
        "--until",
        String(Date.now() / 1000),
        "--filter",
        "event=die",
        "--format",
        "{{.Actor.Attributes.name}} {{.Actor.Attributes.exitCode}}"
      ]),
    open: async () => {
      files.push(join(projectRoot, "tests", "deploy", "compose.test.yml"))
      await compose(["up", "--detach", "--no-build"])
      await until200()
    },
    view: () =>
      openService({
        HUB_NATS_URL: `nats://operator:${secrets["HUB_NATS_OPERATOR_PASSWORD"]}@127.0.0.1:${natsPort}`,
        HUB_DATABASE_URL: `postgres://hub:${secrets["HUB_POSTGRES_PASSWORD"]}@127.0.0.1:${postgresPort}/hub`
      }),
    stop
  }
}
