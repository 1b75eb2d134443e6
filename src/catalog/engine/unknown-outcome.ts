/** Error of a commit that may or may not be durable. Nothing may be rolled back; the process stops. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}
