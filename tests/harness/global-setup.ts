/**
 * One folder per test run for everything tests leave on disk, removed at its end. The Postgres template is made in it
 * by the first test file that needs one, so that runs of pure tests pay nothing. Whoever names a folder removes it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export default function setup(): () => void {
  if (process.env["HUB_TEST_FOLDER"] !== undefined) return () => undefined
  const folder = mkdtempSync(join(tmpdir(), "hub-tests-"))
  process.env["HUB_TEST_FOLDER"] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
