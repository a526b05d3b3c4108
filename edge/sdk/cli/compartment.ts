/** Commands for compartments: the agent's programs that run on the service's machines. */
import type { Compartment } from "../../../schemas/compartment/records.ts"
import { keyToSeed } from "./compartment-key.ts"
import { packed } from "./compartment-files.ts"
import { logsCommand } from "./compartment-logs.ts"
import { present, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { usage } from "./fault.ts"
import { askedUntil, secondsOf, untilOf } from "./held.ts"
import { textArgument } from "./input.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

const START_WAIT_MAX_SECONDS = 600
const LOOK_PAUSE_MS = 500

const recordLines = (one: Compartment): ReadonlyArray<string> => [
  `compartment: ${one.id} (${one.name})`,
  `status:      ${one.status}${one.suspended === null ? "" : `: ${oneLine(one.suspended.reason)}`}`,
  `command:     ${oneLine(one.command)}`,
  `secrets:     ${one.secrets.join(", ") || "none"}`,
  `key:         ${one.environment.HUB_KEY}`,
  `disk:        ${one.usage.disk_mb ?? "?"} of ${one.quotas.disk_mb} MB`,
  ...(one.exit_code === null ? [] : [`last exit:   ${one.exit_code}${one.oom_killed ? ", out of memory" : ""}`]),
  ...(one.next_restart_at === null ? [] : [`next start:  ${when(one.next_restart_at)}`]),
  ...(one.last_error === null ? [] : [`error:       ${oneLine(one.last_error)}`])
]

const printed = (invocation: Invocation, one: Compartment): void => invocation.print(recordLines(one), one)

/** Secrets as `NAME=value`. `NAME=@file` and `NAME=-` are for values that must not appear in a list of processes. */
const secretsOf = async (invocation: Invocation): Promise<Readonly<Record<string, string>>> => {
  const secrets: Record<string, string> = {}
  for (const word of invocation.texts("secret")) {
    const end = word.indexOf("=")
    if (end <= 0) throw usage("--secret takes NAME=value, NAME=@file or NAME=-")
    const value = await textArgument(word.slice(end + 1), invocation.around)
    secrets[word.slice(0, end)] = value.replace(/\r?\n$/, "")
  }
  return secrets
}

/** Waits until the compartment has the wanted status or a final one, or the time is over. */
const settled = async (invocation: Invocation, made: Compartment, wanted: Compartment["status"]) => {
  const seconds = secondsOf(invocation, START_WAIT_MAX_SECONDS)
  if (seconds === 0) return made
  const { client } = await invocation.agent()
  const found = await askedUntil(untilOf(seconds), async () => {
    const { data } = await client.operations.getCompartment({ id: made.id })
    const isOver = data.status === wanted || data.status === "backoff" || data.status === "failed"
    if (!isOver) await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
    return { found: isOver ? data : null, isIdle: false }
  })
  return found ?? made
}

const create: Command = {
  usage: [
    `compartment create <name> <command|@file|-> --accept-terms [--secret NAME=<value|@file|->]...`,
    ` [--share-key] [--wait <seconds>] ${WRITE_USAGE}`
  ],
  summary: "have a program run; --share-key lets it sign as you. The terms: hub-agent call GET /docs/runtime-terms",
  run: async (invocation) => {
    const [name, text] = invocation.words("name", "command")
    const [command, secrets] = [await textArgument(text, invocation.around), await secretsOf(invocation)]
    const { client, home } = await invocation.agent()
    const hub_key = invocation.flag("share-key") ? await keyToSeed(home) : undefined
    const accept_terms = invocation.flag("accept-terms")
    const wanted = { name, command, secrets, accept_terms, ...present({ hub_key }) }
    const { data } = await client.operations.createCompartment(wanted, writeOf(invocation))
    printed(invocation, await settled(invocation, data, "running"))
  }
}

const list = calling("listCompartments", {
  usage: "compartment list",
  summary: "your compartments, newest first",
  lines: (data, meta) => {
    const rows = data.map(({ id, name, status, usage: { disk_mb }, command }) => [
      id,
      name,
      status,
      disk_mb ?? "",
      oneLine(command)
    ])
    return listed(["ID", "NAME", "STATUS", "DISK MB", "COMMAND"], rows, meta)
  }
})

const show = calling("getCompartment", {
  usage: "compartment show <id>",
  summary: "how one stands, and what happened to it",
  lines: (data) => [
    ...recordLines(data),
    ...data.events.map(({ at, type, message }) => `${when(at)}  ${type}: ${oneLine(message)}`)
  ]
})

type Moving = "startCompartment" | "stopCompartment" | "restartCompartment"

const moving = (verb: string, operation: Moving, status: Compartment["status"], summary: string): Command => ({
  usage: [`compartment ${verb} <id> [--wait <seconds>] ${WRITE_USAGE}`],
  summary,
  run: async (invocation) => {
    const [id] = invocation.words("id")
    const { client } = await invocation.agent()
    const { data } = await client.operations[operation]({ id }, writeOf(invocation))
    printed(invocation, await settled(invocation, data, status))
  }
})

const change: Command = {
  usage: [
    `compartment change <id> [--name <name>] [--command <command|@file|->] [--secret NAME=<value|@file|->]...`,
    ` [--forget NAME]... [--share-key | --forget-key] ${WRITE_USAGE}`
  ],
  summary: "change it from its next start on",
  run: async (invocation) => {
    const [id] = invocation.words("id")
    const [name, text] = [invocation.text("name"), invocation.text("command")]
    const command = text === undefined ? undefined : await textArgument(text, invocation.around)
    const forgotten = invocation.texts("forget").map((word) => [word, null] as const)
    const secrets = { ...(await secretsOf(invocation)), ...Object.fromEntries(forgotten) }
    if (invocation.flag("share-key") && invocation.flag("forget-key"))
      throw usage("--share-key and --forget-key: one of them")
    const { client, home } = await invocation.agent()
    const key = invocation.flag("share-key") ? await keyToSeed(home) : invocation.flag("forget-key") ? null : undefined
    const changes = {
      ...present({ name, command }),
      ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
      ...(key === undefined ? {} : { hub_key: key })
    }
    const { data } = await client.operations.changeCompartment({ id, ...changes }, writeOf(invocation))
    printed(invocation, data)
  }
}

const files = calling("putCompartmentFiles", {
  usage: "compartment files <id> <folder|archive.tar.gz> [--dest <folder>]",
  summary: "put files below /data/work: a folder of this machine, or an archive that is made already",
  fields: async (invocation) => {
    const [id, path] = invocation.words("id", "folder")
    const place = present({ dest: invocation.text("dest") })
    return { id, bytes: await packed(path, invocation.around), ...place }
  },
  lines: ({ files, bytes }) => [`${files} files, ${bytes} bytes, are on their way`]
})

const stats = calling("getCompartmentStats", {
  usage: "compartment stats <id>",
  summary: "what it uses now",
  lines: (data) => [
    `cpu:       ${data.cpu_percent} % of one`,
    `memory:    ${data.memory_mb} MB`,
    `disk:      ${data.disk_mb} MB`,
    `processes: ${data.pids}`,
    `in, out:   ${data.rx_bytes}, ${data.tx_bytes} bytes`,
    `up for:    ${data.uptime_seconds} s`
  ]
})

const link = calling("linkCompartment", {
  usage: "compartment link <id>",
  summary: "a page of it for a person: one hour, one browser, nothing can be changed there",
  lines: ({ url, expires_at }) => [url, `until ${when(expires_at)}`]
})

const remove = calling("deleteCompartment", {
  usage: "compartment delete <id> --confirm <name>",
  summary: "delete it with all that is in /data",
  fields: (invocation) => ({ id: invocation.words("id")[0], confirm: invocation.needed("confirm") }),
  lines: ({ name }) => [`${name} is being deleted`]
})

export const compartmentCommands = [
  create,
  list,
  show,
  logsCommand,
  files,
  moving("start", "startCompartment", "running", "start it"),
  moving("stop", "stopCompartment", "stopped", "stop it; /data stays"),
  moving("restart", "restartCompartment", "running", "stop it and start it anew"),
  change,
  stats,
  link,
  remove
]
