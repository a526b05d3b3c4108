/** Refuses requests with a long address, with many headers, or with a `Content-Length` above the limit. */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { announcesTooMuch, tooLarge } from "./body.ts"
import type { Call } from "./call.ts"

export const misshapen = ({ target, request }: Call, { limits, service }: Limits): Refusal | null => {
  if (target.length > service.max_url_chars) {
    return refusal("uri_too_long", `The address is longer than ${service.max_url_chars} characters.`, {
      max_chars: service.max_url_chars
    })
  }
  if (request.rawHeaders.length / 2 > service.max_headers) {
    return refusal("header_fields_too_large", `The request has more than ${service.max_headers} headers.`, {
      max_headers: service.max_headers
    })
  }
  return announcesTooMuch(request, limits.max_request_bytes) ? tooLarge(limits.max_request_bytes) : null
}
