/** A process that asks itself does so without the server, for as long as it listens. */
import { expect, test } from "vitest"
import { loopback } from "../../../actors/engine/loopback.ts"
import type { BusMessage } from "../../../schemas/runtime/bus/asker.ts"
import { waitFor } from "../../harness/index.ts"

const PAYLOAD = new Uint8Array([1, 2, 3])

const played = () => {
  const sent: Array<string> = []
  const errors: Array<unknown> = []
  const over = {
    publish: (subject: string, _payload: Uint8Array, reply?: string) => void sent.push(`${subject} ${reply}`),
    subscribe: (subject: string) => void sent.push(`subscribed ${subject}`)
  }
  return { sent, errors, bus: loopback(over, (error) => void errors.push(error)) }
}

test("a message to where the process listens comes after the sender's turn, and not by the server", async () => {
  const { sent, bus } = played()
  const heard: Array<BusMessage> = []
  bus.listen("hub.node.own.actors", (message) => void heard.push(message))
  bus.publish("hub.node.own.actors", PAYLOAD, "hub.reply.actors.me.own")
  expect(heard).toEqual([])
  await waitFor(() => Promise.resolve(heard.length > 0 || null))
  expect(heard).toEqual([
    { subject: "hub.node.own.actors", payload: PAYLOAD, reply: "hub.reply.actors.me.own", noResponders: false }
  ])
  bus.publish("hub.node.other.actors", PAYLOAD, "to")
  expect(sent).toEqual(["hub.node.other.actors to"])
})

test("answers to itself come the same way, those to others by the server", async () => {
  const { sent, bus } = played()
  const heard: Array<string> = []
  bus.subscribe("hub.reply.actors.me.*", ({ subject }) => void heard.push(subject))
  bus.publish("hub.reply.actors.me.session", PAYLOAD)
  bus.publish("hub.reply.actors.you.session", PAYLOAD)
  await waitFor(() => Promise.resolve(heard.length > 0 || null))
  expect(heard).toEqual(["hub.reply.actors.me.session"])
  expect(sent).toEqual(["subscribed hub.reply.actors.me.*", "hub.reply.actors.you.session undefined"])
})

test("once it listens no more the server is asked, which says so", () => {
  const { sent, bus } = played()
  bus.listen("hub.node.own.actors", () => undefined)()
  bus.publish("hub.node.own.actors", PAYLOAD, "to")
  expect(sent).toEqual(["hub.node.own.actors to"])
})

test("what cannot be handled is told, and ends nothing", async () => {
  const { errors, bus } = played()
  bus.listen("a", () => {
    throw new Error("strange")
  })
  bus.publish("a", PAYLOAD)
  await waitFor(() => Promise.resolve(errors.length > 0 || null))
  expect(String(errors[0])).toContain("strange")
})
