/** A history that was lived through, and `hub replay` of it. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Options } from "../../ops/cli/command.ts"
import { replayCommand } from "../../ops/cli/replay.ts"
import { testFolder } from "../harness/servers.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"
import { type History, liveThrough, said } from "./history.ts"

export let service: TestService
export let past: History
export let folder: string

export const openPast = async (): Promise<void> => {
  service = await sharedService()
  folder = await testFolder("replay")
  past = await liveThrough(service)
}

export const replay = (kind: string, reference: string, values: Options = {}): Promise<string> =>
  said(replayCommand, service, [kind, reference], values)

export const entries = () => logOf(service.view, "agent", past.id)

export const command = async (name: string, content: unknown): Promise<string> => {
  const file = join(folder, `${name}.json`)
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content))
  return file
}
