/**
 * Two scripts: one turns push messages on and sends the browser's subscription by the form of its button. The other is
 * the service worker, which shows a message and opens its page.
 *
 * Invariants
 *  - The page's policy allows only its script, by its hash, and the worker, which is a file of the service.
 *  - Both load nothing from elsewhere, send nothing themselves, and write into the page by `textContent` only.
 *  - The browser shows a message as text. It leads to a page of this service only.
 */
import { createHash } from "node:crypto"
import { html, type Html, markup } from "../kit/html.ts"
import { ownerPageHeaders, scriptedPolicy } from "../kit/owner/headers.ts"

export const PUSH_WORKER = `
self.addEventListener("push", (event) => {
  const { title, body, tag, url } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: { url } }))
})
self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  const url = new URL(event.notification.data.url, self.location.href)
  if (url.origin === self.location.origin) event.waitUntil(self.clients.openWindow(url.href))
})
`

const SCRIPT = `
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
const button = document.getElementById("push")
const told = document.getElementById("push-told")
const worker = document.getElementById("push-worker").value
const applicationServerKey = bytes(document.getElementById("push-key").value)
const ask = async () => {
  button.disabled = true
  told.textContent = "Your browser asks you now."
  try {
    await navigator.serviceWorker.register(worker)
    const { pushManager } = await navigator.serviceWorker.ready
    const before = await pushManager.getSubscription()
    const isSame = (key) => key && new Uint8Array(key).join() === applicationServerKey.join()
    // A subscription to another key would prevent the new one.
    if (before && !isSame(before.options.applicationServerKey)) await before.unsubscribe()
    const { endpoint, keys } = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON()
    Object.entries({ endpoint, p256dh: keys.p256dh, auth: keys.auth }).forEach(([name, value]) => {
      button.form.elements[name].value = value
    })
    button.form.submit()
  } catch (failed) {
    told.textContent = failed.name === "NotAllowedError"
      ? "Your browser does not let this site notify you. Allow it in the site's settings and try again."
      : "Your browser could not be registered. Try again, or use another browser."
    button.disabled = false
  }
}
if (navigator.serviceWorker && window.PushManager) {
  button.hidden = false
  button.addEventListener("click", ask)
} else told.textContent = "Your browser cannot be notified from here. On a phone, add this site to the home screen first."
`

const HASH = createHash("sha256").update(SCRIPT).digest("base64")

export const pushPageHeaders: Readonly<Record<string, string>> = {
  ...ownerPageHeaders,
  "content-security-policy": scriptedPolicy(`'sha256-${HASH}'; worker-src 'self'`)
}

/**
 * The script and its fields, to be placed beside the form. `key` is the key for browsers' subscriptions. `worker` is
 * the address of the service worker.
 */
export const pushScript = (key: string, worker: string): Html => html`<p id="push-told" role="status"></p>
<noscript><p>This needs a script of this page, and your browser runs none.</p></noscript>
<input type="hidden" id="push-key" value="${key}">
<input type="hidden" id="push-worker" value="${worker}">
<script>${markup(SCRIPT)}</script>`
