/** Usage lines as the declaration of what a program takes, and what is said about a command line outside of them. */
import { describe, expect, it } from "vitest"
import { helpOf, optionsIn, type Program, readCommandLine } from "../../schemas/runtime/command-line.ts"

interface Command {
  readonly usage: ReadonlyArray<string>
  readonly summary?: string
  readonly unshown?: ReadonlyArray<string>
  readonly isUnquoted?: boolean
}

class Refusal extends Error {}

const COMMANDS: ReadonlyArray<Command> = [
  { usage: ["post show <post>"], summary: "one post\nand its text" },
  { usage: ["post publish <title> <body|@file|-> [--kind <kind>] [--tag <tag>]...", "             [--file <path>]"] },
  { usage: ["post hide|restore <post> [--reason <text>]"] },
  { usage: ["call <method> [<json>|@<file>|-] [--unsigned]"], isUnquoted: true },
  { usage: ["stop <id> [--reason <text>]", "stop --all", "stop --now [--days <n>]"] },
  { usage: ["read <id>... [--json]", "read --all"] },
  { usage: ["diff <kind> --between <point> <point>", "diff --from <file> [any of these]"] },
  { usage: ["mode on|off"] },
  { usage: ["vault seal login|card"], unshown: ["vault seal [<word>...] [--password <text>]"] }
]

const PROGRAM: Program<Command> = {
  name: "tool",
  commands: COMMANDS,
  common: "for all:\n  --hub <url>   an address\n  -v, --verbose  more\n  -h, --help    this",
  refuse: (reason, lines) => new Refusal([reason, ...lines].join(" | "))
}

const read = (line: string, program: Program<Command> = PROGRAM) =>
  readCommandLine(program, line === "" ? [] : line.split(" "))

describe("options of a usage", () => {
  it.each([
    ["[--json]", { json: ["boolean", false] }],
    ["--kind a|b [--label <label>=<url>]...", { kind: ["string", false], label: ["string", true] }],
    ["[--attach <path> …] [--option <answer>...]", { attach: ["string", true], option: ["string", true] }],
    ["[--tools read|<name>,...]", { tools: ["string", false] }],
    ["[--limits <currency>,<a sum>,<a day>]", { limits: ["string", false] }],
    [
      "[--key <a> --proof <b> | --out <file>]",
      { key: ["string", false], proof: ["string", false], out: ["string", false] }
    ],
    [
      "[--share | --forget] --set NAME=<value|->",
      { share: ["boolean", false], forget: ["boolean", false], set: ["string", false] }
    ],
    ["--between <a> <b>", { between: ["string", true] }],
    [
      "  --port <number>  of 127.0.0.1\n  --allow         or not",
      { port: ["string", false], allow: ["boolean", false] }
    ]
  ])("%j", (text, wanted) => {
    const found = Object.entries(optionsIn(text)).map(([name, { type, multiple }]) => [name, [type, multiple]])
    expect(Object.fromEntries(found)).toEqual(wanted)
  })
})

