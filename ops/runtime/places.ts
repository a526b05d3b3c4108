/**
 * Paths of a deployment's runtime on its host, and the tag that marks everything it makes there, so that several
 * deployments can share a machine.
 *
 * Permanent files are below `<HUB_DATA>/runtime`. Sockets, process ids and the engine's temporary files are below
 * `/run/hub-<tag>`, because a socket's path may have only 108 bytes, and all of these are useless after a restart.
 */
import { join } from "node:path"
import { tagOf } from "../../actors/runtime/network/tag.ts"

export interface Places {
  readonly folder: string
  readonly tag: string
  /** The engine's data and logs. */
  readonly engine: string
  /** Files that last as long as the engine. */
  readonly run: string
  /** A second mount of the engine's folder, at a path that users other than root may pass. */
  readonly passable: string
  readonly socket: string
  readonly pidFile: string
  readonly containerdSocket: string
  readonly containerdPidFile: string
  readonly image: string
  /** `prepared`: the progress of the host's preparation. `known`: the place of its engine (prepared.ts). */
  readonly prepared: string
  readonly known: string
}

export const runtimeFolder = (dataDir: string): string => join(dataDir, "runtime")

export const placesOf = (dataDir: string): Places => {
  const folder = runtimeFolder(dataDir)
  const tag = tagOf(folder)
  const run = `/run/hub-${tag}`
  return {
    folder,
    tag,
    engine: join(folder, "engine"),
    run,
    passable: join(run, "engine"),
    socket: join(run, "docker.sock"),
    pidFile: join(run, "docker.pid"),
    containerdSocket: join(run, "containerd.sock"),
    containerdPidFile: join(run, "containerd.pid"),
    image: join(folder, "image"),
    prepared: join(folder, "prepare.json"),
    known: join(folder, "engine.json")
  }
}
