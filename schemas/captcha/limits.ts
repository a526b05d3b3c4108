/**
 * Limits of captchas that owners solve (spec 8; contract 20). Discovery shows them in `limits.owner` together with
 * those of accounts.
 */
export const CAPTCHA_LIMITS = {
  captcha_image_max_bytes: 1_048_576,
  captcha_pixels_max: 4_000_000,
  captcha_ratio_max: 20,
  /** In code points. */
  captcha_context_max_chars: 1000,
  captcha_text_max_chars: 200,
  captcha_taps_max: 20,
  /** The longest that an HTTP request waits for the owner's answer. */
  captcha_wait_max_seconds: 600,
  /** A pending captcha expires after this time. */
  captcha_seconds: 600,
  /** The image is erased this many seconds after the request ended. */
  captcha_image_seconds: 3600,
  /** The most pending captchas of one agent. */
  captchas_pending_max: 10,
  /** The most images that an edge decodes at once, and the most that wait to be decoded. */
  captcha_images_at_once: 2,
  captcha_images_waiting_max: 16
} as const
