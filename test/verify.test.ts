import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, type Holdfast, register, startHoldfast, upload } from './support/holdfast.ts'
import { runCommand } from './support/process.ts'

let holdfast: Holdfast
let account: Account
beforeAll(async () => {
  holdfast = await startHoldfast()
  account = await register(holdfast)
  for (const name of ['missing', 'grown', 'cut', 'flipped', 'linked', 'whole', 'empty']) {
    await upload(holdfast, account.withKey, {
      name,
      content: name === 'empty' ? '' : `content of ${name}`,
      folder: 'a/b',
    })
  }
  await upload(holdfast, account.withKey, { name: 'x', content: 'x', folder: 'gone/deep' })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const verify = (...options: string[]) => runCommand(['verify', ...options], { DATA_PATH: holdfast.dataPath })

describe('verify', () => {
  test('finds no difference beside a running server', () => {
    for (const options of [[], ['--deep']]) {
      expect(verify(...options)).toEqual({ exitCode: 0, output: 'Volume and catalog agree\n' })
    }
  })

  test('names every difference, and with --deep also bytes that changed in place', () => {
    const at = (path: string) => join(holdfast.dataPath, 'uploads', path)
    rmSync(at('a/b/missing'))
    appendFileSync(at('a/b/grown'), 'more')
    truncateSync(at('a/b/cut'), 3)
    writeFileSync(at('a/b/flipped'), 'Content of flipped')
    rmSync(at('a/b/linked'))
    symlinkSync(at('a/b/whole'), at('a/b/linked'))
    mkdirSync(at('stray/inside'), { recursive: true })
    writeFileSync(at('a/unknown'), '')
    rmSync(at('gone'), { recursive: true })

    const quick = verify()
    const deep = verify('--deep')

    const found = [
      '"a/b/cut": size differs',
      '"a/b/grown": size differs',
      '"a/b/linked": bytes are missing',
      '"a/b/missing": bytes are missing',
      '"a/unknown": not in the catalog',
      '"gone": folder is missing',
      '"gone/deep": folder is missing',
      '"gone/deep/x": bytes are missing',
      '"stray": not in the catalog',
    ]
    expect(quick).toEqual({ exitCode: 1, output: [...found, '9 difference(s)', ''].join('\n') })
    found.splice(1, 0, '"a/b/flipped": content differs')
    expect(deep).toEqual({ exitCode: 1, output: [...found, '10 difference(s)', ''].join('\n') })
  })

  test('makes nothing in a folder that is not a data folder', () => {
    const elsewhere = join(holdfast.dataPath, 'elsewhere')

    const { exitCode, output } = runCommand(['verify'], { DATA_PATH: elsewhere })

    expect(exitCode).toBe(1)
    expect(output).toBe(`Cannot use the data folder "${elsewhere}": ENOENT\n`)
  })

  test('is the only other command', () => {
    const { exitCode, output } = runCommand(['explode'], { DATA_PATH: holdfast.dataPath })

    expect(exitCode).toBe(1)
    expect(output).toContain('use serve or verify')
  })

  test.each(['--bogus', '--deep --bogus', 'deep', '--deep --deep'])('takes no option %s', (options) => {
    const { exitCode, output } = verify(...options.split(' '))

    expect(exitCode).toBe(1)
    expect(output).toBe(`Unknown command "verify ${options}": use serve or verify [--deep]\n`)
  })
})
