/** Removes the remains of killed runs on this machine: container engines, networks, mounts, folders. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { removeNetwork } from "../../actors/runtime/network/removal.ts"
import { leftTestFolders, removeTestFolder } from "../../ops/launcher/test-folder.ts"
import { endSharedEngine } from "../runtime/shared-engine.ts"

/** A network is in the folder of a test, or in the folder `runtime` of its service. */
const networkFolders = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((one) => one.isDirectory())
    .flatMap(({ name }) => [join(folder, name), join(folder, name, "runtime")])

export const endLeftOver = async (): Promise<void> => {
  for (const folder of await leftTestFolders()) {
    await endSharedEngine(folder)
    for (const one of await networkFolders(folder)) await removeNetwork(one, null)
    await removeTestFolder(folder)
  }
}
