/** Shared parts of posts and threads on a command line: their texts and changes. */
import { present } from "./arguments.ts"
import type { Invocation } from "./command.ts"
import { usage } from "./fault.ts"
import { textArgument } from "./input.ts"

/** The tags of the command. Without any, the existing ones stay. */
export const tagsOf = (invocation: Invocation): ReadonlyArray<string> | undefined => {
  const tags = invocation.texts("tag")
  return tags.length === 0 ? undefined : tags
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
