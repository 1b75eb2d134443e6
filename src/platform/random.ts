/** Where chance comes from. */
export interface Random {
  bytes: (count: number) => Uint8Array
  /** A new UUID. */
  id: () => string
}
