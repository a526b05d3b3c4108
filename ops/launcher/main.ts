/**
 * The entry of the npm scripts, which runs after the packages are installed: start, test, agent, fill, bench, campaign,
 * screens and hub.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { COMBINED_ENTRY, PRODUCT_ENTRIES } from "./entries.ts"
import { exitWith } from "./exit.ts"
import { endWith, LaunchFault } from "./fault.ts"
import { archiveIn, dataFolder, projectRoot } from "./paths.ts"

type Verb = (args: ReadonlyArray<string>) => Promise<number | undefined>

/** Runs a program of this project in this process, as if it had been started with the arguments. */
async function runProgram(file: string, args: ReadonlyArray<string>): Promise<undefined> {
  const path = join(projectRoot, file)
  if (!existsSync(path)) throw new LaunchFault(`${file} is missing from this checkout`)
  process.argv = [process.execPath, path, ...args]
  // The process ends with its parent. The channel that reports the parent's end must not keep the process alive.
  process.once("disconnect", () => process.exit(1))
  process.channel?.unref()
  await import(pathToFileURL(path).href)
}

/**
 * Sets the addresses of the servers for the operator's commands to those of the running launcher, unless the
 * environment names others.
 */
async function addressServers(args: ReadonlyArray<string>): Promise<void> {
  const wanted = ["HUB_NATS_URL", "HUB_DATABASE_URL"].filter((name) => !process.env[name])
  if (wanted.length === 0) return
  const { serversFor } = await import("../cli/command-line.ts")
  const servers = serversFor(args)
  if (servers === "none") return
  const { runningServers } = await import("./data-folder.ts")
  const folder = dataFolder(process.env)
  const running = runningServers(folder)
  if (running === undefined) {
    if (servers === "optional") return
    throw new LaunchFault(`nothing runs on ${folder}; start it with npm start, or set ${wanted.join(" and ")}`)
  }
  process.env["HUB_DATA"] = folder
  if (!process.env["HUB_NATS_URL"]) process.env["HUB_ARCHIVE"] ||= archiveIn(folder)
  process.env["HUB_NATS_URL"] ||= running.nats
  process.env["HUB_DATABASE_URL"] ||= running.postgres
}

const verbs: Readonly<Record<string, Verb>> = {
  start: async (args) => {
    const [{ start }, { fillLibrary }] = await Promise.all([import("./start.ts"), import("./starter-library.ts")])
    return start({ args, env: process.env, entries: PRODUCT_ENTRIES, combined: COMBINED_ENTRY, serving: fillLibrary })
  },
  test: async (args) => {
    const { test } = await import("./test.ts")
    return exitWith(await test(args))
  },
  agent: (args) => runProgram("edge/sdk/cli/main.ts", args),
  fill: (args) => runProgram("edge/fill/main.ts", args),
  bench: (args) => runProgram("ops/bench/main.ts", args),
  campaign: (args) => runProgram("ops/campaign/main.ts", args),
  screens: (args) => runProgram("ops/screens/main.ts", args),
  hub: async (args) => {
    await addressServers(args)
    return runProgram("ops/cli/main.ts", args)
  }
}

async function main(): Promise<void> {
  const [name = "", ...args] = process.argv.slice(2)
  const verb = verbs[name]
  if (verb === undefined) throw new LaunchFault(`unknown command "${name}"; one of ${Object.keys(verbs).join(", ")}`)
  const status = await verb(args)
  // If there is no status, the imported program decides itself when the process ends.
  if (status !== undefined) process.exit(status)
}

main().catch(endWith)
