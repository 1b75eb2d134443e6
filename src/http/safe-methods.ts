/** Safe methods (RFC 9110 §9.2.1) among those that are served. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isSafe = ({ method }: { method: string }): boolean => SAFE_METHODS.has(method)
