import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withEnvFile } from '../src/commands/variables.ts'
import { createPerson } from './cli/run.ts'
import { startWithAccount } from './support/fixture.ts'
import { programCommand } from './support/program.ts'
import { temporaryFolder } from './support/temporary.ts'

/** Creates a folder with a file `.env`, removed at the end of the test. */
function folderWith(text: string) {
  const folder = temporaryFolder()
  writeFileSync(join(folder.path, '.env'), text)
  return folder
}

describe('the file .env in the working folder', () => {
  test('gives variables of ours that the environment does not set, and no others', () => {
    using given = folderWith('PORT=1\nHOST="h"\nAUTH_SECRET=a$PORT\nHTTPS_PROXY=http://x\nHOLDFAST_KEY=k\n')

    expect(withEnvFile({ HOST: 'environment', TZ: 'UTC' }, given.path)).toEqual({
      PORT: '1',
      HOST: 'environment',
      AUTH_SECRET: 'a$PORT',
      TZ: 'UTC',
    })
  })

  test('may be missing, or a folder', () => {
    using given = folderWith('')
    expect(withEnvFile({}, join(given.path, 'nowhere'))).toEqual({})
    rmSync(join(given.path, '.env'))
    mkdirSync(join(given.path, '.env'))

    expect(withEnvFile({ PORT: '1' }, given.path)).toEqual({ PORT: '1' })
  })

  test('configures the server and commands that work on the data folder', async () => {
    using given = folderWith(
      'PORT=0\nHOST=127.0.0.1\nDATA_PATH=elsewhere\nBASE_URL=https://files.example.com\n',
    )
    const run = (...words: string[]) =>
      Bun.spawn([...programCommand(), ...words], {
        cwd: given.path,
        env: {},
        stdout: 'pipe',
        stderr: 'pipe',
      })
    const server = run()
    const { value } = await server.stdout.getReader().read()
    server.kill('SIGTERM')
    await server.exited
    const verify = run('verify')
    const admin = run('admin', 'reset-password', 'ada@example.com')

    expect(Buffer.from(value ?? []).toString()).toContain(' as https://files.example.com\n')
    expect(existsSync(join(given.path, 'elsewhere/db'))).toBe(true)
    expect(await new Response(verify.stdout).text()).toBe('Volume and catalog agree\n')
    expect(await new Response(admin.stderr).text()).toContain('There is no account "ada@example.com"')
  })

  test('is reported at a start with the names that are no variables of ours', async () => {
    using given = folderWith(
      'PROT=80\nDATA_PATH=data\nPORT=eighty\nMAX_UPLOAD=5gb\nHOLDFAST_DOMAIN=example.com\n',
    )

    const server = Bun.spawn([...programCommand(), 'serve'], { cwd: given.path, env: {}, stderr: 'pipe' })

    const told = 'The file .env has names that Holdfast does not read: PROT, MAX_UPLOAD\n'
    expect(await new Response(server.stderr).text()).toStartWith(told)
  })

  test('does not affect commands that connect to a server', async () => {
    await using holdfast = await startWithAccount()
    using person = createPerson()
    await person.pipe(holdfast.key, 'login', holdfast.url)
    const requests: string[] = []
    using stranger = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        requests.push(url)
        return new Response('{}')
      },
    })
    const variables = ['HOLDFAST_URL', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => `${name}=${stranger.url}`)
    writeFileSync(join(person.folder, '.env'), ['HOLDFAST_KEY=hf_x', ...variables].join('\n'))
    writeFileSync(join(person.folder, 'mine.txt'), 'mine')

    expect(await person.lines('put', 'mine.txt')).toEqual([`${holdfast.url}/api/hosting/mine.txt`])
    expect(requests).toEqual([])
  })

  test('is not read by the runtime in the folder of the source', () => {
    using given = folderWith('FROM_FILE=read')
    copyFileSync(join(import.meta.dir, '../bunfig.toml'), join(given.path, 'bunfig.toml'))
    const words = [process.execPath, '-e', 'console.log(process.env.FROM_FILE)']

    expect(Bun.spawnSync(words, { cwd: given.path, env: {} }).stdout.toString()).toBe('undefined\n')
  })
})
