import type { TSchema } from 'typebox'
import { AuthFailure, Failure } from '../../api/envelope.ts'
import { AccountView, SessionView } from '../account/model.ts'
import { ActivityView, SecurityEntryView } from '../activity/model.ts'
import { AuthSession, AuthUser } from '../auth/model.ts'
import { FileView } from '../files/model.ts'
import { FolderView } from '../folders/model.ts'
import { KeyView, NewKeyView } from '../keys/model.ts'
import { SettingsView } from '../settings/model.ts'
import { FileStats, HostingStats, KeyStats, Stats, UserStats } from '../stats/model.ts'
import { UploadView } from '../uploads/model.ts'
import { UserView } from '../users/model.ts'
import type { JsonSchema } from './document.ts'

/** Schemas that have a name in the document, and are referred to wherever they are used. */
const NAMED: Record<string, TSchema> = {
  File: FileView,
  Folder: FolderView,
  Upload: UploadView,
  Account: AccountView,
  Session: SessionView,
  Activity: ActivityView,
  SecurityEntry: SecurityEntryView,
  ApiKey: KeyView,
  NewApiKey: NewKeyView,
  User: UserView,
  Settings: SettingsView,
  Stats,
  FileStats,
  KeyStats,
  HostingStats,
  UserStats,
  AuthUser,
  AuthSession,
  Failure,
  AuthFailure,
}

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema, name]))

/** Returns the JSON Schemas of the named ones, by their names. */
export const namedSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, rewrite(schema)]))

/** Converts a schema for the document: a reference where it has a name. */
export function toJsonSchema(schema: TSchema): JsonSchema {
  const name = NAMES.get(schema)
  return name === undefined ? rewrite(schema) : { $ref: `#/components/schemas/${name}` }
}

function rewrite(schema: TSchema): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, rewriteKeyword(keyword, value)])
  return withEnum(Object.fromEntries(entries))
}

function rewriteKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, toJsonSchema(property)]))
  }
  if (keyword === 'anyOf' && Array.isArray(value)) return value.map(toJsonSchema)
  return keyword === 'items' && isObject(value) ? toJsonSchema(value) : value
}

/** Converts a choice of constants to an `enum`. */
function withEnum({ anyOf, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return rest
  const isChoice = anyOf.every((option: object) => 'const' in option)
  return isChoice
    ? { ...rest, enum: anyOf.map((option: { const?: unknown }) => option.const) }
    : { ...rest, anyOf }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
