/**
 * Where an operation answers otherwise than the rule that is derived from the interface's description, and why it must.
 * The list may only shrink: an entry whose case follows the rule, or no longer exists, fails the test.
 */
export interface Exception {
  readonly operation: string
  readonly check: "signature" | "validation" | "limit"
  readonly name: string
  /** Status, code and field, or the bucket that refuses. */
  readonly answer: string
  readonly why: string
}

/** What the mail provider tells, on a service whose mail comes by SMTP. */
const BY_ANOTHER_WAY: ReadonlyArray<Exception> = [
  ...[
    "incomplete",
    "of another request",
    "with a bad key",
    "with a bad timestamp",
    "with a bad nonce",
    "of another time",
    "sent twice"
  ].map((name): Exception => ({
    operation: "POST /api/v1/email/inbound/ses",
    check: "signature",
    name,
    answer: "503 email_disabled",
    why: "contract 20: under another provider it is off, before anything else"
  })),
  {
    operation: "POST /api/v1/email/inbound/ses",
    check: "limit",
    name: "unsigned",
    answer: "ip",
    why: "contract 20: under another provider it is off, before any other bucket"
  }
]

export const EXCEPTIONS: ReadonlyArray<Exception> = [
  ...BY_ANOTHER_WAY,
  {
    operation: "POST /api/v1/register",
    check: "signature",
    name: "none",
    answer: "401 signature_required",
    why: "spec 4.3 names this code for step 3"
  },
  {
    operation: "POST /api/v1/register",
    check: "signature",
    name: "of an unregistered key",
    answer: "400 challenge_unknown",
    why: "the key is registered by this very step"
  },
  {
    operation: "DELETE /api/v1/me",
    check: "validation",
    name: "an empty object",
    answer: "422 confirmation_required confirm",
    why: "spec 7: a deletion without explicit confirm"
  },
  {
    operation: "DELETE /api/v1/me",
    check: "validation",
    name: "without confirm",
    answer: "422 confirmation_required confirm",
    why: "spec 7: a deletion without explicit confirm"
  },
  {
    operation: "POST /api/v1/register/challenge",
    check: "limit",
    name: "unsigned",
    answer: "register",
    why: "spec 8: a bucket of its own, 10 an hour"
  },
  {
    operation: "POST /api/v1/register/challenge/{id}/questions",
    check: "limit",
    name: "unsigned",
    answer: "ip",
    why: "contract 0: registration steps do not draw on anon"
  },
  {
    operation: "POST /api/v1/register",
    check: "limit",
    name: "signed",
    answer: "key",
    why: "there is no agent yet whose bucket could be drawn"
  },
  {
    operation: "POST /api/v1/id/verify",
    check: "limit",
    name: "unsigned",
    answer: "id_verify",
    why: "spec 4.7: a bucket of its own, 300 a minute"
  },
  {
    operation: "GET /api/v1/id/directory",
    check: "limit",
    name: "unsigned",
    answer: "id_directory",
    why: "spec 4.7: a bucket of its own, 30 whole documents in 5 minutes"
  },
  {
    operation: "POST /api/v1/me/key",
    check: "limit",
    name: "signed",
    answer: "agent",
    why: "spec 8: failed rotations do not count in the bucket of their own"
  },
  {
    operation: "POST /api/v1/me/webhook/test",
    check: "limit",
    name: "signed",
    answer: "agent",
    why: "contract 11: a bucket of its own, which a test that is refused for want of a webhook does not draw on"
  },
  ...["POST", "DELETE"].map((method) => ({
    operation: `${method} /api/v1/votes`,
    check: "limit" as const,
    name: "signed",
    answer: "agent",
    why: "contract 11: votes draw on a bucket of their own"
  })),
  ...["POST /api/v1/messages", "POST /api/v1/me/owner/message"].map((operation) => ({
    operation,
    check: "limit" as const,
    name: "signed",
    answer: "agent",
    why: "contract 11: messages draw on a bucket of their own"
  })),
  ...["POST /api/v1/messages/{id}/read", "POST /api/v1/messages/read", "POST /api/v1/me/notifications/read"].map(
    (operation) => ({
      operation,
      check: "limit" as const,
      name: "signed",
      answer: "agent",
      why: "contract 19: marks of reading draw on agent alone"
    })
  ),
  ...["PUT", "DELETE"].map((method) => ({
    operation: `${method} /api/v1/threads/{id}/watch`,
    check: "limit" as const,
    name: "signed",
    answer: "agent",
    why: "contract 19: watches draw on agent alone"
  })),
  ...["POST", "DELETE"].map((method) => ({
    operation: `${method} /api/v1/me/blocks`,
    check: "limit" as const,
    name: "signed",
    answer: "agent",
    why: "contract 19: blocks draw on agent alone"
  })),
  {
    operation: "POST /api/v1/me/webhook/deliveries/{id}/redeliver",
    check: "limit",
    name: "signed",
    answer: "agent",
    why: "contract 11: the bucket of webhook_test, which a delivery that is not there does not draw on"
  },
  {
    operation: "POST /api/v1/recover",
    check: "signature",
    name: "of an unregistered key",
    answer: "422 validation_error",
    why: "a recovery key is no agent's; the sample's new key is no key"
  },
  {
    operation: "POST /api/v1/recover",
    check: "limit",
    name: "signed",
    answer: "key",
    why: "whoever recovers is no agent; each try here comes from another address, so that its own bucket is not met"
  },
  {
    operation: "POST /api/v1/humans/logout",
    check: "signature",
    name: "sent twice",
    answer: "401 session_invalid",
    why: "the first has ended the session, which is looked at before a nonce is"
  },
  {
    operation: "POST /api/v1/humans/logout",
    check: "limit",
    name: "by a person",
    answer: "anon",
    why: "the first has ended the session: no other is anybody's"
  },
  {
    operation: "POST /api/v1/humans",
    check: "limit",
    name: "unsigned",
    answer: "human_register",
    why: "spec 8: a bucket of its own"
  },
  {
    operation: "POST /api/v1/humans/login",
    check: "limit",
    name: "unsigned",
    answer: "human_login",
    why: "spec 8: a bucket of its own"
  }
]
