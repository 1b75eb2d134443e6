import { fillPlaceholders } from 'drizzle-orm'
import {
  type Built,
  type Engine,
  noteOfWrite,
  type Owes,
  type Statement,
  type Values,
} from '../engine/engine.ts'
import { type Note, Notes } from '../engine/notes.ts'
import type { Query, Steps, Work } from '../engine/query.ts'
import type { Connection, Result } from './connection.ts'
import { POSTGRES, StatementText, textBuilder } from './text.ts'

/** Maximum statements that are sent before their responses arrive. */
const SENT_AT_ONCE = 500

/** Runs queries that are awaited by themselves. */
export interface Runner {
  /** Runs one query on a connection of its own. */
  use: <Value>(work: (connection: Connection) => Promise<Value>) => Promise<Value>
  /** Runs a body in a transaction. */
  transact: <Value>(work: () => Steps<Value>) => Promise<Value>
}

/** A query of one statement. */
export class PostgresQuery<Value> implements Query<Value> {
  readonly #runner: Runner
  readonly run: (connection: Connection) => Promise<Value>

  constructor(runner: Runner, run: (connection: Connection) => Promise<Value>) {
    this.#runner = runner
    this.run = run
  }

  into<Result>(convert: (value: Value) => Result): Query<Result> {
    return new PostgresQuery(this.#runner, async (connection) => convert(await this.run(connection)))
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` is how a caller runs one query.
  then<Result1 = Value, Result2 = never>(
    onFulfilled?: ((value: Value) => Result1 | PromiseLike<Result1>) | null,
    onRejected?: ((reason: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    return this.#runner.use(this.run).then(onFulfilled, onRejected)
  }

  *[Symbol.iterator](): Work<Value> {
    // `drive` resumes with the result of what was yielded.
    return (yield this) as Value
  }
}

/** A body of several queries, which run in one transaction. */
class PostgresBody<Value> implements Query<Value> {
  readonly #runner: Runner
  readonly #work: () => Work<Value>

  constructor(runner: Runner, work: () => Work<Value>) {
    this.#runner = runner
    this.#work = work
  }

  into<Result>(convert: (value: Value) => Result): Query<Result> {
    const work = this.#work
    return new PostgresBody(this.#runner, function* () {
      return convert(yield* work())
    })
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` is how a caller runs one query.
  then<Result1 = Value, Result2 = never>(
    onFulfilled?: ((value: Value) => Result1 | PromiseLike<Result1>) | null,
    onRejected?: ((reason: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    return this.#runner.transact(this.#work).then(onFulfilled, onRejected)
  }

  [Symbol.iterator](): Work<Value> {
    return this.#work()
  }
}

/** True for a query of one statement. */
export const isQuery = (steps: Steps<unknown>): boolean => steps instanceof PostgresQuery

/** Runs the steps of a body on one connection. */
export async function drive<Value>(connection: Connection, steps: Steps<Value>): Promise<Value> {
  if (steps instanceof PostgresQuery) return await steps.run(connection)
  const body = steps[Symbol.iterator]()
  let step = body.next()
  while (!step.done) {
    let result: unknown
    try {
      if (!(step.value instanceof PostgresQuery)) throw new TypeError('A query of another engine')
      result = await step.value.run(connection)
    } catch (error) {
      step = body.throw(error)
      continue
    }
    step = body.next(result)
  }
  return step.value
}

interface EngineOptions {
  /** Returns the connection of a snapshot, on which all its queries run, also within the bodies of others. */
  bound?: (() => Connection) | undefined
  notes?: Notes
  owes?: Owes
}

/** Returns the engine of PostgreSQL. */
export function postgresEngine(
  runner: Runner,
  { bound, notes = new Notes(), owes = 'nothing' }: EngineOptions = {},
): Engine {
  return {
    db: textBuilder(),
    dialect: POSTGRES,
    ...{ notes, owes },
    prepare: (built) => statementOf(runner, built, { bound, notes }),
    body: (work) => new PostgresBody(runner, work),
  }
}

function statementOf<All, First>(
  runner: Runner,
  built: Built<All, First>,
  { bound, notes }: EngineOptions & { notes: Notes },
): Statement<All, First> {
  let written: { statement: StatementText; note: Note | undefined } | undefined
  const text = () => {
    if (written) return written
    const statement: unknown = built.prepare()
    if (!(statement instanceof StatementText)) throw new TypeError('A statement of another engine')
    written = { statement, note: noteOfWrite(statement.text) }
    return written
  }
  const ask = async (connection: Connection, values: Values = {}): Promise<Result> => {
    const { statement, note } = text()
    const result = await (bound?.() ?? connection).query(
      statement.text,
      fillPlaceholders([...statement.params], values),
    )
    if (note) notes.note(note)
    return result
  }
  const rowsOf = ({ rows }: Result) => rows.map((row) => text().statement.rowOf(row))
  /** Runs it with each of `all`, sent one after the other without a wait for each response. */
  const askEach = async (connection: Connection, all: readonly Values[]): Promise<number> => {
    let changed = 0
    for (let at = 0; at < all.length; at += SENT_AT_ONCE) {
      const asked = all.slice(at, at + SENT_AT_ONCE).map((values) => ask(connection, values))
      for (const { count } of await Promise.all(asked)) changed += count
    }
    return changed
  }
  return {
    // The builder has declared what its rows become.
    all: (values) => new PostgresQuery(runner, async (on) => rowsOf(await ask(on, values)) as All),
    get: (values) => new PostgresQuery(runner, async (on) => rowsOf(await ask(on, values))[0] as First),
    run: (values) =>
      new PostgresQuery(runner, async (on) => {
        await ask(on, values)
      }),
    each: (all) =>
      new PostgresQuery(runner, async (on) => {
        const { statement, note } = text()
        const insert = all.length > 1 ? insertOf(statement, all) : undefined
        if (!insert) return void (await askEach(on, all))
        for (const rows of insert.batches) await (bound?.() ?? on).query(insert.text, [rows])
        if (note) notes.note(note)
      }),
    change: (values) => new PostgresQuery(runner, async (on) => (await ask(on, values)).count),
    changeEach: (all) => new PostgresQuery(runner, (on) => askEach(on, all)),
  }
}

/** Insert of one row, of which each column has a parameter. */
const INSERT = /^insert into ("\w+") \(([^()]+)\) values \([^()]+\)$/
/** Maximum rows of one statement. */
const INSERT_ROWS = 1000

/**
 * Returns a statement that inserts many rows, and its parameter for each batch of them; `undefined` for another statement,
 * or values that JSON does not carry. Triggers and indexes have the work of a statement once for all of its rows.
 */
function insertOf(
  { text, params }: StatementText,
  all: readonly Values[],
): { text: string; batches: string[] } | undefined {
  const [, table, columns = ''] = INSERT.exec(text) ?? []
  if (table === undefined) return undefined
  const names = columns.split(', ').map((name) => name.slice(1, -1))
  const rows = all.map((values) => fillPlaceholders([...params], values))
  if (!rows.every((row) => row.every(isPlain))) return undefined
  const batches: string[] = []
  for (let at = 0; at < rows.length; at += INSERT_ROWS) {
    const batch = rows.slice(at, at + INSERT_ROWS)
    batches.push(
      JSON.stringify(batch.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))),
    )
  }
  const from = `json_populate_recordset(NULL::${table}, $1::text::json)`
  return { text: `insert into ${table} (${columns}) select ${columns} from ${from}`, batches }
}

/** True for a value that is the same after a way through JSON in PostgreSQL. */
const isPlain = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'string' ? value.isWellFormed() && !value.includes('\0') : Number.isFinite(value))
