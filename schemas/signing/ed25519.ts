/** The sizes of Ed25519 keys and signatures (RFC 8032), and the DER prefix of public keys (RFC 8410). Pure. */

export const PUBLIC_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

/** The bytes before the raw key in SubjectPublicKeyInfo. */
export const SPKI_PREFIX = /* @__PURE__ */ Uint8Array.of(
  0x30,
  0x2a,
  0x30,
  0x05,
  0x06,
  0x03,
  0x2b,
  0x65,
  0x70,
  0x03,
  0x21,
  0x00
)
