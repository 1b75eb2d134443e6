import {
  Enum,
  IsInteger,
  IsObject,
  Literal,
  Null,
  Object as ObjectOf,
  type Static,
  String as Text,
  type TProperties,
  type TSchema,
  Union,
  Unsafe,
} from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { type ErrorCode as Code, ERROR_CODE_LIST } from '../platform/error-codes.ts'
import { refuseInvalid } from '../platform/errors.ts'

// Each of several values that are allowed is an error of its own, before the one that names them all.
Settings.Set({ maxErrors: 64 })

/**
 * Bridge between typebox 1.x and Elysia 1.4, which is built on an older typebox and accepts foreign schemas
 * only as Standard Schema (https://standardschema.dev). Validation, cleaning and the TypeScript type all come
 * from this one schema.
 */
export interface Bridge<S extends TSchema> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'typebox'
    readonly types?: { readonly input: Static<S>; readonly output: Static<S> }
    validate(value: unknown): Result<Static<S>> | Promise<Result<Static<S>>>
  }
  /** JSON Schema behind the bridge. */
  readonly schema: S
}

type Result<Value> = { value: Value } | { issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path: readonly string[]
}

const UNSPECIFIC = 'The request is not valid'

/** Body that is read when its schema is applied, after the caller was authorized. */
export class UnreadBody {
  /**
   * Reads the body.
   *
   * @throws {Refusal} when it cannot be read.
   */
  readonly read: () => Promise<unknown>

  constructor(read: () => Promise<unknown>) {
    this.read = read
  }
}

/** Builds the schema of a JSON body. Unknown fields are dropped; nothing is coerced. */
export const jsonBody = <const S extends TSchema>(schema: S) => refusing(bridge(schema))

/** Builds the schema of a query string. Text is converted to the schema's numbers and booleans. */
export const queryParameters = <const S extends TSchema>(schema: S) =>
  refusing(bridge(schema), (query) => withNumbers(schema, query))

/**
 * Builds the schema of a response; a mismatch is our own bug. Fields that the schema does not name never
 * leave.
 */
export const answer = <const S extends TSchema>(schema: S): Bridge<S> => bridge(schema)

/** Builds the union of a schema and null. */
export const nullable = <const S extends TSchema>(schema: S) => Union([schema, Null()])

/** Builds the schema of one value of a list. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  options: { description?: string; examples?: Value[] } = {},
) =>
  Unsafe<Value>(
    Union(
      values.map((value) => Literal(value)),
      options,
    ),
  )

/** Schema of a time as `iso` writes it. */
export const IsoTime = Text({
  description: 'ISO 8601 in UTC, with milliseconds.',
  examples: ['2026-11-03T10:00:00.000Z'],
})

interface CheckedBridge<S extends TSchema> extends Bridge<S> {
  check: (value: unknown) => Result<Static<S>>
}

