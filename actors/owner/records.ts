/** Makes the records of messages between agents and their owners: decrypts texts, and adds people's names. */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { SealedMessage } from "../../schemas/owner/operations.ts"
import type { Owner, OwnerAnswer } from "../../schemas/owner/records.ts"
import type { AccountKeys } from "../kit/account-keys.ts"
import { Actors, type Asking } from "../engine/services.ts"
import { openWords, type SealedWords, type Words } from "./sealed.ts"

const ABREAST = 8

type Names = ReadonlyMap<string, string>

/** The names of people who have an account. */
const namesOf = (humans: ReadonlyArray<string>, asking: Asking): Effect.Effect<Names, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const nameOf = (human: string) =>
      actors.ask({ ...asking, commandId: `${asking.commandId}-${human}` }, "human.shown", human, null).pipe(
        Effect.map(({ name }): ReadonlyArray<readonly [string, string]> => [[human, name]]),
        Effect.catchIf(
          ({ code }) => code === "not_found",
          () => Effect.succeed<ReadonlyArray<readonly [string, string]>>([])
        )
      )
    const all = yield* Effect.forEach([...new Set(humans)], nameOf, { concurrency: ABREAST })
    return new Map(all.flat())
  })

/** Opens the text. A node caches keys for a moment, so the keys of accounts that have ended are left out. */
const openedBy = (accounts: AccountKeys, id: number, { sealed, keys }: SealedWords, names: Names) =>
  openWords(accounts, id, { sealed, keys: keys.filter(({ human }) => names.has(human)) })

const readersOf = (rows: ReadonlyArray<Pick<SealedWords, "keys">>): ReadonlyArray<string> =>
  rows.flatMap(({ keys }) => keys.map(({ human }) => human))

/** The text of one message, for a reader who may see it; `null` if nobody can open it any more. */
export const openedWords = (
  accounts: AccountKeys,
  id: number,
  row: SealedWords,
  asking: Asking
): Effect.Effect<Words | null, Refusal, Actors> =>
  Effect.flatMap(namesOf(readersOf([row]), asking), (names) => openedBy(accounts, id, row, names))

const ownerMessageRecord = (
  { id, human, kind, in_reply_to, delivered_to, read_at, created_at }: SealedMessage,
  words: Words | null,
  names: Names
): OwnerAnswer => {
  const owner: Owner | null = human === null ? null : { human_id: human, name: names.get(human) ?? null }
  return {
    id,
    direction: human === null ? "to_owner" : "to_agent",
    owner,
    kind,
    text: words?.text ?? null,
    options: words?.options ?? null,
    in_reply_to,
    answer: null,
    waited: false,
    delivered_to,
    read_at,
    created_at
  }
}

export const ownerMessageRecords = (
  accounts: AccountKeys,
  rows: ReadonlyArray<SealedMessage>,
  asking: Asking
): Effect.Effect<ReadonlyArray<OwnerAnswer>, Refusal, Actors> =>
  Effect.gen(function* () {
    const names = yield* namesOf(readersOf(rows), asking)
    const one = (row: SealedMessage) =>
      Effect.map(openedBy(accounts, row.id, row, names), (words) => ownerMessageRecord(row, words, names))
    return yield* Effect.forEach(rows, one, { concurrency: ABREAST })
  })
