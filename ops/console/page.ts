/**
 * Declares a page of the console: one file that exports a `ConsolePage`, and its name in `pages.ts`.
 *
 * Invariants
 *  - Only operators see pages and send actions. If a page is only for some of them, `who` says so.
 *  - A page changes nothing. An action does, and records its operator and the reason.
 */
import type { Html } from "../../edge/kit/html.ts"
import type { Call } from "../../edge/http/call.ts"
import type { Service } from "../cli/connection.ts"
import type { LiveSource } from "./live.ts"
import type { ConsoleParts } from "./parts.ts"

export interface Operator {
  /** The operator's name in the ids of commands: `hum_…`, or the person who requested the one-time link. */
  readonly name: string
  /** `account` for a login with an account, `link` for a one-time link. */
  readonly by: "account" | "link"
}

export interface Visit {
  readonly parts: ConsoleParts
  readonly call: Call
  readonly operator: Operator
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** A form that sends an action of this page. It asks for the reason, and says what the action will do. */
  readonly form: (action: ConsoleAction, fields: Html) => Html
}

export interface Download {
  readonly file: string
  readonly type: string
  readonly content: string
}

interface Elsewhere {
  readonly to: string
}

/** The result of an action. `to` is a path of the console, which shows `says` once. */
interface ActionResult {
  readonly to: string
  readonly says: string
}

/** The parts that an action can use. An action can throw a `Fault` to refuse, whose message is shown. */
export interface Acting {
  readonly parts: ConsoleParts
  readonly operator: Operator
  /** The operator's reason, never empty. It is recorded in the commits of `command`. */
  readonly why: string
  readonly fields: Readonly<Record<string, string>>
  /** The id of the form. It is the same if the form is sent again. */
  readonly once: string
  /** A command in the operator's name. A form that is sent twice has the same command ids. */
  readonly command: Service["command"]
}

export interface ConsoleAction {
  /** Unique among all actions: letters, digits and hyphens. */
  readonly name: string
  readonly button: string
  /** The text above the button that tells what the action will do. */
  readonly says: string
  readonly run: (acting: Acting) => Promise<ActionResult>
}

export interface ConsolePage {
  /** The page's path, such as `/actor/:kind/:id`. */
  readonly path: string
  readonly title: string
  /** True if the navigation lists the page. */
  readonly listed: boolean
  /** `account` if people who logged in by a one-time link may not use the page. */
  readonly who: "operator" | "account"
  /** A file of `ops/console/script/`, without its ending. */
  readonly script?: string
  /** `null` if the record does not exist. */
  readonly render: (visit: Visit) => Promise<Html | Download | Elsewhere | null>
  readonly actions?: ReadonlyArray<ConsoleAction>
  /** The source of the events that its script follows at `/events?page=<path>`. */
  readonly live?: (parts: ConsoleParts, params: Visit["params"]) => LiveSource
}