function bridge<const S extends TSchema>(schema: S): CheckedBridge<S> {
  // Compiled on first use, so that a start does not wait for all of them.
  const compile = once(() => ({ compiled: Compile(schema), exact: Compile(withoutOtherFields(schema)) }))
  const check = (input: unknown): Result<Static<S>> => {
    const { compiled, exact } = compile()
    if (exact.Check(input)) return { value: input }
    // Invalid values are not cleaned, because that is slow.
    const value = compiled.Check(input) ? compiled.Clean(input) : input
    if (compiled.Check(value)) return { value }
    return { issues: [toIssue(schema, compiled.Errors(value))] }
  }
  return { schema, check, '~standard': { version: 1, vendor: 'typebox', validate: check } }
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Returns the schema with all objects closed: a value that matches it needs no cleaning. */
const withoutOtherFields = <S extends TSchema>(schema: S): S =>
  JSON.parse(JSON.stringify(schema), (_, part) =>
    part?.type === 'object' ? { additionalProperties: false, ...part } : part,
  )

/**
 * Bridges a schema of client input and throws its own refusals. The framework's error for an issue quotes the
 * whole input, indented, which takes many seconds for a deeply nested one of 200 KB.
 */
function refusing<const S extends TSchema>(
  { schema, check }: CheckedBridge<S>,
  convert: (input: unknown) => unknown = (input) => input,
): Bridge<S> {
  const judge = (input: unknown) => {
    const result = check(convert(input))
    if ('value' in result) return result
    throw refuseInvalid(result.issues[0]?.message ?? UNSPECIFIC)
  }
  return {
    schema,
    '~standard': {
      version: 1,
      vendor: 'typebox',
      validate: (input) => (input instanceof UnreadBody ? input.read().then(judge) : judge(input)),
    },
  }
}

/** Converts the query's whole numbers. Other text stays text, and is refused for that. */
function withNumbers(schema: TSchema, query: unknown): unknown {
  if (!IsObject(schema) || typeof query !== 'object' || query === null) return query
  const entries = Object.entries(query).map(([name, value]) => {
    const property = schema.properties[name]
    const isNumber =
      property && IsInteger(property) && typeof value === 'string' && /^-?\d{1,15}$/.test(value)
    return [name, isNumber ? Number(value) : value]
  })
  return Object.fromEntries(entries)
}

/** Returns the first error that names the deepest field: unions report each branch first, then themselves. */
function toIssue(schema: TSchema, errors: TLocalizedValidationError[]): Issue {
  const union = errors.find(({ keyword }) => keyword === 'anyOf')
  const inside = union && errors.find(({ instancePath }) => instancePath.startsWith(`${union.instancePath}/`))
  const error = inside ?? union ?? errors[0]
  if (!error) return { message: UNSPECIFIC, path: [] }
  const path = error.instancePath.split('/').slice(1)
  if (error.keyword === 'required') {
    const missing = error.params.requiredProperties[0] ?? ''
    return { message: `"${[...path, missing].join('.')}" is required`, path: [...path, missing] }
  }
  const subject = path.length === 0 ? 'The body' : `"${path.join('.')}"`
  const words = error.keyword === 'pattern' ? describePattern(schema, path) : undefined
  return { message: `${subject} ${words ?? describe(error, errors)}`, path }
}

/** Returns the description of a field with a pattern, which says what it takes. */
function describePattern(schema: TSchema, [name = '']: readonly string[]): string | undefined {
  const property = IsObject(schema) ? schema.properties[name] : undefined
  const description = property && 'description' in property ? property.description : undefined
  return typeof description === 'string' ? `must be ${description}` : undefined
}

function describe(error: TLocalizedValidationError, all: TLocalizedValidationError[]): string {
  switch (error.keyword) {
    case 'anyOf':
      return describeUnion(error, all)
    case 'type':
      return `must be of type ${[error.params.type].flat().join(' or ')}`
    case 'minLength':
      return error.params.limit === 1
        ? 'must not be empty'
        : `must have at least ${error.params.limit} characters`
    case 'maxLength':
      return `must have at most ${error.params.limit} characters`
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : `must have at least ${error.params.limit} items`
    case 'minimum':
      return `must be at least ${error.params.limit}`
    case 'maximum':
      return `must be at most ${error.params.limit}`
    default:
      return error.message
  }
}

function describeUnion(union: TLocalizedValidationError, all: TLocalizedValidationError[]): string {
  const branches = all.filter((error) => error.instancePath === union.instancePath)
  // A value of the right type says more by the rule that it breaks.
  const broken = branches.find(({ keyword }) => !['anyOf', 'const', 'type', 'required'].includes(keyword))
  if (broken) return describe(broken, all)
  const values = branches.flatMap((error) =>
    error.keyword === 'const' ? [JSON.stringify(error.params.allowedValue)] : [],
  )
  const types = branches.flatMap((error) => (error.keyword === 'type' ? [error.params.type].flat() : []))
  if (values.length > 0) return `must be one of ${values.join(', ')}`
  if (types.length > 0) return `must be of type ${[...new Set(types)].join(' or ')}`
  const fields = branches.flatMap((error) =>
    error.keyword === 'required' ? error.params.requiredProperties.map((name) => JSON.stringify(name)) : [],
  )
  return fields.length > 0 ? `must have ${fields.join(' or ')}` : union.message
}

/**
 * Names a schema in the API's document, which refers to it by that name wherever it is used.
 *
 * @param example Example of it, where its parts say too little.
 */
export const named = <S extends TSchema>(title: string, schema: S, example?: NoInfer<Static<S>>): S =>
  Object.assign(schema, { title, ...(example !== undefined && { examples: [example] }) })

/** Builds the success envelope around `schema`. */
export const envelope = <const S extends TSchema>(schema: S) =>
  answer(ObjectOf({ data: schema, error: Null() }))

/**
 * Builds a response schema with the data both enveloped and beside the envelope: clients of the sign-in
 * routes read the fields themselves.
 */
export const both = <const P extends TProperties, const E extends TProperties>(data: P, beside: E) =>
  answer(ObjectOf({ data: ObjectOf(data), error: Null(), ...beside, ...data }))

/** Success envelope without data. */
export const emptyEnvelope = envelope(Null())

/** Failure envelope. */
export const Failure = named(
  'Failure',
  ObjectOf({
    data: Null(),
    error: ObjectOf({
      message: Text({ description: 'Message for people: the mistake and the remedy.' }),
    }),
  }),
)
/** Failure envelope of the sign-in routes, whose clients read a message and a code beside it. */
export const AuthFailure = named(
  'AuthFailure',
  ObjectOf({
    ...Failure.properties,
    message: Text(),
    code: Text({ description: 'Code for programs.' }),
  }),
)

/** Codes that better-auth's clients know by other names. */
const AUTH_CODES: { [Some in Code]?: string } = {
  'password-wrong': 'INVALID_PASSWORD',
  'second-step-missing': 'INVALID_TWO_FACTOR_COOKIE',
  'codes-enabled': 'TOTP_ALREADY_ENABLED',
  'codes-not-enabled': 'TWO_FACTOR_NOT_ENABLED',
  'too-many-codes': 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE',
  'codes-locked': 'ACCOUNT_TEMPORARILY_LOCKED',
}

/** Returns a code as the clients of the sign-in routes know it: `INVALID_ORIGIN` for `invalid-origin`. */
export const authCodeOf = (code: Code): string => AUTH_CODES[code] ?? code.toUpperCase().replaceAll('-', '_')

/** Code in the header `Error-Code` of a failure. */
export const ErrorCode = named('ErrorCode', Enum([...ERROR_CODE_LIST]))

/** Returns true for paths whose failures are an `AuthFailure`, those without a route included. */
export const isAuthPath = (path: string) => path.startsWith('/api/auth/')

export const success = <Data>(data: Data) => ({ data, error: null })

/** Returns a body for `both`. */
export const inBothForms = <Data extends object>(data: Data) => ({ data, error: null, ...data })

/** Returns the success envelope without data after `work`. */
export async function done(work: Promise<unknown>) {
  await work
  return success(null)
}
