/**
 * Finds a Prometheus with its promtool for the test of the shipped rules and dashboards, or installs Debian's
 * (debian.ts). HUB_PROMETHEUS, the folder of both programs, is used if it is set, else PATH.
 */
import { execFile } from "node:child_process"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { type DebianOptions, installPackages } from "./debian.ts"
import { LaunchFault } from "./fault.ts"

const run = promisify(execFile)

const PACKAGE = "prometheus"
const VERSION_TIMEOUT_MS = 20_000
const HINT = `install Prometheus (on Debian, as root: apt-get install ${PACKAGE}) or set HUB_PROMETHEUS to its folder`

export interface PrometheusPrograms {
  readonly prometheus: string
  readonly promtool: string
}

const inFolder = async (folder: string): Promise<PrometheusPrograms | undefined> => {
  const found = { prometheus: join(folder, "prometheus"), promtool: join(folder, "promtool") }
  const runs = Object.values(found).map((program) => run(program, ["--version"], { timeout: VERSION_TIMEOUT_MS }))
  return Promise.all(runs).then(
    () => found,
    () => undefined
  )
}

const onPath = async (env: NodeJS.ProcessEnv): Promise<PrometheusPrograms | undefined> => {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const found = folder === "" ? undefined : await inFolder(folder)
    if (found !== undefined) return found
  }
  return undefined
}

export async function findPrometheus(options: DebianOptions): Promise<PrometheusPrograms> {
  const named = options.env["HUB_PROMETHEUS"]
  if (named) {
    const found = await inFolder(named)
    if (found === undefined)
      throw new LaunchFault(`HUB_PROMETHEUS names ${named}, where no prometheus and promtool run`)
    return found
  }
  const found = await onPath(options.env)
  if (found !== undefined) return found
  // Keeps the package from starting its service: the test starts a Prometheus of its own, and the service would take
  // its port.
  const quiet = { ...options, env: { ...options.env, RUNLEVEL: "1" } }
  const what = { packages: [PACKAGE], what: "Prometheus", purpose: "the tests of alerts and dashboards" }
  await installPackages({ ...what, remark: "about 22 MB, once", hint: HINT }, quiet)
  const installed = await onPath(options.env)
  if (installed === undefined) throw new LaunchFault(`the package ${PACKAGE} was installed but does not run; ${HINT}`)
  return installed
}
