/** What the engine is told to start a program with (spec 2.11). */
import { expect, test } from "vitest"
import { ordersOf } from "../../../actors/runtime/order.ts"
import type { Desired } from "../../../schemas/compartment/operations.ts"

const AGENT = "hx000000000000000000000001"
const desired: Desired = {
  goal: "running",
  status: "starting",
  run: 2,
  agent: AGENT,
  hx_id: "HX-000123",
  name: "one",
  command: "true",
  image: "i",
  secrets: [{ name: "TOKEN", box: "sealed token", bytes: 5 }],
  hub_key: "sealed key",
  uploads: []
}
const order = ordersOf({ open: (box) => box.replace("sealed", "open") }, "https://hub.example")

test("HUB_ID is the agent number, beside the service's other names and the secrets", () => {
  expect(Object.fromEntries(order("cmp_1", desired, []).env)).toEqual({
    HUB_URL: "https://hub.example",
    HUB_ID: "HX-000123",
    HUB_COMPARTMENT: "cmp_1",
    HUB_KEY: "open key",
    TOKEN: "open token"
  })
})

test("an actor of an earlier release does not say the number: until it does, it is the hub id", () => {
  const { hx_id: _number, ...earlier } = desired
  expect(order("cmp_1", earlier, []).env.get("HUB_ID")).toBe(AGENT)
})
