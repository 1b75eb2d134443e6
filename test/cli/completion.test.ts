import { afterAll, expect, test } from 'bun:test'
import { programCommand } from '../support/program.ts'
import { createPerson } from './run.ts'

const person = createPerson()
afterAll(() => person[Symbol.dispose]())

const candidates = async (...words: string[]) =>
  (await person.lines('complete', '--', ...words)).map((line) => line.split('\t')[0])

test('the completion offers commands, their commands and their options, and leaves the rest to files', async () => {
  expect(await candidates('pu')).toEqual(['put', 'publish'])
  expect(await candidates('')).not.toContain('thumbnail')
  expect(await candidates('trash', 're')).toEqual(['restore'])
  expect(await candidates('admin', 'reset-password', 'ada@example.com', '--')).toEqual([
    '--delete-keys',
    '--end-shares',
    '--keep-second-factor',
    '--keep-linked',
    '--help',
  ])
  expect(await candidates('put', 'a.jpg', 'b')).toEqual([])
})

test('each shell has a completion script, and no other one', async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await person.lines('completion', shell)).join('\n')).toContain('holdfast complete -- ')
  expect(await person.run('completion', 'csh')).toMatchObject({ exitCode: 2, stdout: '' })
})

test('the completion script of bash completes words', async () => {
  const script = (await person.run('completion', 'bash')).stdout
  const call = programCommand()
    .map((word) => `'${word}'`)
    .join(' ')
  const ask = (...words: string[]) =>
    `COMP_WORDS=(holdfast ${words.join(' ')}); COMP_CWORD=${words.length}; _holdfast; echo "\${COMPREPLY[*]}"`

  const commands = [
    `holdfast() { ${call} "$@"; }`,
    script,
    ask('unsh'),
    ask('sync', 'dir', '--dr'),
    ask('put', '""'),
  ]
  const child = Bun.spawn(['bash', '-c', commands.join('\n')], { env: person.environment, stdout: 'pipe' })

  expect(await new Response(child.stdout).text()).toBe('unshare\n--dry-run\n\n')
})
