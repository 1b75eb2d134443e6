/** Prints after each test which guards mattered in it. `guards.ts` loads it before the tests. */
import { afterEach } from 'bun:test'
import { takeNoted } from './guard-switch.ts'

afterEach(() => console.error(`guards: ${takeNoted().join(' ')}`))
