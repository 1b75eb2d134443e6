import { expect, test } from 'bun:test'
import { orderEqual } from '../../src/dashboard/search/order.ts'

const found = (name: string, time: string) => ({ name, createdAt: `2026-11-27 ${time}` })

test('matches of one rank that were added together are in the order of their names', () => {
  const photos = ['169', '20', '3'].map((number, n) => found(`dsc_${number}.jpg`, `12:00:0${3 - n}`))
  const newer = found('dsc_500.jpg', '13:00:00')
  const inside = found('my_old_dsc_1.jpg', '12:00:00')

  expect(orderEqual([newer, ...photos, inside], 'dsc').map(({ name }) => name)).toEqual([
    'dsc_500.jpg',
    'dsc_3.jpg',
    'dsc_20.jpg',
    'dsc_169.jpg',
    'my_old_dsc_1.jpg',
  ])
})
