/** Source of randomness. */
export interface Random {
  bytes: (count: number) => Uint8Array
  /** A new UUID. */
  id: () => string
}

/** Returns a new secret that cannot be guessed: 256 bits in base64url. */
export const newToken = ({ bytes }: Random): string => Buffer.from(bytes(32)).toString('base64url')

/** Returns random characters of an alphabet. Bytes past its last whole multiple are dropped, so each is equally likely. */
export function randomText({ bytes }: Random, alphabet: string, length: number): string {
  const bound = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length)
    for (const byte of bytes(length))
      if (byte < bound && text.length < length) text += alphabet[byte % alphabet.length]
  return text
}
