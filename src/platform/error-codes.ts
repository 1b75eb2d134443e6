/**
 * Codes of failures, which clients get in the header `Error-Code`: the status of each, and what it means. A refusal without
 * a message of its own says that. The client's types, the API's document and docs/api.md come from this table.
 * Docstrings name the general code of a status, such as `conflict`, for all of them.
 */
export const ERROR_CODES = {
  invalid: [400, 'The request is not valid'],
  'email-taken': [400, 'Another account uses this "email" already'],
  'current-password-wrong': [400, '"currentPassword" is not your current password'],
  'password-wrong': [400, 'This is not your password'],
  'codes-enabled': [400, 'Codes are enabled already'],
  'codes-not-enabled': [400, 'This account has no codes that can be verified'],
  'too-many-codes': [400, 'Too many wrong codes: sign in again'],
  'passkeys-unavailable': [
    400,
    'Passkeys need https and a name: BASE_URL must begin with https:// and must not be an IP address (localhost works, too)',
  ],
  'challenge-not-found': [
    400,
    'The challenge of the passkey is used, has expired, or belongs to another browser: try again',
  ],
  'failed-to-verify-registration': [400, 'The new passkey could not be verified'],
  'root-folder': [400, 'The root folder cannot be changed, copied or shared'],
  'authorization-pending': [400, 'No person has approved this program yet'],
  'slow-down': [400, 'Poll no sooner than 5 seconds after the last time'],
  'access-denied': [400, 'The person has denied this program'],
  'expired-token': [400, 'The code has expired: ask again'],
  unauthorized: [401, 'Unauthorized'],
  'invalid-email-or-password': [401, 'Invalid email or password'],
  'account-disabled': [401, 'This account is disabled'],
  'second-step-missing': [
    401,
    'The second step has no sign-in to finish, or it took too long: sign in again',
  ],
  'invalid-code': [401, 'Wrong code, or one that was used already'],
  'invalid-backup-code': [401, 'Wrong recovery code, or one that was used already'],
  'authentication-failed': [401, 'The passkey was not accepted'],
  'share-locked': [401, 'This share has a password'],
  'share-password-wrong': [401, 'Wrong password'],
  forbidden: [403, 'Forbidden'],
  'scope-missing': [403, 'The account or the API key lacks a scope'],
  'right-missing': [403, 'The account lacks a right in this folder'],
  'sharing-restricted': [403, 'This instance does not let this account share. Ask an admin.'],
  'second-factor-required': [403, 'This account must have a second factor: add one under Account'],
  'password-sign-in-off': [403, 'This instance does not let this account sign in with a password'],
  'confirmation-required': [403, 'Confirm that it is you, then try again'],
  'session-required': [403, 'This endpoint needs a session, not an API key'],
  'invalid-origin': [403, 'Invalid origin'],
  'missing-or-null-origin': [403, 'Missing or null Origin'],
  'registration-closed': [403, 'Registration is closed. Ask an admin for an account.'],
  'invalid-setup-token': [403, 'Registering requires the setup token of this instance as "setupToken"'],
  'share-takes-no-files': [403, "This share doesn't accept files"],
  'not-found': [404, 'Not found'],
  'api-key-not-found': [404, 'API key not found'],
  'delivery-not-found': [404, 'Delivery not found'],
  'file-not-found': [404, 'File not found'],
  'folder-not-found': [404, 'Folder not found'],
  'invitation-not-found': [404, 'Invitation not found'],
  'not-in-trash': [404, 'Not in the trash'],
  'passkey-not-found': [404, 'No account has this passkey'],
  'session-not-found': [404, 'Session not found'],
  'share-not-found': [404, 'Share not found'],
  'thumbnail-not-found': [404, 'This file has no thumbnail'],
  'upload-not-found': [404, 'Upload not found'],
  'user-not-found': [404, 'User not found'],
  'user-code-not-found': [404, 'No program waits with this code: it may have expired'],
  'version-not-found': [404, 'Version not found'],
  'webhook-not-found': [404, 'Webhook not found'],
  'method-not-allowed': [405, 'The path does not take this method'],
  'request-timeout': [408, 'The body took too long to arrive'],
  conflict: [409, 'The request conflicts with the current state'],
  'previously-registered': [409, 'An account has this passkey already'],
  'limit-reached': [409, 'There are as many as there may be'],
  'name-taken': [409, 'The name is taken'],
  'offset-mismatch': [409, '"Upload-Offset" is not the number of bytes that have arrived'],
  'upload-taken-over': [409, 'Another request has taken over this upload'],
  'precondition-failed': [412, 'The file does not match the precondition'],
  'too-large': [413, 'The body or a file is too large'],
  'too-many': [413, 'These are more files, fields or uploads than are allowed at once'],
  'share-full': [413, 'This drop box has no room for these files'],
  'unsupported-media-type': [415, 'The content type or coding is not supported'],
  'type-not-accepted': [415, "This share doesn't accept files of this type"],
  'range-not-satisfiable': [416, 'The range starts after the end of the file'],
  'rate-limited': [429, 'Too many requests'],
  'codes-locked': [429, 'Too many wrong codes in a row: codes of this account are locked for 15 minutes'],
  'header-too-large': [431, 'The request line and header lines are too long'],
  // The status of the tus extension Checksum.
  'checksum-mismatch': [460, 'The bytes do not have the checksum that was sent with them'],
  'internal-server-error': [500, 'Internal server error'],
  'disk-refused': [500, 'The disk refused the change'],
  'not-implemented': [501, 'The method is not supported'],
  'share-busy': [503, 'Other visitors take all that this share allows at once'],
  unavailable: [503, 'The server cannot handle the request now'],
  'outcome-unknown': [503, 'The change may have been made: look before you try again'],
  'version-not-supported': [505, 'Only HTTP/1.0 and HTTP/1.1 are supported'],
  'no-space': [507, 'Not enough free space on the volume'],
  'quota-exceeded': [507, 'The account is full'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>

/** Code of a failure: the same for the same kind, whatever its message says. */
export type ErrorCode = keyof typeof ERROR_CODES

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CODES, text)

export const ERROR_CODE_LIST: readonly ErrorCode[] = Object.keys(ERROR_CODES).filter(isErrorCode)

/** Header with the code of a failure. */
export const ERROR_CODE = 'Error-Code'
