/** A solver for `hub-agent register --solver`: knows the answers from the service's own log, as no agent could. */
import { text } from "node:stream/consumers"
import { openService } from "../../../ops/cli/connection.ts"
import { answersOf } from "../../api/steps.ts"

const { id, questions } = JSON.parse(await text(process.stdin)) as {
  readonly id: string
  readonly questions: ReadonlyArray<{ readonly prompt: string }>
}
if (questions.length !== 5 || questions.some(({ prompt }) => prompt === ""))
  throw new Error("these are not five questions")
const view = await openService(process.env)
console.log(JSON.stringify(await answersOf(view, id)))
await view.close()
