/** Work in Postgres, as Effects. */
import { Effect, type Scope } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { attempt } from "../log/attempt.ts"

type Db = Kysely<Database>

/** Work that may fail and is tried again. An interruption waits for its end. */
export const toItsEnd = <A>(act: () => Promise<A>): Effect.Effect<A, unknown> => Effect.uninterruptible(attempt(act))

/** A transaction. An interruption rolls it back. */
export const inTransaction = <A>(
  db: Db,
  act: (trx: Transaction<Database>) => Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> =>
  Effect.acquireUseRelease(
    toItsEnd(() => db.startTransaction().execute()),
    (trx) => Effect.tap(act(trx), () => toItsEnd(() => trx.commit().execute())),
    (trx) => (trx.isCommitted ? Effect.void : Effect.ignore(toItsEnd(() => trx.rollback().execute())))
  )

/** Another rebuild or verification is under way in this database. */
export class Busy extends Error {}

/**
 * Takes the lock that allows one process of a database to make new tables, for as long as the scope is open. Fails with
 * `Busy` if another holds it. Work that needs the lock uses the connection that holds it, so it fails if that
 * connection is lost.
 */
export const exclusively = (db: Db): Effect.Effect<Db, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const held = yield* connectionOf(db)
    const lock = async (): Promise<void> => {
      const { rows } = await sql<{
        taken: boolean
      }>`select pg_try_advisory_lock(hashtext('read models made anew')) as taken`.execute(held)
      if (rows[0]?.taken !== true) throw new Busy("another rebuild or verification of the read models is under way")
    }
    yield* Effect.acquireRelease(toItsEnd(lock), () =>
      Effect.ignore(toItsEnd(() => sql`select pg_advisory_unlock(hashtext('read models made anew'))`.execute(held)))
    )
    return held
  })

/** Uses one connection of the pool while the scope is open. */
const connectionOf = (db: Db): Effect.Effect<Db, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const over = Promise.withResolvers<void>()
    const taking = toItsEnd(
      () =>
        new Promise<Db>((resolve, reject) => {
          const lent = db.connection().execute((held) => {
            resolve(held)
            return over.promise
          })
          lent.catch(reject)
        })
    )
    return yield* Effect.acquireRelease(taking, () => Effect.sync(over.resolve))
  })
