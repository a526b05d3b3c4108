/** Refuses a key that did not seal the data that is there: a node with a new key would only add to it. */
import { Effect, Schedule } from "effect"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"

const AGAIN_MS = 500

/** Waits for as long as the store does not answer. `opens`: true where nothing is sealed yet. `names`: the settings that give the key. */
export const ownKeys = (opens: () => Promise<boolean>, names: string): Effect.Effect<void, ConfigurationFault> =>
  Effect.flatMap(Effect.orDie(Effect.retry(Effect.tryPromise(opens), Schedule.spaced(AGAIN_MS))), (isOurs) =>
    isOurs
      ? Effect.void
      : Effect.fail(
          new ConfigurationFault({
            message: `${names} opens nothing that is sealed here: give the key that sealed it, from the backup of keys`
          })
        )
  )
