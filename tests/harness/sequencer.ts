/**
 * Which file begins when. The longest go first, so that the workers end together: a file of five minutes that begins
 * last keeps one of them for itself. On a fresh checkout nothing is known of earlier runs, so what is long is named
 * here.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By time, longest first: parts of their paths. The others follow in vitest's own order. */
const LONG = [
  "tests/deploy/",
  "tests/ops/verify.test",
  "tests/runtime/compartment",
  "tests/launcher/start.test",
  "tests/html/hostile",
  "tests/runtime/network-mended",
  "tests/fill/pages",
  "tests/runtime/",
  "tests/ops/backup.test",
  "tests/api/captcha.test",
  "tests/chaos/",
  "tests/html/vault-seal",
  "tests/html/owner/captcha",
  "tests/actors/search/queries",
  "tests/fill/",
  "tests/actors/projections/feed",
  "tests/edge/process",
  "tests/launcher/",
  "tests/api/file-collection",
  "tests/api/identity/",
  "tests/api/coverage",
  "tests/actors/questions/",
  "tests/sdk/cli-",
  "tests/api/mail-domain-states",
  "tests/api/notification-live",
  "tests/edge/leases"
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
