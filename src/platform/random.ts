/** Source of randomness. */
export interface Random {
  bytes: (count: number) => Uint8Array
  /** A new UUID. */
  id: () => string
}
