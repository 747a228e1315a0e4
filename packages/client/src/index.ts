export { NoAnswer, ParcelaError, type ToldProblem } from './errors.ts';
export { isGenuine, type Received } from './notifications.ts';
export { type CallOptions, openParcela, type Parcela, type ParcelaOptions } from './open-parcela.ts';
export type * from './operations.ts';
