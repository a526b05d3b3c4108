/**
 * The order of test files. The longest go first, so that all workers end at about the same time: a file of five minutes
 * that begins last would keep one of them busy alone. A fresh checkout has no timings of earlier runs, so the long
 * files are named here. Files that share a system follow each other, so that it is started once and is not idle in
 * between.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Parts of the paths of long files, the longest first. Other files follow in vitest's own order. */
const LONG = [
  "tests/deploy/",
  "tests/ops/verify.test",
  "tests/api/each-write.test",
  "tests/actors/search/queries",
  "tests/runtime/compartment",
  "tests/fill/submitted",
  "tests/html/hostile",
  "tests/runtime/network-mended",
  "tests/fill/pages",
  "tests/runtime/",
  "tests/ops/backup.test",
  "tests/api/file-collection",
  "tests/api/identity/recovery",
  "tests/fill/",
  "tests/actors/engine/releases",
  "tests/contract/add-a-noun",
  "tests/edge/process",
  "tests/launcher/",
  "tests/actors/questions/",
  "tests/html/owner/overview",
  "tests/chaos/",
  "tests/sdk/cli-service",
  "tests/ops/status.test",
  "tests/api/mail-domain-states",
  "tests/api/webhook",
  "tests/html/agent.test",
  "tests/actors/reactions/reactor",
  "tests/api/registration.test",
  "tests/edge/leases",
  "tests/edge/connections",
  "tests/api/coverage",
  "tests/api/identity/",
  "tests/html/appearance",
  "tests/api/moderation",
  "tests/trace/",
  "tests/api/captcha.test",
  "tests/html/vault-seal",
  "tests/edge/docs-challenge",
  "tests/html/owner/captcha",
  "tests/api/notification-live",
  "tests/actors/projections/feed"
] as const

const rankOf = (path: string): number => {
  const found = LONG.findIndex((part) => path.includes(part))
  return found === -1 ? LONG.length : found
}

/**
 * Kinds of shared systems in the order of their turns, by the call that asks for one. The call is in the test file or
 * in a file beside it that it imports.
 */
const KINDS = [
  /\bsharedHosted\(/,
  /\b(?:sharedService|openShared)\(\{\s*processes: true/,
  /\bsharedService\(\{\s*keeper: true/,
  /\b(?:sharedService|openShared)\(/
] as const

const IMPORTED = /from "(\.[^"]*\.ts)"/g
const TOOLS = /\/tests\/(?:harness|support)\//

const read = (path: string): string => readFileSync(path, "utf8")

/** The index in KINDS of the system that a file shares. Files that share none come last. */
const kindOf = (path: string): number => {
  const text = read(path)
  const beside = [...text.matchAll(IMPORTED)]
    .map((match) => resolve(dirname(path), match[1] ?? ""))
    .filter((file) => file.includes("/tests/") && !TOOLS.test(file) && existsSync(file))
  const found = [text, ...beside.map(read)].flatMap((source) => {
    const kind = KINDS.findIndex((pattern) => pattern.test(source))
    return kind === -1 ? [] : [kind]
  })
  return found[0] ?? KINDS.length
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const inItsOrder = await BaseSequencer.prototype.sort.call(this, files)
    const placed = inItsOrder.map((file) => ({ file, rank: rankOf(file.moduleId), kind: kindOf(file.moduleId) }))
    return placed.toSorted((one, other) => one.rank - other.rank || one.kind - other.kind).map(({ file }) => file)
  }
}
