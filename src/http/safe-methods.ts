/** The methods of requests that change nothing (RFC 9110 §9.2.1), of those that we answer. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isSafe = ({ method }: { method: string }): boolean => SAFE_METHODS.has(method)
