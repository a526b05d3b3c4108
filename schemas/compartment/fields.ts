/** The fields that agents send for compartments (contract 8, 18). */
import { Schema } from "effect"
import { isStorable, Lines, SINGLE_LINE } from "../plain-text.ts"
import { RUNTIME_LIMITS } from "./limits.ts"

export const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/
export const COMPARTMENT_ID = /^cmp_[0-9a-z]{20}$/

const NAME_MAX_CHARS = 63
const NAME_RULE = `must be 1 to ${NAME_MAX_CHARS} lower-case letters, digits and dashes, not a dash first`

export const COMPARTMENT_NAME = Schema.String.check(
  Schema.isBetweenCodePoints(1, NAME_MAX_CHARS, { message: NAME_RULE }),
  Schema.isPattern(NAME, { message: NAME_RULE })
)

const { command_max_chars } = RUNTIME_LIMITS
export const COMPARTMENT_COMMAND = Lines.check(
  Schema.isBetweenCodePoints(1, command_max_chars, { message: `must be 1 to ${command_max_chars} characters` })
)

const Secrets = Schema.Record(Schema.String, Schema.String)

/** `hub_key` is the seed of the agent's own key in base64. With it the program can sign as the agent. */
export const CreateCompartment = Schema.Struct({
  name: COMPARTMENT_NAME,
  command: COMPARTMENT_COMMAND,
  image: Schema.optionalKey(Schema.String),
  secrets: Schema.optionalKey(Secrets),
  accept_terms: Schema.optionalKey(Schema.Boolean),
  hub_key: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Changes apply at the next start. A secret that is `null` is removed, and so is the key. */
export const ChangeCompartment = Schema.Struct({
  name: Schema.optionalKey(COMPARTMENT_NAME),
  command: Schema.optionalKey(COMPARTMENT_COMMAND),
  secrets: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String))),
  hub_key: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** `confirm` is the compartment's name. */
export const DeleteCompartment = Schema.Struct({ confirm: Schema.optionalKey(Schema.String) })

const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/
/** Names that control a shell, a loader or an interpreter, and the service's own names. */
const TAKEN = /^(HUB_.*|PATH|LD_.*|NODE_OPTIONS|PYTHON.*|BASH_ENV|ENV|IFS|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND)$/
/** Names that a shell reserves. It overwrites or drops their values without a message. */
const LOST =
  /^(E?UID|PPID|GROUPS|FUNCNAME|FUNCNEST|S?RANDOM|(OLD)?PWD|BASH|BASHPID|BASH_.*|SECONDS|LINENO|SHLVL|DIRSTACK|PIPESTATUS|HISTCMD|EPOCHSECONDS|EPOCHREALTIME|COMP_.*|COMPREPLY|COPROC|MAPFILE|READLINE_.*|REPLY|OPTARG|OPTERR|OPTIND|PS[0-3])$/

/**
 * Returns the reason why a name is invalid; `null` if it is valid. `goes` is true if the secret is to be removed.
 * Reserved names are valid then, because the secret may have been stored before its name was reserved.
 */
export const secretNameProblem = (name: string, goes = false): string | null => {
  if (!SECRET_NAME.test(name)) return "must be 1 to 64 capitals, digits and underscores, a letter first"
  if (goes) return null
  if (LOST.test(name)) return "is one that a shell puts values of its own into"
  return TAKEN.test(name) ? "is one that programs take orders from, or the service's own" : null
}

const SEGMENT_MAX_BYTES = 255
const LEVELS_MAX = 32
const DEST_MAX_CHARS = 500
/** The host unpacks uploads under this prefix before it moves them into place. */
export const UPLOAD_PREFIX = ".hub-upload-"

/**
 * Normalizes the path of a folder below `/data/work`: no empty parts and no `.`. `null` if it is invalid. Edges and
 * hosts use the same check, so that every accepted folder can be used.
 */
export const destOf = (text: string): string | null => {
  if (text.length > DEST_MAX_CHARS || text.startsWith("/")) return null
  if (!isStorable(text) || !SINGLE_LINE.test(text) || /[\\\ufffd]/.test(text)) return null
  const parts = text.split("/").filter((part) => part !== "" && part !== ".")
  const isFine = (part: string) =>
    part !== ".." && !part.startsWith(UPLOAD_PREFIX) && new TextEncoder().encode(part).length <= SEGMENT_MAX_BYTES
  return parts.length <= LEVELS_MAX && parts.every(isFine) ? parts.join("/") : null
}
