/** Why a command cannot be done, in words for the person who gave it. */
export class Failure extends Error {
  override readonly name = 'Failure'
}
