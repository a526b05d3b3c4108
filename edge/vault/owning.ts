/**
 * A person's access to the vault of an agent that the person owns (spec 4.10). Secrets and ciphertexts are not shown.
 */
import { Effect } from "effect"
import type { Operations, Queries } from "../../schemas/bus/operations.ts"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"

const { entries_told_max: TOLD_MAX } = VAULT_SERVICE_LIMITS

/** A person who may consent to fills. `name`: `null` if it is unavailable. */
export interface Consenter {
  /** True for the person who asks. */
  readonly isYou: boolean
  readonly name: string | null
}

/** A vault as its agent's owner sees it; `null` if the agent has no vault. */
export type OwnedVault =
  | (Omit<NonNullable<Operations["vault.owned"]["output"]>, "consenters"> & {
      /** The people who may consent, by the id of the entry. Only entries that need consent are included. */
      readonly consenters: ReadonlyMap<number, ReadonlyArray<Consenter>>
    })
  | null

type Pending = Queries["consents_pending"]["output"]

const ABREAST = 8

export class OwningVault {
  private readonly bus: EdgeParts["bus"]

  constructor({ bus }: Pick<EdgeParts, "bus">) {
    this.bus = bus
  }

  /** Reads the whole vault, in several steps if it is large. `deadline`: Unix ms. */
  shown(call: Call, human: string, actor: string, deadline = call.deadline): Effect.Effect<OwnedVault, Refused> {
    const { bus } = this
    return Effect.gen(function* () {
      const first = yield* bus.read(call, { actor, op: "vault.owned", input: { human, before: null }, deadline })
      if (first === null) return null
      const entries = [...first.entries]
      const may = [...(first.consenters ?? [])]
      for (let told = first.entries; told.length === TOLD_MAX;) {
        const before = told.at(-1)?.id ?? null
        const older = yield* bus.read(call, { actor, op: "vault.owned", input: { human, before }, deadline })
        told = older?.entries ?? []
        entries.push(...told)
        may.push(...(older?.consenters ?? []))
      }
      const ids = [...new Set(may.flatMap(({ humans }) => humans))]
      const within = { deadline, span: call.span, call }
      const people = ids.length === 0 ? [] : yield* Effect.orElseSucceed(bus.query(within, "people", { ids }), () => [])
      const names = new Map(people.map(({ id, name }) => [id, name]))
      const consenters = new Map(
        may.map(({ entry, humans }) => [
          entry,
          humans.map((id) => ({ isYou: id === human, name: names.get(id) ?? null }))
        ])
      )
      return { ...first, entries, consenters }
    })
  }

  /** The fills of all agents that wait for this person's consent. */
  pending(call: Call, human: string): Effect.Effect<Pending, Refused> {
    const { bus } = this
    const isHis = ({ agent: { id: actor }, fill }: Pending[number]): Effect.Effect<boolean, Refused> =>
      Effect.catch(
        Effect.as(bus.read(call, { actor, op: "vault.asked", input: { human, fill } }), true),
        (failed): Effect.Effect<boolean, Refused> =>
          failed.refusal.code === "not_found" ? Effect.succeed(false) : Effect.fail(failed)
      )
    return Effect.flatMap(bus.query(call, "consents_pending", { human }), (found) =>
      Effect.filter(found, isHis, { concurrency: ABREAST })
    )
  }

  /** Records the person's consent or refusal. Resolves to `over` if another owner decided first or the time is over. */
  consent(
    call: Call,
    human: string,
    actor: string,
    fill: number,
    allow: boolean
  ): Effect.Effect<"done" | "over", Refused> {
    const asked = this.bus.ask(call, { actor, op: "vault.consent", input: { human, fill, allow } })
    return Effect.catch(Effect.as(asked, "done" as const), (failed): Effect.Effect<"over", Refused> =>
      failed.refusal.code === "not_found" ? Effect.succeed("over") : Effect.fail(failed)
    )
  }

  revoke(call: Call, human: string, actor: string, entry: number): Effect.Effect<void, Refused> {
    const { bus } = this
    return Effect.gen(function* () {
      yield* bus.ask(call, { actor, op: "owner.carries", input: { human } })
      const revoking = bus.ask(call, { actor, op: "vault.delete_entry", input: { entry, by: "owner" } })
      // If the entry is gone, another window of the person has sent the same form before.
      yield* Effect.catchIf(
        revoking,
        ({ refusal }) => refusal.code === "entry_unknown",
        () => Effect.void
      )
    })
  }
}
