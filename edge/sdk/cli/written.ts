/** Shared parts of posts and threads on a command line: their texts, changes and removals. */
import type { HubClient } from "../client.ts"
import { numberOf, present, WRITE_OPTIONS, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation, OptionTable } from "./command.ts"
import { usage } from "./fault.ts"
import { textArgument } from "./input.ts"

export const TAG_OPTIONS: OptionTable = { tag: { type: "string", multiple: true } }

/** No tags leave those that there are. */
export const tagsOf = (invocation: Invocation): ReadonlyArray<string> | undefined => {
  const tags = invocation.texts("tag")
  return tags.length === 0 ? undefined : tags
}

/** Options of an edit, which may change more than these. */
export const EDIT_OPTIONS: OptionTable = {
  ...TAG_OPTIONS,
  ...WRITE_OPTIONS,
  title: { type: "string" },
  body: { type: "string" }
}

/** The changes of an edit: the texts and `more`. At least one of `options` is required. */
export const changesOf = async <More extends object>(invocation: Invocation, more: More, options: string) => {
  const body = invocation.text("body")
  const texts = present({
    title: invocation.text("title"),
    body: body === undefined ? undefined : await textArgument(body, invocation.around),
    tags: tagsOf(invocation)
  })
  const changes = { ...texts, ...more }
  if (Object.keys(changes).length === 0) throw usage(options)
  return changes
}

type Remove = (
  client: HubClient,
  id: number,
  options: ReturnType<typeof writeOf>
) => Promise<{ readonly data: { readonly id: number } }>

export const removal = (noun: "post" | "thread", summary: string, remove: Remove): Command => ({
  usage: [`${noun} delete <${noun}> ${WRITE_USAGE}`],
  summary,
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const id = numberOf(invocation.words(noun)[0], noun)
    const { client } = await invocation.agent()
    const { data } = await remove(client, id, writeOf(invocation))
    invocation.print([`deleted ${noun} ${data.id}`], data)
  }
})
