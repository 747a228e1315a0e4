import { HEALTH } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import type { Health } from './health.ts';
import { healthPage } from './health-view.ts';

export type HealthTools = { readonly findHealth: () => Promise<Health> };

const REFRESH_SECONDS = 10;

export const HEALTH_SCREENS: readonly Screen<HealthTools>[] = [
  screen<HealthTools, Health>({
    path: HEALTH,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Health',
    place: 1,
    refreshSeconds: REFRESH_SECONDS,
    read: (_visit, { findHealth }) => findHealth(),
    view: healthPage,
  }),
];
