/**
 * Builds the images of the container tests, unless an earlier run has kept them. `npm test` runs it before the tests, so
 * that set-up and tests have times of their own.
 */
import { rm } from "node:fs/promises"
import { makeTestFolder } from "../../ops/launcher/test-folder.ts"
import { compartmentImageIsKept, endSharedEngine, sharedEngine } from "../runtime/shared-engine.ts"
import { checkout } from "./cluster.ts"
import { startEngine } from "./engine.ts"
import { clusterImagesAreKept, makeImages } from "./images.ts"

async function prepareCluster(): Promise<void> {
  if (await clusterImagesAreKept()) return
  const engine = await startEngine()
  try {
    await makeImages(engine, await checkout(engine))
  } finally {
    await engine.stop()
  }
}

async function prepareCompartments(folder: string): Promise<void> {
  if (await compartmentImageIsKept()) return
  try {
    await sharedEngine()
  } finally {
    await endSharedEngine(folder)
  }
}

const folder = await makeTestFolder()
process.env["HUB_TEST_FOLDER"] = folder
try {
  await Promise.all([prepareCluster(), prepareCompartments(folder)])
} finally {
  await rm(folder, { recursive: true, force: true })
}
