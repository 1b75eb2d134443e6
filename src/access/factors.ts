/** Second factors, by the names that better-auth's clients know. */
export const FACTORS = ['totp', 'passkey'] as const
export type Factor = (typeof FACTORS)[number]
