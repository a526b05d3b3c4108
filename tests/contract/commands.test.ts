/** The operator's commands refuse what is not in their usage, before they open anything. */
import { execFile } from "node:child_process"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"

const UNREACHABLE = { HUB_NATS_URL: "nats://127.0.0.1:1", HUB_DATABASE_URL: "postgres://127.0.0.1:1/none" }

const hub = (args: ReadonlyArray<string>): Promise<{ readonly status: number; readonly errors: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, ["--no-warnings", "ops/cli/main.ts", ...args], { cwd: projectRoot, env: { ...process.env, ...UNREACHABLE } }, (_error, _stdout, errors) => {
      resolve({ status: child.exitCode ?? -1, errors })
    })
  })

describe("npm run hub --", () => {
  it.each([
    ["rebuild nonsense", "rebuild"],
    ["status now", "status [--json]"],
    ["migrate down", "migrate"],
    ["category list all", "category list"],
    ["agent show one another", "agent show <ref>"],
    ["agent system one maybe", "agent system <ref> on|off"],
    ["replay agent one another", "replay <kind> <id> [--to <sequence or time>] [--json]"]
  ])("%s is answered with the usage", async (line, usage) => {
    const { status, errors } = await hub(line.split(" "))
    expect(status).toBe(1)
    expect(errors.split("\n")[0]).toBe("usage:")
    expect(errors).toContain(`npm run hub -- ${usage}\n`)
  })

  it.each(["rebuild", "agent suspend one --reason spam", "replay agent one --to 5 --json"])("%s is let through to the service, which is not there", async (line) => {
    const { status, errors } = await hub(line.split(" "))
    expect(status).toBe(1)
    expect(errors).not.toContain("usage:")
  })
})
