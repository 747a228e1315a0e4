export type {
  DataFolder,
  DemoShop,
  Homologation,
  SimulatedAcquirer,
  StartSimulator,
  TestClock,
} from '../../homologation/index.ts';

/** Never called in production. */
export const loadHomologation = () => import('../../homologation/index.ts');
