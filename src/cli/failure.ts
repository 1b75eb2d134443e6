/** Why a command cannot be done, in words for the person who gave it. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}

/** Words of a command that cannot be understood together. */
export class UsageFailure extends Failure {
  override readonly name = 'UsageFailure'
}
