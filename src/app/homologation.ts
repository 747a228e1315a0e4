export type {
  DataFolder,
  DemoShop,
  Homologation,
  SimulatedAcquirer,
  StartSimulator,
  TestClock,
} from '../../homologation/index.ts';

/** Loads what only homologation has. Throws in production. */
export async function loadHomologation(environment: 'homologation' | 'production') {
  if (environment === 'production') throw new Error('production loads nothing of homologation');
  return import('../../homologation/index.ts');
}
