/**
 * Decides which of the service's keys a node gets. Only the keeper gets the key of vaults, and it gets no other. A host
 * of compartments gets only the key of their secrets. An edge gets two values that are derived from the service's key:
 * its public half, and a key for one purpose (edge/http/config.ts).
 */
import { createHmac } from "node:crypto"
import { serverSeed } from "../../actors/process/server-key.ts"
import { readConfig } from "../../schemas/config.ts"
import { encodeBase64 } from "../../schemas/signing/key.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { LaunchFault } from "./fault.ts"

export const edgeKeys = (seed: Uint8Array): NodeJS.ProcessEnv => ({
  HUB_SERVER_PUBLIC_KEY: encodeBase64(keyPairOfSeed(seed).publicKey),
  HUB_ADDRESS_KEY: createHmac("sha256", seed).update("hub client addresses").digest("base64")
})

/** The keys that are derived from the environment's key. In development a key is made if there is none. */
const keysFor = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const read = readConfig(env)
  if (!read.ok) throw new LaunchFault(read.problem)
  const seeded = serverSeed(read.config, env)
  if (!seeded.ok) throw new LaunchFault(seeded.problem)
  return edgeKeys(seeded.seed)
}

/** The environment without the key that only hosts of compartments get. */
export const withoutRuntimeKey = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_RUNTIME_KEY: _key, HUB_RUNTIME_KEY_FILE: _file, ...kept } = env
  return kept
}

/** The environment without the key that only the keeper gets. */
export const withoutVaultKey = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_VAULT_KEY: _key, HUB_VAULT_KEY_FILE: _file, ...rest } = env
  const { HUB_VAULT_KEY_FORMER: _former, HUB_VAULT_KEY_FORMER_FILE: _formerFile, ...kept } = rest
  return kept
}

/**
 * The keeper's environment. It has the key of vaults. It lacks the keys of the server, stored mail, push messages and
 * the provider.
 */
export const asKeeper = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_SERVER_KEY: _key, HUB_SERVER_KEY_FILE: _file, HUB_MAIL_KEY: _mail, HUB_MAIL_KEY_FILE: _of, ...rest } = env
  const {
    HUB_DATABASE_URL: _tables,
    HUB_SMTP_URL: _smtp,
    HUB_TELEGRAM_TOKEN: _token,
    HUB_VAPID_KEY: _push,
    HUB_CAPTCHA_BYPASS: _bypass,
    HUB_MAIL_RELAY: _relay,
    HUB_MAIL_TLS_KEY: _tls,
    HUB_MAIL_TLS_CERT: _cert,
    ...kept
  } = rest
  return withoutProvider(kept)
}

/**
 * The environment of the mail process, which talks to strangers. It lacks the service's key, the database, and the
 * accounts for letters, chat and push messages.
 */
export const asMail = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_SERVER_KEY: _key, HUB_SERVER_KEY_FILE: _file, HUB_DATABASE_URL: _tables, ...rest } = env
  const { HUB_LETTERS: _letters, HUB_SMTP_URL: _smtp, HUB_TELEGRAM_TOKEN: _token, HUB_VAPID_KEY: _push, ...kept } = rest
  return kept
}

/**
 * An edge's environment. It has values derived from the service's key in place of the key. It also lacks the keys of
 * the mail server, the bot, push messages, the provider and stored mail.
 */
export const asEdge = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_SERVER_KEY: _key, HUB_SERVER_KEY_FILE: _file, HUB_DATABASE_URL: _tables, ...rest } = env
  const { HUB_LETTERS: _letters, HUB_LETTERS_FROM: _from, HUB_SMTP_URL: _smtp, ...others } = rest
  const { HUB_TELEGRAM_TOKEN: _token, HUB_TELEGRAM_URL: _bot, HUB_VAPID_KEY: _push, ...without } = others
  const {
    HUB_MAIL_KEY: _mail,
    HUB_MAIL_KEY_FILE: _mailFile,
    HUB_MAIL_TLS_KEY: _tls,
    HUB_MAIL_TLS_CERT: _cert,
    HUB_MAIL_RELAY: _relay,
    ...kept
  } = without
  return { ...withoutProvider(kept), ...keysFor(env) }
}

/** Removes the mail provider's settings, except for its region. */
const withoutProvider = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("AWS_") || name === "AWS_REGION"))

/**
 * A host's environment. Strangers' programs run beside the host, so the only key of the service that it has is that of
 * compartments' secrets.
 */
export const asRuntime = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_LETTERS: _letters, HUB_LETTERS_FROM: _from, ...kept } = asKeeper(env)
  return withoutVaultKey(kept)
}

/**
 * The environment of the program that prepares a host of compartments. It has no keys, and of the hub's variables only
 * those that name places.
 */
export const asPreparation = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !/^(HUB_|AWS_|OTEL_|PG)/.test(name) || ["HUB_DATA", "HUB_DOCKER_SOCKET", "HUB_RUNTIME_IMAGE"].includes(name)
    )
  )

/** The console's environment: it has the operator's rights on the bus and the tables, and no keys. */
export const asConsole = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { HUB_DATABASE_URL: tables } = env
  const kept = asRuntime(env)
  return tables === undefined ? kept : { ...kept, HUB_DATABASE_URL: tables }
}

/** `mail`, `keeper` and `runtime` are actor processes with this role alone. */
export type NodeKind = "edge" | "actor" | "mail" | "keeper" | "runtime" | "console"

const OF_KIND: Readonly<Record<NodeKind, (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv>> = {
  edge: (env) => asEdge(withoutVaultKey(withoutRuntimeKey(env))),
  actor: (env) => withoutVaultKey(withoutRuntimeKey(env)),
  mail: (env) => asMail(withoutVaultKey(withoutRuntimeKey(env))),
  keeper: (env) => asKeeper(withoutRuntimeKey(env)),
  runtime: asRuntime,
  console: (env) => asConsole(withoutRuntimeKey(env))
}

export const environmentOf = (kind: NodeKind, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => OF_KIND[kind](env)
