/**
 * Makes this machine a host of compartments, beside the service. A separate process prepares it and watches its engine
 * (ops/runtime/prepare.ts), and the start does not wait for it. When the service stops, this module reports which
 * compartments run on. If none does, it ends their network, and the engine if it was started for them.
 */
import { endUnused } from "../runtime/end.ts"
import { messageOf } from "./fault.ts"
import { startNodeChild } from "./node-child.ts"
import { asPreparation } from "./node-environment.ts"
import { projectRoot } from "./paths.ts"
import { SupervisedRole } from "./supervisor.ts"

const NAME = "preparation"
/** The time that the preparation gets to end. Its children end with it. */
const GRACE_MS = 1_000

export interface RuntimeHostOptions {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}

export interface RuntimeHost {
  /** Reports which compartments run on. If none does, ends the programs that were there for them. Does not fail. */
  readonly stop: () => Promise<void>
}

const goOn = (ids: ReadonlyArray<string>): string =>
  `${ids.length === 1 ? "a compartment runs" : `${ids.length} compartments run`} on (${ids.join(", ")}); ` +
  "npm run hub -- runtime end ends them until the next start"

export const runtimeHost = ({ dataDir, env, say }: RuntimeHostOptions): RuntimeHost => {
  const role = new SupervisedRole({
    name: NAME,
    autoRestart: true,
    stopGraceMs: GRACE_MS,
    report: say,
    launch: (onSpawn) =>
      startNodeChild({
        name: NAME,
        entry: ["ops/runtime/prepare.ts"],
        cwd: projectRoot,
        env: { ...asPreparation(env), HUB_DATA: dataDir },
        onLine: (line) => say(`[runtime] ${line}`),
        onSpawn
      })
  })
  void role.start().catch((cause: unknown) => say(`compartments cannot be prepared: ${messageOf(cause)}`))
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    await role.stop()
    try {
      const { running } = await endUnused(dataDir)
      if (running.length > 0) say(goOn(running))
    } catch (cause) {
      say(`what is there for compartments alone was not ended: ${messageOf(cause)}`)
    }
  }
  return { stop: () => (stopped ??= stop()) }
}
