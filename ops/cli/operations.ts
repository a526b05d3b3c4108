/** `hub operations <kind>`: lists the operations of a kind of actors with their inputs, for `replay --what-if`. */
import { KINDS } from "../../actors/process/kinds.ts"
import { type OperationName, OPERATIONS } from "../../schemas/bus/operations.ts"
import { shapeOf } from "../replay/shape.ts"
import { type Arguments, type Command, noServers } from "./command.ts"
import { Fault } from "./fault.ts"

const names = Object.keys(OPERATIONS) as ReadonlyArray<OperationName>

const listed = ({ positionals: [kind = ""], values }: Arguments): unknown => {
  const all = names.filter((name) => OPERATIONS[name].kind === kind).toSorted()
  if (all.length === 0) throw new Fault(`operations takes a kind: ${KINDS.map(({ fold }) => fold.kind).join(", ")}`)
  const rows = all.map((op) => ({ op, input: shapeOf(OPERATIONS[op].input), asked_by: OPERATIONS[op].askedBy }))
  if (values.json === true) return rows
  return rows.map(({ op, input }) => `${op}  ${input}`).join("\n")
}

export const operationsCommand = {
  usage: ["operations <kind> [--json]"],
  servers: noServers,
  alone: async (args) => listed(args)
} satisfies Command
