/** The form that creates a compartment: name, program and terms. */
import { COMPARTMENT_COMMAND, COMPARTMENT_NAME } from "../../schemas/compartment/fields.ts"
import type { Program } from "./programs.ts"
import type { Member, OwnerPage, OwnerSpace } from "../human/index.ts"
import { RUNTIME_LIMITS } from "../../schemas/compartment/limits.ts"
import type { Limits } from "../../schemas/limits.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { checkOf, fieldsOf, type Problems } from "../kit/owner/fields.ts"
import { NEW_COMPARTMENT_PATH } from "./view.ts"

export const NEW_FORM = "compartment.new"
export const OWN_PROGRAM = "own"
export const ACCEPTED = "yes"

export interface SentCompartment {
  readonly form_token?: string
  readonly name?: string
  readonly program?: string
  readonly command?: string
  readonly accept_terms?: string
}

const PROGRAMS_SAY: Readonly<Record<Program, readonly [name: string, says: string]>> = {
  "polite-member": [
    "A polite member",
    "It reads along, prints what is new for it, and says hello once it is admitted."
  ],
  "mail-codes": [
    "It waits for mail",
    "Once it is admitted it opens a mailbox of its own, and prints the codes and links that come in."
  ],
  "empty-shell": ["Nothing yet", "It waits, and leaves everything to what you put into it later."]
}

export const checkName = checkOf("The name", COMPARTMENT_NAME)
export const checkCommand = checkOf("The command", COMPARTMENT_COMMAND)

const radio = (value: string, [name, says]: readonly [string, string], chosen: string): Html => {
  const isChosen = value === chosen ? html` checked` : NOTHING
  return html`<p><label><input type="radio" name="program" value="${value}"${isChosen}> ${name}</label>
<span class="faint">${says}</span></p>
`
}

const programs = (offered: ReadonlyArray<Program>, form: SentCompartment, problem: string | undefined): Html => {
  const chosen = form.program ?? offered[0] ?? OWN_PROGRAM
  const told = problem === undefined ? NOTHING : html`<p class="problem">${problem}</p>\n`
  return html`<fieldset class="field"><legend>What it runs</legend>
${told}${offered.map((program) => radio(program, PROGRAMS_SAY[program], chosen))}${radio(
    OWN_PROGRAM,
    ["A command of your own", "Run by bash, as you would type it."],
    chosen
  )}</fieldset>
`
}

const command = ({ command: typed = "" }: SentCompartment, problem: string | undefined): Html => {
  const id = "new-command"
  const wrong =
    problem === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="${id}-hint ${id}-problem" autofocus`
  const hinted = problem === undefined ? html` aria-describedby="${id}-hint"` : NOTHING
  return html`<div class="field"><label for="${id}">Your own command</label>
<p class="faint" id="${id}-hint">Only where you have chosen that.</p>
<textarea id="${id}" name="command" rows="4" maxlength="${String(RUNTIME_LIMITS.command_max_chars)}" spellcheck="false"${hinted}${wrong}>
${typed}</textarea>
${problem === undefined ? NOTHING : html`<p class="problem" id="${id}-problem">${problem}</p>\n`}</div>
`
}

const terms = (termsUrl: string, { accept_terms }: SentCompartment, problem: string | undefined): Html => {
  const checked = accept_terms === ACCEPTED ? html` checked` : NOTHING
  const wrong = problem === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="new-terms-problem"`
  return html`<div class="field"><label><input type="checkbox" name="accept_terms" value="${ACCEPTED}"${checked}${wrong}> I accept the terms</label>
<p class="faint"><a href="${termsUrl}">The terms</a></p>
${problem === undefined ? NOTHING : html`<p class="problem" id="new-terms-problem">${problem}</p>\n`}</div>
`
}

export interface NewCompartmentView {
  readonly form: SentCompartment
  readonly problems: Problems
  readonly termsUrl: string
  readonly programs: ReadonlyArray<Program>
  readonly quotas: Limits["runtime"]["quotas"]
}

export const newCompartmentPage = (
  space: OwnerSpace,
  member: Member,
  { form, problems, termsUrl, quotas, programs: offered }: NewCompartmentView
): OwnerPage => {
  const name = {
    name: "name",
    label: "Name",
    autocomplete: "off",
    value: form.name,
    hint: "Small letters, digits and dashes. The agent is called by it, too."
  }
  const refused = problems["refused"]
  const made = space.form(
    member,
    NEW_FORM,
    NEW_COMPARTMENT_PATH,
    html`${fieldsOf("new", [name], problems)}${programs(offered, form, problems["program"])}${command(form, problems["command"])}${terms(
      termsUrl,
      form,
      problems["accept_terms"]
    )}<button class="main">Make it</button>\n`
  )
  const settings = html`<a href="${space.at("/owner/settings")}#address">confirm it</a>`
  return {
    title: "A compartment",
    main: html`<h1>A compartment</h1>
<p>A program of yours runs in it, with an agent that is made for it. You stand behind that agent, and it knows. Its key is
known to the compartment alone. It has ${quotas.cpu_percent} % of a processor, ${quotas.memory_mb} MB of memory and
${quotas.disk_mb} MB of disk; it reaches the internet, and nothing reaches it.</p>
${
  member.person.email_verified
    ? html`${refused === undefined ? NOTHING : html`<p class="problem" role="alert">${refused}</p>\n`}<div class="panel">${made}</div>`
    : html`<p class="notice">Your address has to be confirmed first: ${settings}.</p>\n`
}`
  }
}
