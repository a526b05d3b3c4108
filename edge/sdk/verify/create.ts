/**
 * Builds a verifier from its parts.
 *
 * Invariants
 *  - Every request gets a verdict. Only a mistake of the website's own code is thrown.
 */
import { HubClock } from "./clock.ts"
import { DirectorySource } from "./directory-source.ts"
import type { Verifier, VerifierOptions, VerifierState } from "./interface.ts"
import { LocalJudge } from "./local-judge.ts"
import { LookupSource } from "./lookup-source.ts"
import { misuse } from "./misuse.ts"
import { NonceMemory } from "./nonces.ts"
import { OnlineJudge } from "./online-judge.ts"
import { readRequest, type Request } from "./request.ts"
import { positive, settingsOf } from "./settings.ts"
import { Signatures } from "./signatures.ts"
import type { Source } from "./source.ts"
import type { Verdict } from "./verdict.ts"

export const createVerifier = (options: VerifierOptions): Verifier => {
  const settings = settingsOf(options)
  const nonces = new NonceMemory(positive("maxNonces", options.maxNonces, 1_000_000))
  const signatures = new Signatures(options.ed25519, positive("maxCachedKeys", options.maxCachedKeys, 10_000))
  const clock = new HubClock(settings)
  const mode = options.mode ?? "directory"
  if (mode === "online") {
    const judge = new OnlineJudge(settings)
    return verifierOf(
      judge,
      { ready: () => Promise.resolve(true), settled: () => judge.settled(), close: () => judge.close() },
      () => stateOf(null, nonces, clock)
    )
  }
  if (mode !== "directory" && mode !== "lookup") throw misuse("`mode` must be directory, lookup or online")
  const source = mode === "directory" ? new DirectorySource(settings, clock) : new LookupSource(settings, clock)
  const judge = new LocalJudge(settings, source, clock, { signatures, nonces, store: options.store })
  return verifierOf(judge, source, () => stateOf(source instanceof DirectorySource ? source : null, nonces, clock))
}

const verifierOf = (
  judge: { judge(request: Request): Verdict | Promise<Verdict> },
  source: Pick<Source, "close" | "ready" | "settled">,
  state: () => VerifierState
): Verifier => ({
  check: async (request, options) => judge.judge(readRequest(request, options)),
  ready: () => source.ready(),
  settled: () => source.settled(),
  state,
  close: () => source.close()
})

const stateOf = (source: DirectorySource | null, nonces: NonceMemory, clock: HubClock): VerifierState => {
  const directory = source?.directory ?? null
  nonces.forget(clock.seconds())
  return {
    agents: directory?.count ?? null,
    generated_at: directory === null ? null : new Date(directory.generatedAt).toISOString(),
    age_seconds: source === null || directory === null ? null : Math.floor(source.ageMs() / 1000),
    nonces: nonces.size,
    clock_ahead_ms: clock.aheadMs
  }
}
