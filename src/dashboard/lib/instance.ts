/** Name of the instance, and the address of its logo, as the server wrote them into the page. */
export const instanceName = globalThis.document?.title ?? ''
export const instanceLogo = globalThis.document?.querySelector<HTMLImageElement>('#frame .logo img')?.src
