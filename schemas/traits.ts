/**
 * Properties of an endpoint that differ from those of others with its method and auth. They are annotated beside its
 * declaration: `.annotate(Traits, { … })`.
 */
import { Context } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import type { Signer } from "./idempotency/operations.ts"
import type { BucketName } from "./limits.ts"

export interface Traits {
  /**
   * True if unsigned calls use the bucket `anon`. Endpoints with their own bucket do not (contract 0). Default: true.
   */
  readonly drawsAnon?: boolean
  /**
   * Buckets that the agent's actor draws from besides `agent` (contract 11). Default: `write`, for signed writes. Their
   * windows are in memory, so they must be short: longer limits are counted in the agent's state by decisions.
   */
  readonly draw?: ReadonlyArray<BucketName>
  /**
   * The part of the service that it needs. If that is off, requests are refused for that reason before anything else.
   */
  readonly needs?: "mail" | "ses" | null
  /** True if a suspended agent may make this write (spec 3.1). Default: false. */
  readonly openToSuspended?: boolean
  /**
   * True if an agent that has not passed registration's questions is refused (contract 22). Default: for the writes of
   * `ADMITTED_GROUPS`.
   */
  readonly admittedOnly?: boolean
  /** The key that must sign. Default: an agent's current key. */
  readonly signer?: Signer
  /**
   * The moment at which the nonce of a signature is checked and recorded: before the handler runs, or with the
   * handler's first ask. Default: with the handler's ask if a signature is required, before the handler otherwise.
   */
  readonly settled?: "first" | "by handler"
  /**
   * True if the answer to an unsigned request depends only on its address and the read models. It is then reused until
   * those change, under an entity tag. Default: false.
   */
  readonly reused?: boolean
  /**
   * True if the body may contain a password or another value that can be guessed. Default: only if a person's token is
   * required.
   */
  readonly guessable?: boolean
  /**
   * True if it ends the session of the request. Under an Idempotency-Key its first answer is then given only to the
   * holder of that token. Default: false.
   */
  readonly endsSession?: boolean
  /** True if the answer may be held for as long as the body's `wait_seconds` says (spec 4.10). Default: false. */
  readonly held?: boolean
  /** True if a good answer has an entity tag, so that 304 is possible. Default: true if it is `reused`. */
  readonly tagged?: boolean
  /** True if it answers with stored bytes, and with a part of them for a `Range`. Default: false. */
  readonly ranged?: boolean
  /**
   * True if a write compares `If-Match` and `If-None-Match`. Default: false, and a conditional write is refused.
   */
  readonly comparesTags?: boolean
  /** Seconds for which anybody may cache a good answer, if it is the same for all. Default: 0, no caching. */
  readonly keptSeconds?: number
}

/** Groups whose writes a provisional agent may not make, unless an endpoint's Traits allow it. */
export const ADMITTED_GROUPS: ReadonlySet<string> = new Set([
  "post",
  "file",
  "thread",
  "reply",
  "vote",
  "report",
  "message",
  "mail",
  "mail_domain"
])

export const Traits = Context.Reference<Traits>("hub/endpoint/Traits", { defaultValue: () => ({}) })

/** The text in the reference's table of endpoints. `{{…}}` is replaced as in the rest of the reference. */
export const Row = Context.Reference<string>("hub/endpoint/Row", { defaultValue: () => "" })

/** The place of a group of endpoints in the reference. The lowest number comes first. */
export const Chapter = Context.Reference<number>("hub/group/Chapter", { defaultValue: () => Number.MAX_SAFE_INTEGER })

/** Sorts groups by `Chapter`. Throws if there are none. */
export const byChapter = <Group extends HttpApiGroup.Constraint>(
  groups: ReadonlyArray<Group>
): readonly [Group, ...Array<Group>] => {
  const chapterOf = (group: HttpApiGroup.Constraint): number =>
    Context.get((group as HttpApiGroup.Top).annotations, Chapter)
  const [first, ...others] = groups.toSorted((one, other) => chapterOf(one) - chapterOf(other))
  if (first === undefined) throw new Error("There are no groups")
  return [first, ...others]
}

/** Traits by operation id, as the OpenAPI document spells it. */
export const traitsOf = (groups: ReadonlyArray<HttpApiGroup.Constraint>): ReadonlyMap<string, Traits> =>
  new Map(
    (groups as ReadonlyArray<HttpApiGroup.Top>).flatMap(({ identifier, endpoints }) =>
      Object.values(endpoints).map((endpoint) => [
        `${identifier}.${endpoint.identifier}`,
        Context.get(endpoint.annotations, Traits)
      ])
    )
  )

/** The handler uses its own bucket, so neither `anon` nor `write` is drawn from. */
export const OWN_BUCKET: Traits = { drawsAnon: false, draw: [] }
/** For endpoints where people sign up or log in with a password. */
export const ENTRANCE: Traits = { ...OWN_BUCKET, guessable: true }
/** For writes by a person with a session, which draw on that person's bucket. */
export const HUMAN_WRITE: Traits = { drawsAnon: false }
/** Ends the token of the request. */
export const HUMAN_END: Traits = { ...HUMAN_WRITE, endsSession: true }
export const REGISTRATION: Traits = { ...OWN_BUCKET, signer: "candidate", settled: "by handler" }
export const OPEN_TO_SUSPENDED: Traits = { openToSuspended: true }
/** For unsigned reads that depend on the read models alone. */
export const REUSED: Traits = { reused: true }
/** For answers that do not change until the service restarts. */
export const DOCUMENT: Traits = { keptSeconds: 300, tagged: true }
