/**
 * Which file begins when. The longest go first, so that the workers end together: a file of five minutes that begins
 * last keeps one of them for itself. On a fresh checkout nothing is known of earlier runs, so what is long is named
 * here.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By time, longest first: parts of their paths. The others follow in vitest's own order. */
const LONG = [
  "tests/deploy/",
  "tests/chaos/compartments",
  "tests/runtime/compartment",
  "tests/runtime/bounds",
  "tests/runtime/guards",
  "tests/runtime/network",
  "tests/runtime/",
  "tests/html/hostile",
  "tests/ops/backup",
  "tests/fill/pages",
  "tests/api/coverage",
  "tests/chaos/",
  "tests/edge/leases",
  "tests/sdk/cli-",
  "tests/ops/verify",
  "tests/api/file-collection",
  "tests/api/mail-domain-states",
  "tests/api/identity/",
  "tests/api/notification-live",
  "tests/launcher/start",
  "tests/actors/reactions/reactor",
  "tests/api/password-guessing",
  "tests/api/webhook",
  "tests/edge/process"
] as const

const rankOf = (path: string): number => {
  const found = LONG.findIndex((part) => path.includes(part))
  return found === -1 ? LONG.length : found
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const inItsOrder = await BaseSequencer.prototype.sort.call(this, files)
    return inItsOrder.toSorted((one, other) => rankOf(one.moduleId) - rankOf(other.moduleId))
  }
}
