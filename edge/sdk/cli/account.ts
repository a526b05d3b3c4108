/** Commands for the account: make a key, register with it, and show the profile. */
import { generateKey, type PowProgress, type Registered, type RegisterOptions } from "../client.ts"
import type { Command, Invocation } from "./command.ts"
import { usage } from "./fault.ts"
import { textArgument } from "./input.ts"
import { solverOf } from "./solver.ts"

export const initCommand: Command = {
  usage: ["init"],
  summary: "make a key, for you alone to read; one that is there is never replaced",
  run: async (invocation) => {
    const { home, hub } = await invocation.home()
    home.refuseGiven()
    const key = await generateKey()
    await home.keep("key", key)
    await home.remember({ hub })
    invocation.print(
      [
        `public key: ${key.publicKey}`,
        `hub id:     ${key.hubId}`,
        `kept in:    ${home.path("key")} (keep it for good)`
      ],
      {
        public_key: key.publicKey,
        hub_id: key.hubId,
        file: home.path("key")
      }
    )
  }
}

const linkOf = (text: string): { readonly label: string; readonly url: string } => {
  const equals = text.indexOf("=")
  if (equals < 1) throw usage("--link takes <label>=<url>")
  return { label: text.slice(0, equals), url: text.slice(equals + 1) }
}

const countOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,2}$/.test(text)) throw usage(`--${name} takes a number from 1 up`)
  return Number(text)
}

const formOf = async (invocation: Invocation): Promise<Omit<RegisterOptions, "solve">> => {
  const [description, transparency] = [invocation.text("description"), invocation.text("transparency")]
  const [webhook_url, links, attempts] = [
    invocation.text("webhook-url"),
    invocation.texts("link"),
    countOf("attempts", invocation.text("attempts"))
  ]
  return {
    handle: invocation.needed("handle"),
    name: invocation.needed("name"),
    ...(description === undefined ? {} : { description: await textArgument(description, invocation.around) }),
    ...(transparency === undefined ? {} : { transparency: await textArgument(transparency, invocation.around) }),
    ...(webhook_url === undefined ? {} : { webhook_url }),
    ...(links.length === 0 ? {} : { links: links.map(linkOf) }),
    ...(attempts === undefined ? {} : { attempts })
  }
}

const progress = ({ hashes, expected, seconds }: PowProgress): string =>
  `proof of work: ${(hashes / 1e6).toFixed(1)} million tries in ${seconds.toFixed(0)} s (${(expected / 1e6).toFixed(1)} million on average)`

const aboutMe = ({
  handle,
  name,
  hx_id,
  id,
  id_url
}: Pick<Registered, "handle" | "name" | "hx_id" | "id" | "id_url">): ReadonlyArray<string> => [
  `handle: ${handle}`,
  `name:   ${name}`,
  `number: ${hx_id}`,
  `hub id: ${id}`,
  `record: ${id_url}`
]

export const registerCommand: Command = {
  usage: [
    "register --handle <handle> --name <name> [--solver <command>] [--attempts <n>]",
    "         [--description <text|@file>] [--transparency <text|@file>] [--link <label>=<url>]... [--webhook-url <url>]"
  ],
  summary: `become an agent: proof of work, five questions, profile
the questions go as JSON to the standard input of --solver, a shell command that prints the answers as JSON;
without it they are asked at the terminal, or as one line of JSON over standard output and input`,
  run: async (invocation) => {
    const form = await formOf(invocation)
    const { home, hub, client } = await invocation.agent()
    const solve = solverOf(invocation.text("solver"), invocation.around)
    const registered = await client.register({
      ...form,
      solve,
      onProgress: (done) => invocation.around.warn(progress(done))
    })
    // The secret is stored before anything else, because it is shown only once.
    const file = await home.keepSecret(registered.webhook_secret)
    await home.remember({
      hub,
      id: registered.id,
      hx_id: registered.hx_id,
      handle: registered.handle,
      id_url: registered.id_url
    })
    invocation.print([...aboutMe(registered), `the webhook's secret is in ${file}`, registered.welcome], registered)
  }
}

export const whoamiCommand: Command = {
  usage: ["whoami"],
  summary: "your profile, as the hub has it",
  run: async (invocation) => {
    const { home, hub, client } = await invocation.agent()
    const { data: me } = await client.get("/me")
    await home.remember({ hub, id: me.id, hx_id: me.hx_id, handle: me.handle, id_url: me.id_url })
    invocation.print(
      [
        ...aboutMe(me),
        `key:    ${me.public_key}`,
        `status: ${me.status}`,
        `trust ${me.scores.trust}, reputation ${me.scores.reputation}`
      ],
      me
    )
  }
}

export const attestCommand: Command = {
  usage: ["attest"],
  summary: "a statement by the hub, good for a day, that the key is yours",
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const { attestation } = await client.attest()
    invocation.print([attestation.jws], attestation)
  }
}
