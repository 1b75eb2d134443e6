/** `Cache-Control` of a public file: every cache may keep it for `seconds`, and asks again afterwards. */
export const publicCaching = (seconds: number) => `public, max-age=${seconds}, must-revalidate`
