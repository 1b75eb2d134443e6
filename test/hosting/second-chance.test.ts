import { describe, expect, test } from 'bun:test'
import { SecondChance } from '../../src/modules/hosting/second-chance.ts'

const keeping = (...names: string[]) => {
  const kept = new SecondChance<string>()
  for (const name of names) kept.add(name, `value of ${name}`)
  return kept
}

/** Everything that is kept, in the order in which it goes. */
const leaving = (kept: SecondChance<string>) => {
  const gone: string[] = []
  for (let next = kept.dropNext(); next !== undefined; next = kept.dropNext()) gone.push(next)
  return gone.map((value) => value.replace('value of ', ''))
}

describe('SecondChance', () => {
  test('finds what it keeps, and nothing else', () => {
    const kept = keeping('a', 'b')

    expect(kept.delete('a')).toBe('value of a')
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 'value of b', undefined])
    expect(kept.delete('a')).toBeUndefined()
  })

  test('drops what was kept longest first', () => {
    expect(leaving(keeping('b', 'a', 'c'))).toEqual(['b', 'a', 'c'])
  })

  test('passes over what was asked for, once', () => {
    const kept = keeping('a', 'b', 'c')
    kept.get('a')
    kept.get('a')

    expect(leaving(kept)).toEqual(['b', 'c', 'a'])
  })

  test('drops what was kept longest when all were asked for', () => {
    const kept = keeping('a', 'b', 'c')
    for (const name of ['c', 'b', 'a']) kept.get(name)

    expect(leaving(kept)).toEqual(['a', 'b', 'c'])
  })

  test('keeps what is asked for again and again while much else is asked for once', () => {
    const kept = keeping('popular')
    for (let n = 0; n < 100; n += 1) {
      kept.add(`${n}`, `${n}`)
      kept.get('popular')
      if (n >= 3) kept.dropNext()
    }

    expect(kept.get('popular')).toBe('value of popular')
  })
})
