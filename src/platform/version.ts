import { version } from '../../package.json' with { type: 'json' }

/** The program's version, as released. */
export const VERSION: string = version
