/** Ids of commands that do not come from outside: those of timers, reactions and operators. */

export const TIMER_COMMAND = "timer-"

const REACTION_COMMAND = "react."

/**
 * The id of a command that follows from a commit (actors/reactions/reaction.ts). It is made of the set of reactions,
 * the commit's sequence in the log, the actor, and the command's name among those for that actor.
 */
export const reactionCommand = (set: string, seq: number, kind: string, actor: string, which: string): string =>
  `${REACTION_COMMAND}${set}.${seq}.${kind}.${actor}.${which}`

/** The set, the sequence and the actor in an id that `reactionCommand` made; `null` for every other id. */
export const reactionPlaceOf = (
  id: string
): { readonly set: string; readonly seq: number; readonly kind: string; readonly actor: string } | null => {
  if (!id.startsWith(REACTION_COMMAND)) return null
  const [, set = "", seq, kind = "", actor = ""] = id.split(".")
  return { set, seq: Number(seq), kind, actor }
}

const OPERATOR_COMMAND = "operator-"

export const OPERATOR_NAME = /^[A-Za-z0-9_]{1,32}$/

/** The id of a command that a person runs from a shell. `unique`: 24 hex characters. */
export const operatorCommand = (name: string, unique: string): string => `${OPERATOR_COMMAND}${name}-${unique}`

/** The name in an id that `operatorCommand` made; `null` for every other id. */
export const operatorOf = (id: string): string | null =>
  /^operator-([A-Za-z0-9_]{1,32})-[0-9a-f]{24}$/.exec(id)?.[1] ?? null

/** True for commands of timers and reactions. Their senders take an answer as final. */
export const isNeverRepeated = (id: string): boolean => id.startsWith(TIMER_COMMAND) || reactionPlaceOf(id) !== null