describe("a command line", () => {
  it.each([
    ["post show 12", "show", ["12"], {}],
    ["post show 12 --hub x -v", "show", ["12"], { hub: "x", verbose: true }],
    ["post publish --tag a T B --tag b --file f", "publish", ["T", "B"], { tag: ["a", "b"], file: "f" }],
    ["post restore 3", "restore", ["3"], {}],
    ["call GET", "call", ["GET"], {}],
    ["call GET -- --x", "call", ["GET", "--x"], {}],
    ["read 1 2 3 --json", "read", ["1", "2", "3"], { json: true }],
    ["read --all", "read", [], { all: true }],
    ["diff agent --between 1 2", "diff", ["agent"], { between: ["1", "2"] }],
    ["diff --from f", "diff", [], { from: "f" }],
    ["mode off", "off", [], {}],
    ["stop 5 --reason x --hub y", "stop", ["5"], { reason: "x", hub: "y" }],
    ["stop --days 3 --now", "stop", [], { days: "3", now: true }],
    ["diff --from f --between 1 2", "diff", [], { from: "f", between: ["1", "2"] }],
    ["post show 1 -v -v", "show", ["1"], { verbose: true }],
    ["vault seal anything else --password x", "seal", ["anything", "else"], { password: "x" }]
  ])("%s is read", (line, verb, positionals, values) => {
    expect(read(line)).toMatchObject({ is: "command", args: { verb, positionals } })
    const found = read(line)
    expect(found.is === "command" && { ...found.args.values }).toEqual(values)
  })

  it.each([
    ["post", "post takes one of show, publish, hide|restore; tool post --help shows how"],
    ["post burn 12", "post takes one of show, publish, hide|restore; tool post --help shows how"],
    ["post show", "post show needs <post> | tool post show <post>"],
    ["post show 1 2", "post show takes no 2 | tool post show <post>"],
    ["call", "call needs <method> | tool call <method> [<json>|@<file>|-] [--unsigned]"],
    ["read", "read needs <id>... | tool read <id>... [--json] | tool read --all"],
    ["diff agent", "diff needs --between <point> <point> | tool diff"],
    ["diff", "diff needs <kind> | tool diff"],
    ["mode maybe", "mode takes one of on|off; tool mode --help shows how"],
    ["post show 1 --tag x", "Unknown option '--tag' | tool post show <post>"],
    ["post show 1 --hub", "Option '--hub <value>' argument missing | tool post show <post>"],
    ["show 1", "there is no command show; did you mean post show <post>; tool --help lists all"],
    ["nonsense", "there is no command nonsense; tool --help lists all"],
    ["stop 5 --all", "stop takes no --all here | tool stop <id> [--reason <text>] | tool stop --all"],
    ["stop --all --reason x", "stop needs <id> | tool stop <id>"],
    ["stop --all --now", "stop takes no --now here | tool stop"],
    ["stop --all --now --days 3", "stop takes no --all here | tool stop"],
    ["stop --days 3", "stop needs --now | tool stop"],
    ["read 5 --all", "read takes no --all here | tool read"],
    ["stop 5 --reason a --reason b", "--reason is given more than once | tool stop"],
    ["post show 1 --hub x --hub x", "--hub is given more than once | tool post show"],
    ["diff a --between 1 2 --between 3 4", "--between is given more than once | tool diff"],
    ["diff a --between 1", "--between takes 2 values | tool diff"],
    ["post publish T --help", "--help stands alone, behind the name | tool post publish"],
    ["post publish T -h", "--help stands alone, behind the name | tool post publish"],
    ["post publish -h T", "--help stands alone, behind the name | tool post publish"],
    ["--help post", "--help stands behind the command"],
    ["vault seal other -h", "--help stands alone, behind the name | tool vault seal"],
    ["call POST {} hunter2", "call takes no more words | tool call"],
    ["call POST --hunter2", "the options are not those of this command | tool call"],
    ["--hub x post show 1", "--hub stands behind the command: tool <command> … --hub"]
  ])("%s is refused", (line, message) => {
    expect(() => read(line)).toThrow(Refusal)
    expect(() => read(line)).toThrow(message)
  })

  it.each([
    ["", COMMANDS],
    ["help", COMMANDS],
    ["--help", COMMANDS],
    ["post help", COMMANDS.slice(0, 3)],
    ["post -h", COMMANDS.slice(0, 3)],
    ["post show --help", COMMANDS.slice(0, 1)],
    ["post show -h", COMMANDS.slice(0, 1)],
    ["vault seal card -h", COMMANDS.slice(-1)]
  ])("%j asks for help", (line, commands) => {
    expect(read(line)).toEqual({ is: "help", commands })
  })

  it.each([
    "hxs_aaaabbbb-cc",
    "post hxv_aaaabbbb-cc",
    "post show 1 hxh_aaaabbbb-cc",
    "post show 1 --hub=whsec_aaaabbbb-cc x",
    "post show 1 --hxs_aaaabbbb-cc",
    "--hxs_aaaabbbb-cc",
    "mode hxv_aaaabbbb-cc"
  ])("%s is refused without the token", (line) => {
    const refused = (): unknown => {
      try {
        return read(line)
      } catch (error) {
        return error
      }
    }
    expect(refused()).toBeInstanceOf(Refusal)
    expect(String(refused())).not.toContain("aaaabbbb")
  })

  it("asks for the version, or for a word that only looks like help", () => {
    expect(read("--version")).toEqual({ is: "version" })
    expect(read("call GET -- --help")).toMatchObject({ is: "command" })
  })

  it("of a program without commands is its options and words", () => {
    const single = { ...PROGRAM, commands: [{ usage: ["[<name>] [--count N]"] }] }
    expect(read("--count 3", single)).toMatchObject({
      is: "command",
      args: { positionals: [], values: { count: "3" } }
    })
    expect(read("", single)).toMatchObject({ is: "command" })
    expect(read("-h", single)).toMatchObject({ is: "help" })
    expect(() => read("a b", single)).toThrow("tool takes no b")
  })
})

it("help has lines as they are declared, summaries below them, and the options of all at the end", () => {
  expect(helpOf(PROGRAM, COMMANDS.slice(0, 2))).toBe(
    [
      "usage:",
      "  tool post show <post>",
      "      one post",
      "      and its text",
      "  tool post publish <title> <body|@file|-> [--kind <kind>] [--tag <tag>]...",
      "                    [--file <path>]",
      "",
      PROGRAM.common
    ].join("\n")
  )
})
