/** The actor's page: the slider moves along the commits, and shows each without another page. */
const WAIT_MS = 120

const by = (id) => document.getElementById(id)
const slider = by("slider")
const links = [...document.querySelectorAll("#past a")]

const told = (place) => (links[place]?.closest("li").textContent ?? "").replace(/\s+/g, " ").trim()

const say = () => {
  const text = told(slider.valueAsNumber)
  by("slid").textContent = text
  slider.setAttribute("aria-valuetext", text)
}

let asked = 0
const show = async () => {
  const turn = ++asked
  const link = links[slider.valueAsNumber]
  const address = new URL(link.href)
  const answer = await fetch(address).catch(() => null)
  if (turn !== asked) return
  if (answer === null || !answer.ok || answer.redirected) return location.assign(address)
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  const commit = page.getElementById("commit")
  if (turn !== asked) return
  if (commit === null) return location.assign(address)
  by("commit").replaceWith(document.adoptNode(commit))
  for (const one of links) one.removeAttribute("aria-current")
  link.setAttribute("aria-current", "true")
  link.scrollIntoView({ block: "nearest" })
  history.replaceState(null, "", address)
  // What was decided was decided of another commit.
  by("decided")?.remove()
  for (const field of document.querySelectorAll('input[name="at"]')) field.value = address.searchParams.get("at")
}

if (slider !== null) {
  let waiting
  by("slide").hidden = false
  links[slider.valueAsNumber]?.scrollIntoView({ block: "nearest" })
  say()
  slider.addEventListener("input", () => {
    say()
    clearTimeout(waiting)
    waiting = setTimeout(show, WAIT_MS)
  })
}
