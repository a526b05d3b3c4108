/**
 * The operator's commands refuse what is not in their usage, before they open anything; what they say is said to its
 * end.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { OPTIONS } from "../../ops/cli/command.ts"
import { COMMANDS, readLine, serversFor } from "../../ops/cli/command-line.ts"
import { Fault } from "../../ops/cli/fault.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { optionsIn } from "../../schemas/runtime/command-line.ts"
import { fixtureText } from "../../ops/replay/fixture.ts"
import { programPath, testFolder } from "../harness/index.ts"

const UNREACHABLE = { HUB_NATS_URL: "nats://127.0.0.1:1", HUB_DATABASE_URL: "postgres://127.0.0.1:1/none" }

interface Said {
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

async function hub(args: ReadonlyArray<string>): Promise<Said> {
  const child = spawn(process.execPath, ["--no-warnings", await programPath("hub"), ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...UNREACHABLE }
  })
  let [output, errors] = ["", ""]
  child.stdout.on("data", (chunk) => (output += String(chunk)))
  child.stderr.on("data", (chunk) => (errors += String(chunk)))
  const [status] = (await once(child, "close")) as [number | null]
  return { status, output, errors }
}

const refusal = (line: string): unknown => {
  try {
    return readLine(line.split(" "))
  } catch (error) {
    return error
  }
}

describe("npm run hub --", () => {
  it.each([
    ["rebuild nonsense", "rebuild"],
    ["status now", "status [--all] [--json]"],
    ["migrate down", "migrate"],
    ["category list all", "category list"],
    ["agent show one another", "agent show <ref>"],
    ["agent system one maybe", "agent system <ref> on|off"],
    ["rebuild agent seen", `rebuild ${PROJECTIONS.map(({ name }) => name).join("|")}`],
    ["replay agent one another", "replay <kind> <ref> [--to <point>] [--last <number>] [--events-only] [--json]"],
    ["replay agent one --sample 5", "replay <kind> <ref> --diff <point> <point> [--json]"],
    ["replay agent one --diff 1 2 3", "replay --from-file <file> [any of these options]"],
    ["tail agent one another", "tail <kind> <ref> [--since <point>] [--until <point>] [--json]"],
    ["verify agents", "verify [--kind <kind>] [--sample <number>]"],
    ["status --kind agent", "status [--all] [--json]"],
    ["backup one another", "backup <folder> [--archive <folder>]"],
    ["backup one --replace", "backup <folder> --check [--archive <folder>]"],
    [
      "restore one --check",
      "restore <folder> [--archive <folder>] [--replicas <number>] [--gap <number>] [--cards] [--replace]"
    ],
    ["appeals open", "appeals"],
    ["questions check one another", "questions check <folder>"],
    ["questions sample --kind word", "questions sample [--count <number>] [--seed <text>] [--answers <file>]"],
    ["agent appeal one maybe", "agent appeal <ref> grant|deny [--answer <text>]"],
    ["agent reinstate one --until 2027-01-31T12:00:00Z", "agent reinstate|ban <ref> [--reason <text>]"],
    ["delivery list", "delivery list <agent> [--count <number>] [--json]"],
    ["post hide 12", "post hide <id> --reason <text>"],
    ["replay agent", "replay <kind> <ref> --at <point> [--json]"],
    ["replay agent one --at", "replay <kind> <ref> --at <point> [--json]"],
    ["compartment stop", "compartment stop --all"],
    ["compartment stop cmp_a --all", "compartment stop <id>"],
    ["archive --check --now --days 3", "archive --check"],
    ["archive --days 0", "archive --now [--days <number>]"],
    ["verify --scores --kind agent --sample 3", "verify --scores"],
    ["replay agent ada --at 5 --what-if f --export g", "replay <kind> <ref> --at <point> [--json]"],
    ["replay agent ada --diff 1 2 --diff 3 4", "replay <kind> <ref> --diff <point> <point> [--json]"],
    ["agent ban ada --reason a --reason b", "agent reinstate|ban <ref> [--reason <text>]"],
    ["agent ban ada --help", "agent reinstate|ban <ref> [--reason <text>]"]
  ])("%s is answered with the usage", (line, usage) => {
    const refused = refusal(line)
    expect(refused).toBeInstanceOf(Fault)
    const { message } = refused as Fault
    expect(message.split("\n")[1]).toBe("usage:")
    expect(`${message}\n`).toContain(`npm run hub -- ${usage}\n`)
  })

  it.each([
    "rebuild",
    "rebuild seen",
    "agent suspend one --reason spam",
    "agent suspend one --until 2027-01-31T12:00:00Z",
    "agent appeal one grant --answer sorry",
    "appeals",
    "replay agent one --to 5 --json",
    "replay agent one --diff 5 2026-11-21T12:00:00Z --json",
    "replay agent one --what-if x.json --to 5",
    "tail",
    "tail agent",
    "tail ada --since 5",
    "tail ada --since 5 --until 2026-11-21T12:00:00Z",
    "replay agent one --last 3 --events-only",
    "replay agent one --test x.test.ts --what-if x.json",
    "operations agent --json",
    "delivery list ada --count 5",
    "tail agent ada --json",
    "verify --kind agent --sample 5",
    "backup somewhere",
    "mail suppressions 2",
    "compartment stop --all",
    "archive --now --days 0",
    "replay --from-file x.json --at 5 --json",
    "mail postmaster 5",
    "roadmap add --title Votes --version 2.0"
  ])("%s is let through", (line) => {
    expect(readLine(line.split(" "))).toMatchObject({ command: { usage: expect.any(Array) as unknown } })
  })

  it("its options have the types that its usages declare", () => {
    const declared = Object.entries(optionsIn(COMMANDS.flatMap(({ usage }) => usage).join("\n")))
    const named = (is: (option: (typeof declared)[number][1]) => boolean): ReadonlyArray<string> =>
      declared.flatMap(([name, option]) => (is(option) ? [name] : [])).toSorted()
    expect({
      flags: named(({ type }) => type === "boolean"),
      texts: named(({ type, multiple }) => type === "string" && !multiple),
      pairs: named(({ multiple }) => multiple)
    }).toEqual(OPTIONS)
  })

  it("says so as a process too, and what is let through finds no service", async () => {
    const [refused, passed] = await Promise.all([hub(["status", "now"]), hub(["appeals"])])
    expect(refused).toMatchObject({
      status: 1,
      output: "",
      errors: expect.stringMatching(/^status takes no now\nusage:\n/) as string
    })
    expect(passed).toMatchObject({ status: 1, output: "", errors: expect.not.stringContaining("usage:") as string })
  })

  it("replay --from-file needs no service; what is wrong with the file is told in one line", async () => {
    expect(await hub(["replay", "--from-file", "nowhere.json"])).toEqual({
      status: 1,
      output: "",
      errors: "nowhere.json cannot be read: ENOENT\n"
    })
  })

  it("says more than a pipe holds to the end", async () => {
    const file = join(await testFolder("commands"), "long.json")
    const commits = Array.from({ length: 5000 }, (_, index) => ({
      seq: index + 1,
      commit: {
        v: 1 as const,
        id: `c${index}`,
        op: "test",
        at: index,
        events: [{ type: "handle.claimed", v: 1, agent: `hx${index}` }]
      }
    }))
    await writeFile(file, fixtureText({ format: 1, kind: "handle", id: "ada", commits }))
    const { status, output } = await hub(["replay", "--from-file", file, "--json"])
    expect(output.length).toBeGreaterThan(500_000)
    expect({ status, steps: (JSON.parse(output) as ReadonlyArray<unknown>).length }).toEqual({
      status: 0,
      steps: commits.length
    })
  })

  it.each([[["--json"]], [[]]])("shows what strangers wrote without obeying it %j", async (options) => {
    const evil = 'a\u009b31mRED\u202eabc\u2066\u200f\u061c\u2028\u2029\u0085\u007f\u001b]0;x\u0007\r\n\ud83d "\\'
    const file = join(await testFolder("commands"), "evil.json")
    const event = { type: "handle.claimed", v: 1, agent: evil }
    const commits = [{ seq: 1, commit: { v: 1 as const, id: "c", op: "test", at: 1, events: [event] } }]
    await writeFile(file, fixtureText({ format: 1, kind: "handle", id: "ada", commits }))
    const { status, output } = await hub(["replay", "--from-file", file, ...options])
    expect([status, output.replaceAll(/[\x20-\x7e\n]/g, "")]).toEqual([0, ""])
    // It is told nevertheless, and means the same.
    const told = options.length > 0 ? output : (/handle\.claimed v1 (.*)/.exec(output)?.[1] ?? "")
    expect(JSON.stringify(JSON.parse(told))).toContain(JSON.stringify(evil))
  })

  it("all of them print through one place", async () => {
    const folder = join(projectRoot, "ops", "cli")
    const others = (await readdir(folder)).filter((name) => name !== "output.ts")
    expect(others.length).toBeGreaterThan(10)
    for (const name of others)
      expect(await readFile(join(folder, name), "utf8"), name).not.toMatch(/\b(stdout|stderr)\.write|console\./)
  })
})

describe("the servers that a command line works on", () => {
  it.each([
    ["", "none"],
    ["--help", "none"],
    ["post hide --help", "none"],
    ["--version", "none"],
    ["nonsense", "none"],
    ["post hide 5", "none"],
    ["post hide 5 --reason help", "needed"],
    ["agent show ada", "needed"],
    ["archive --check", "needed"],
    ["backup folder", "needed"],
    ["backup folder --check", "none"],
    ["restore folder", "needed"],
    ["migrate", "needed"],
    ["replay agent ada", "needed"],
    ["replay --from-file history.json --json", "none"],
    ["operations agent", "none"],
    ["questions sample", "none"],
    ["runtime prepare", "none"],
    ["status", "optional"],
    ["status --all --json", "optional"]
  ])("of %j: %s", (line, servers) => {
    expect(serversFor(line === "" ? [] : line.split(" "))).toBe(servers)
  })

  it("are looked for by the launcher, whatever words a command is given", async () => {
    const { HUB_NATS_URL: _nats, HUB_DATABASE_URL: _postgres, ...env } = process.env
    const folder = await testFolder("none-run")
    const child = spawn(
      process.execPath,
      ["--no-warnings", "ops/launcher/main.ts", "hub", ..."post hide 5 --reason help".split(" ")],
      {
        cwd: projectRoot,
        env: { ...env, HUB_DATA: folder }
      }
    )
    const [errors, [status]] = await Promise.all([text(child.stderr), once(child, "close")])
    expect(errors).toContain(`nothing runs on ${folder}; start it with npm start`)
    expect(status).toBe(1)
  })
})
