/** Everything that the pictures' program starts is ended, whatever becomes of each end. */
import { expect, test } from "vitest"
import { endAll } from "../../ops/screens/ends.ts"

test("all are ended, the newest first, and once; faults are told behind the last", async () => {
  const ended: Array<string> = []
  const fault = new Error("It does not stop.")
  const end = (name: string) => async () => {
    ended.push(name)
    await Promise.resolve()
    if (name === "browser") throw fault
  }
  const ends = [end("folder"), end("service"), end("browser")]
  await expect(endAll(ends)).rejects.toMatchObject({ errors: [fault] })
  expect(ended).toEqual(["browser", "service", "folder"])
  await endAll(ends)
  expect(ended).toHaveLength(3)
})
