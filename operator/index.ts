/** The operator, for who starts it in another way than `main.ts`. */
export { LIVES, type Lives } from './controllers/certificates/lives.ts'
export type { Installation } from './infra/relay-input.ts'
export { Operator, type OperatorOptions, type OperatorTiming } from './operator.ts'
