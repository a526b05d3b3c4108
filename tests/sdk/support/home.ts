/** Folders of `hub-agent`, with a key each, for hubs that are played. */
import { rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { testFolder } from "../../harness/servers.ts"
import { type Ran, runCli, type RunOptions } from "./cli.ts"
import { type Play, type Player, startPlayer } from "./player.ts"

export const NOBODY = "http://127.0.0.1:9"
export let folder = ""
let homes = 0
const players: Array<Player> = []

export const openFolder = async (): Promise<void> => {
  folder = await testFolder("cli")
}

export const closeFolder = async (): Promise<void> => {
  await Promise.all(players.map((player) => player.stop()))
  await rm(folder, { recursive: true, force: true })
}

export const newHome = (): string => join(folder, `home-${++homes}`)
export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

/** A folder with a key, for a hub that is played. */
export async function played(play: Play): Promise<{
  readonly home: string
  readonly player: Player
  readonly run: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<Ran>
}> {
  const player = await startPlayer(play)
  players.push(player)
  const home = newHome()
  const run = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
    runCli([...args, "--hub", player.url, "--home", home], options)
  expect(await run(["init"])).toMatchObject({ status: 0 })
  return { home, player, run }
}
