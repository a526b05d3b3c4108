/**
 * The cluster of docker-compose.yml, from what an operator has after a clone: the project's files in a folder of their
 * own, secrets drawn by the project's script, images built by its Dockerfile.
 *
 * `testcontainers` brings the compose project up and waits until it is healthy. Its reaper is off, because it is a
 * published image and no registry can be reached. It cannot start an engine, restart one container after the other, run
 * a service once (`compose run`) or say why an end failed: those stay with engine.ts, the project's own script and
 * `docker compose`.
 */
import { chmod, cp, mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseEnv } from "node:util"
import type Dockerode from "dockerode"
import { DockerComposeEnvironment, StartupCheckStrategy, type StartupStatus, Wait } from "testcontainers"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { openService, type Service } from "../../ops/cli/connection.ts"
import { waitFor } from "../harness/index.ts"
import { BYPASS_TOKEN } from "../support/register.ts"
import { WIDE_LIMITS } from "../support/service.ts"
import { call, type Engine } from "./engine.ts"
import { MADE, makeImages } from "./images.ts"

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
const WELL_MS = 1_800_000
/** As docker-compose.yml names it. */
const PROJECT = "hub"

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

/** A folder with the project's files, as an operator has them after a clone, with secrets drawn. */
export async function checkout(engine: Engine): Promise<string> {
  const folder = join(engine.folder, "checkout")
  await mkdir(folder)
  for (const part of PARTS) await cp(join(projectRoot, part), join(folder, part), { recursive: true })
  // A container's user is not the one that made the folder.
  await chmod(folder, 0o755)
  await call("sh", ["ops/deploy/secrets.sh"], { cwd: folder, env: engine.env })
  return folder
}

/** Production's shape with one container of each role: a check of what the file says needs no second one. */
const ONE_OF_EACH = ["actors", "queries", "webhooks", "edge"].flatMap((name) => ["--scale", `${name}=1`])

/** Services that tests/deploy/compose.test.yml changes. */
const OPENED = ["actors", "queries", "webhooks", "edge", "window"]

/** The library's own strategy gives up on a container that is unhealthy for a moment, as on a busy machine. */
class Healthy extends StartupCheckStrategy {
  override async checkStartupState(engine: Dockerode, id: string): Promise<StartupStatus> {
    const { State } = await engine.getContainer(id).inspect()
    return State.Health === undefined || State.Health.Status === "healthy" ? "SUCCESS" : "PENDING"
  }
}

/** testcontainers looks for the engine in this process's environment, once. */
async function atEngine<A>({ env }: Engine, work: () => Promise<A>): Promise<A> {
  const before = process.env["DOCKER_HOST"]
  process.env["DOCKER_HOST"] = env["DOCKER_HOST"]
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env["DOCKER_HOST"]
    else process.env["DOCKER_HOST"] = before
  }
}

export async function makeCluster(engine: Engine): Promise<Cluster> {
  const folder = await checkout(engine)
  await makeImages(engine, folder)
  const [port, natsPort, postgresPort] = [await drawPort(), await drawPort(), await drawPort()]
  const url = `http://127.0.0.1:${port}`
  const secrets = parseEnv(await readFile(join(folder, ".env"), "utf8"))
  const files = [join(folder, "docker-compose.yml")]
  const given: Record<string, string> = {
    HUB_LISTEN: `127.0.0.1:${port}`,
    HUB_BASE_URL: url,
    // Production asks in words of its own.
    HUB_QUESTIONS: join(folder, "ops", "bench", "questions", "banks", "harbour"),
    COMPOSE_MENU: "false",
    HUB_TEST_LIMITS: JSON.stringify(WIDE_LIMITS),
    HUB_TEST_BYPASS: BYPASS_TOKEN,
    HUB_TEST_IMAGE: MADE,
    HUB_TEST_NATS_PORT: String(natsPort),
    HUB_TEST_POSTGRES_PORT: String(postgresPort),
    HUB_TEST_WINDOW: join(projectRoot, "tests", "deploy", "window.cfg")
  }
  const env = (): NodeJS.ProcessEnv => ({ ...given, COMPOSE_FILE: files.join(":") })
  const compose: Cluster["compose"] = (args) => engine.docker(["compose", ...args], { cwd: folder, env: env() })
  const up = (commandOptions: ReadonlyArray<string>, services?: ReadonlyArray<string>) =>
    atEngine(engine, () =>
      new DockerComposeEnvironment(folder, files)
        .withProjectName(PROJECT)
        .withAutoCleanup(false)
        .withEnvironment({ ...given, DOCKER_CONFIG: engine.env["DOCKER_CONFIG"] ?? "" })
        .withClientOptions({ commandOptions: ["--no-build", ...commandOptions] })
        .withDefaultWaitStrategy(new Healthy())
        // The proxy has no check of its own; it answers once an edge does.
        .withWaitStrategy("proxy-1", Wait.forHttp("/api/v1/health", 8080).forStatusCode(200))
        .withStartupTimeout(WELL_MS)
        .up(services === undefined ? undefined : [...services])
    )
  await up(ONE_OF_EACH)
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
      // Their dependencies are met: the servers run, and the tables are made.
      await up(["--no-deps"], OPENED)
    },
    view: () =>
      openService({
        HUB_NATS_URL: `nats://operator:${secrets["HUB_NATS_OPERATOR_PASSWORD"]}@127.0.0.1:${natsPort}`,
        HUB_DATABASE_URL: `postgres://hub:${secrets["HUB_POSTGRES_PASSWORD"]}@127.0.0.1:${postgresPort}/hub`
      }),
    // Again until it succeeds: on a busy machine the engine may give up on one container.
    stop: async () => {
      await waitFor(() => compose(["--profile", "*", "down", "--volumes", "--timeout", "1"]).then(() => true), {
        describe: "the end of the cluster"
      })
    }
  }
}
