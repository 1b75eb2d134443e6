import type { Translation } from '../translation.ts'
import * as all from './all.ts'

const texts: Translation = all

globalThis.holdfastLanguage = { tag: 'es', texts: { ...texts } }
