/** The stream of long windows: what a flood must write before the oldest window makes room. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { keepWindow } from "../../../actors/limit/stored-windows.ts"
import { withCommand } from "../../../actors/limit/window.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { newRequestId } from "../../../schemas/request-id.ts"
import { homeOf } from "../../../schemas/limit/home.ts"
import { streams } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

const WINDOWS = 500
const DAY_SECONDS = 86_400

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus.stop())

/** Bytes of the stream for each of the windows, each of which granted to `commands` commands. */
const bytesOfEach = async (bucket: "recover" | "login_failures", commands: number): Promise<number> => {
  const before = (await bus.manager.streams.info(streams.limits)).state.bytes
  for (let n = 0; n < WINDOWS; n++) {
    let window = { from: Date.now(), used: commands }
    for (let command = 0; command < commands; command++)
      window = withCommand(window, `${newRequestId(Date.now())}.${command}`, 1)
    const key = homeOf(bucket, `client ${n}`).slice(bucket.length + 1)
    await keepWindow(bus.nats, bucket, key, window, DAY_SECONDS)
  }
  return ((await bus.manager.streams.info(streams.limits)).state.bytes - before) / WINDOWS
}

test("has room for 250,000 windows of one draw, and for 100,000 of many draws", async () => {
  const room = async (bucket: "recover" | "login_failures", commands: number) =>
    LIMITS.service.limits_max_bytes / (await bytesOfEach(bucket, commands))
  const [one, many] = [await room("recover", 1), await room("login_failures", 20)]
  expect(one).toBeGreaterThan(250_000)
  expect(many).toBeGreaterThan(100_000)
})
