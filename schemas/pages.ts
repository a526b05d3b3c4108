/** All pages outside the interface, group by group (see page.ts). */
import { HttpApi } from "effect/http-api"
import { partsOf } from "./noun.ts"
import * as nouns from "./nouns.ts"
import { byChapter } from "./traits.ts"

export class HubPages extends HttpApi.make("pages").add(...byChapter(partsOf(nouns, "pages"))) {}
