import { formatReport, type Limit, showMB } from '../bench/report.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { ELEMENTS, type Element, PLAIN } from './elements.ts'
import { type Cost, MeasuredServer } from './measure.ts'

const MEMORY_LIMIT = 1.5
const showRatio = (ratio: number) => `${ratio.toFixed(2)} x`

/** Compares the cost of an element with that of plain bodies. */
const compare = ({ name, time, memory = MEMORY_LIMIT }: Element, cost: Cost, plain: Cost): Limit[] => [
  { what: `${name}: time of a byte`, value: cost.time / plain.time, limit: time, show: showRatio },
  { what: `${name}: memory`, value: cost.memory / plain.memory, limit: memory, show: showRatio },
]

/** Compares the elements with plain bodies. None may exceed its limits. */
export async function rigCost(tally: Tally, options: RigOptions): Promise<void> {
  await using server = await MeasuredServer.start()
  const plain = await server.cost(PLAIN)
  const limits: Limit[] = []
  for (const element of chosenFrom(ELEMENTS, options))
    limits.push(...compare(element, await server.cost(element), plain))
  const notes = [`Plain bodies: ${plain.time.toFixed(1)} ns a byte, ${showMB(plain.memory)}`]
  console.log(`${formatReport({ title: 'cost of the elements of HTTP', rows: limits, notes })}\n`)
  for (const { what, value, limit, show } of limits)
    tally.judge(what, limit === undefined || value <= limit ? [] : [`${show(value)}, not ${show(limit)}`])
}
