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
    ["rebuild main seen", "rebuild main|seen"],
    ["replay agent one another", "replay <kind> <ref> [--to <point>] [--json]"],
    ["replay agent one --sample 5", "replay <kind> <ref> --diff <point> <point> [--json]"],
    ["replay agent one --diff 1 2 3", "replay --from-file <file> [any of these options]"],
    ["tail agent one another", "tail <kind> <ref> [--since <point>] [--json]"],
    ["verify agents", "verify [--kind <kind>] [--sample <number>]"],
    ["status --kind agent", "status [--json]"],
    ["backup one another", "backup <folder>"],
    ["backup one --replace", "backup --check <folder>"],
    ["restore one --check", "restore <folder> [--replicas <number>] [--gap <number>] [--replace]"],
    ["appeals open", "appeals"],
    ["questions sample --kind word", "questions sample [--count <number>] [--seed <text>] [--answers <file>]"],
    ["agent appeal one maybe", "agent appeal <ref> grant|deny [--answer <text>]"]
  ])("%s is answered with the usage", async (line, usage) => {
    const { status, errors } = await hub(line.split(" "))
    expect(status).toBe(1)
    expect(errors.split("\n")[0]).toBe("usage:")
    expect(errors).toContain(`npm run hub -- ${usage}\n`)
  })

  it.each([
    "rebuild", "rebuild seen", "agent suspend one --reason spam", "agent suspend one --until 2027-01-31T12:00:00Z", "agent appeal one grant --answer sorry", "appeals", "replay agent one --to 5 --json", "replay agent one --diff 5 2026-11-21T12:00:00Z --json",
    "replay agent one --what-if x.json --to 5", "tail", "tail agent", "tail ada --since 5", "tail agent ada --json", "verify --kind agent --sample 5", "backup somewhere"
  ])("%s is let through to the service, which is not there", async (line) => {
    const { status, errors } = await hub(line.split(" "))
    expect(status).toBe(1)
    expect(errors).not.toContain("usage:")
  })

  it("replay --from-file needs no service; what is wrong with the file is told in one line", async () => {
    const { status, errors } = await hub(["replay", "--from-file", "nowhere.json"])
    expect({ status, errors }).toEqual({ status: 1, errors: "nowhere.json cannot be read: ENOENT\n" })
  })
})
