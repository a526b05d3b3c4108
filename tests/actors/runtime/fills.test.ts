/** A host asks for tokens of fill services. The engine and the keeper are played. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { type FillParts, Fills } from "../../../actors/runtime/fills.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { tokenInvalid } from "../../../schemas/vault/token.ts"
import { standingClock, waitFor } from "../../harness/index.ts"

const LOOK_MS = 60_000
const NOT_LISTENING = { exitCode: 1, stdout: "", stderr: "" }

type Said = Refusal | { readonly token: string }

/** `says`: what the keeper answers, one after the other. */
const played = (says: ReadonlyArray<Said>) => {
  const clock = standingClock()
  const requests: Array<string> = []
  const started: Array<string> = []
  const issue: FillParts["issue"] = ({ request }) => {
    const said = says[requests.length] ?? unavailable("")
    requests.push(request)
    return "token" in said ? Effect.succeed(said) : Effect.fail(said)
  }
  const exec: FillParts["exec"] = (_compartment, { stdin }) => {
    if (stdin !== undefined) started.push(String(stdin))
    return Promise.resolve(NOT_LISTENING as never)
  }
  const fills = new Fills({ clock, exec, issue, baseUrl: "https://hub.example" })
  const look = async (run = 1): Promise<void> => {
    const before = requests.length
    clock.move(LOOK_MS)
    fills.look("c1", { run, agent: "hx1" })
    await waitFor(() => requests.length > before, { describe: "the keeper is asked" })
  }
  return { requests, started, look }
}

test("a host repeats the request that had no answer, so that it gets the token that was perhaps made", async () => {
  const { requests, started, look } = played([unavailable("no answer"), unavailable("no answer"), { token: "t" }])
  for (let n = 0; n < 3; n++) await look()
  await waitFor(() => started.length === 1, { describe: "the fill service is started" })
  expect(started).toEqual(["t"])
  expect(new Set(requests).size).toBe(1)
})

test("it makes a new request after a token, which works once, and after a refusal", async () => {
  const { requests, look } = played([{ token: "t" }, tokenInvalid, { token: "u" }])
  for (let n = 0; n < 3; n++) await look()
  expect(new Set(requests).size).toBe(3)
})

test("it makes a new request in the next run, because the token of the run before has ended", async () => {
  const { requests, look } = played([unavailable("no answer"), { token: "t" }])
  await look(1)
  await look(2)
  expect(new Set(requests).size).toBe(2)
})
