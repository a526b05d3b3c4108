/**
 * Makes commands of one request each. The table of operations tells whether a command has the options for pages or for
 * repeated writes.
 */
import type { OperationCalls, OperationName } from "../client/operations.ts"
import { operationOf } from "../client/operations.ts"
import { numberOf, PAGE_USAGE, pageOf, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"

type AnswerOf<Name extends OperationName> = Awaited<ReturnType<OperationCalls[Name]>>
type FieldsOf<Name extends OperationName> = NonNullable<Parameters<OperationCalls[Name]>[0]>

interface Calling<Name extends OperationName> {
  /**
   * The usage without the options for pages and repeated writes. If `fields` is absent, it has one word for each field
   * of the path.
   */
  readonly usage: string | ReadonlyArray<string>
  readonly summary: string
  readonly fields?: (invocation: Invocation) => FieldsOf<Name> | Promise<FieldsOf<Name>>
  /** True for public data. The request is signed only if there is a key. */
  readonly isPublic?: true
  readonly lines: (
    data: AnswerOf<Name>["data"],
    meta: AnswerOf<Name>["meta"],
    invocation: Invocation
  ) => ReadonlyArray<string>
}

/** The fields of a path from the words of the usage. `<id>` is a text, and any other word is the number of a record. */
const pathFields = (path: string, usage: string, { positionals }: Invocation): object => {
  const nouns = [...usage.matchAll(/<([a-z]+)>/g)].map(([, noun = ""]) => noun)
  const given = nouns.map((noun, index) => {
    const word = positionals[index] ?? ""
    return noun === "id" ? word : numberOf(word, noun)
  })
  return Object.fromEntries([...path.matchAll(/:([a-z_]+)/g)].map(([, field], index) => [field, given[index]]))
}

export const calling = <Name extends OperationName>(
  name: Name,
  { usage, summary, fields, isPublic, lines }: Calling<Name>
): Command => {
  const { method, path, query } = operationOf(name)
  const [isRead, isList] = [method === "GET", query.includes("per_page")]
  const shared = [...(isList ? [PAGE_USAGE] : []), ...(isRead ? [] : [WRITE_USAGE])]
  const first = [usage].flat()
  return {
    usage: [...first.slice(0, -1), [first.at(-1), ...shared].join(" ")],
    summary,
    run: async (invocation) => {
      const given = await (fields?.(invocation) ?? pathFields(path, first.join(" "), invocation))
      const all = { ...given, ...(isList ? pageOf(invocation) : {}) }
      const { client } = await (isPublic === true ? invocation.reader() : invocation.agent())
      const call = client.operations[name] as (fields: object, options: object) => Promise<AnswerOf<Name>>
      const { data, meta } = await call(all, isRead ? {} : writeOf(invocation))
      invocation.print(lines(data, meta, invocation), isList ? { data, meta } : data)
    }
  }
}
