/** Helpers that run work in Postgres as Effects: transactions, connections, and the locks of rebuilds. */
import { Effect, type Scope } from "effect"
import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { attempt } from "../log/attempt.ts"

type Db = Kysely<Database>

/** Runs work to its end even if the effect is interrupted. */
export const toItsEnd = <A>(act: () => Promise<A>): Effect.Effect<A, unknown> => Effect.uninterruptible(attempt(act))

/** Runs a transaction. An interruption rolls it back. */
export const inTransaction = <A>(
  db: Db,
  act: (trx: Transaction<Database>) => Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> =>
  Effect.acquireUseRelease(
    toItsEnd(() => db.startTransaction().execute()),
    (trx) => Effect.tap(act(trx), () => toItsEnd(() => trx.commit().execute())),
    (trx) => (trx.isCommitted ? Effect.void : Effect.ignore(toItsEnd(() => trx.rollback().execute())))
  )

/** Fails work that has to wait, because this projection is rebuilt already or PLACES rebuilds run in this database. */
export class Busy extends Error {}

/**
 * The number of rebuilds and verifications that a database admits at the same time, and of projections that each works
 * on in parallel. Two, because one computes rows while Postgres writes those of the other.
 */
export const PLACES = 2

/**
 * Takes one of the database's places to make new tables, and the right to make those of these projections, for as long
 * as the scope is open. Fails with `Busy` if another process has them. Returns the connection that holds the locks.
 */
export const inPlace = (db: Db, projections: ReadonlyArray<string>): Effect.Effect<Db, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const held = yield* connectionOf(db)
    yield* locked(held, async () => {
      for (const name of projections) {
        const own = sql`pg_try_advisory_lock(hashtext('read models of one projection'), hashtext(${name}))`
        if (!(await isTrue(held, own))) throw new Busy(`${name} is being rebuilt or verified`)
      }
      for (let place = 0; place < PLACES; place++) if (await isTrue(held, placeLock(place))) return
      throw new Busy(`${PLACES} rebuilds or verifications of read models are under way`)
    })
    return held
  })

/** Takes all places, so that no rebuild runs while the scope is open. Fails with `Busy` if one runs already. */
export const exclusively = (db: Db): Effect.Effect<Db, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const held = yield* connectionOf(db)
    yield* locked(held, async () => {
      for (let place = 0; place < PLACES; place++)
        if (!(await isTrue(held, placeLock(place)))) throw new Busy("a rebuild or verification is under way")
    })
    return held
  })

const placeLock = (place: number): RawBuilder<unknown> =>
  sql`pg_try_advisory_lock(hashtext('read models made anew'), ${sql.lit(place)})`

const isTrue = async (held: Db, value: RawBuilder<unknown>): Promise<boolean> => {
  const { rows } = await sql<{ value: boolean }>`select ${value} as value`.execute(held)
  return rows[0]?.value === true
}

/**
 * Takes locks, and releases them with the scope. All locks of the connection are released, even if only some were
 * taken, because it returns to a pool.
 */
const locked = (held: Db, lock: () => Promise<void>): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.addFinalizer(() => Effect.ignore(toItsEnd(() => sql`select pg_advisory_unlock_all()`.execute(held))))
    yield* toItsEnd(lock)
  })

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
