/** Reason why a command failed, as a message for the user. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}

/** Arguments that contradict each other. */
export class UsageFailure extends Failure {
  override readonly name = 'UsageFailure'
}
