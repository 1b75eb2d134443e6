import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatReport, type Limit, showMB } from '../bench/report.ts'
import { makeMutant } from '../support/mutant.ts'
import { ELEMENTS, type Element, PLAIN } from './elements.ts'
import { type Cost, MeasuredServer } from './measure.ts'
import { MUTANTS } from './mutants.ts'

const MEMORY_LIMIT = 1.5
const showRatio = (ratio: number) => `${ratio.toFixed(2)} x`

/** Compares the cost of an element with that of plain bodies. */
const compare = ({ name, time, memory = MEMORY_LIMIT }: Element, cost: Cost, plain: Cost): Limit[] => [
  { what: `${name}: time of a byte`, value: cost.time / plain.time, limit: time, show: showRatio },
  { what: `${name}: memory`, value: cost.memory / plain.memory, limit: memory, show: showRatio },
]

/** Measures plain bodies and all elements. @param program Main module of the server, by default the project's. */
async function measure(program?: string): Promise<Limit[]> {
  await using server = await MeasuredServer.start(program)
  const plain = await server.cost(PLAIN)
  const limits: Limit[] = []
  for (const element of ELEMENTS) limits.push(...compare(element, await server.cost(element), plain))
  const notes = [`Plain bodies: ${plain.time.toFixed(1)} ns a byte, ${showMB(plain.memory)}`]
  console.log(`${formatReport({ title: 'cost of the elements of HTTP', rows: limits, notes })}\n`)
  return limits
}

const isExceeded = ({ value, limit = Number.POSITIVE_INFINITY }: Limit) => !(value <= limit)

/** Measures the mutants. @returns Number of mutants that exceed no limit. */
async function missedMutants(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cost-'))
  let missed = 0
  try {
    for (const [index, mutant] of MUTANTS.entries()) {
      const own = join(folder, String(index))
      makeMutant(mutant, own)
      const exceeded = (await measure(join(own, 'src/main.ts'))).filter(isExceeded)
      console.log(`cost: mutant "${mutant.name}": exceeds ${exceeded.map(({ what }) => what).join(', ')}`)
      if (exceeded.length === 0) missed += 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return missed
}

const { values } = parseArgs({ options: { mutants: { type: 'boolean', default: false } } })
const limits = values.mutants ? [] : await measure()
const total = values.mutants ? MUTANTS.length : limits.length
const failed = values.mutants ? await missedMutants() : limits.filter(isExceeded).length
// In the format of the test runner.
console.log(` ${total - failed} pass\n ${failed} fail`)
process.exitCode = failed === 0 ? 0 : 1
