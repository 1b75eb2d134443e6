/** Every table, by subject. PostgreSQL's are made of them (`src/build/migrations.ts`). */

export * from './instance.ts'
export * from './people.ts'
export * from './shares.ts'
export * from './sign-in.ts'
export * from './tree.ts'
